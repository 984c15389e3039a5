/**
 * Takes secrets out of where tools find them: a process that was given some in its environment starts itself again without them.
 *
 * W1 What a process was started with stays in `/proc/<pid>/environ` for as long as it lives, whatever it deletes from `process.env`;
 *    its children, which run as the same user, may read that.
 * W2 It is the same process again, by `execve`: no parent stays that has them.
 * W3 They are handed over in a file that nobody else may read, in memory where there is such a place, and the file is gone before
 *    anything of the project is loaded.
 */
import { mkdtempSync, readFileSync, rmdirSync, rmSync, unlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import process from 'node:process'
import { z } from 'zod'
import type { Env } from '../config/environment.ts'
import { fail } from '../config/fail.ts'
import { missingOptions } from '../young-generation.ts'

/** Set by a process for itself. */
const handoverEnv = 'SIGNALBOX_HANDOVER'
const folderPrefix = 'signalbox-handover-'
const fileName = 'secrets.json'
const place = new RegExp(`/${folderPrefix}[A-Za-z0-9]{6}/${fileName.replace('.', '\\.')}$`)
const Secrets = z.record(z.string(), z.string())

/**
 * The secrets that this process handed to itself; the file is removed. Null: it was not started by itself.
 *
 * @throws ConfigError `config_env`
 */
export function takeHandover(): Env | null {
  const file = process.env[handoverEnv]
  if (file === undefined) return null
  delete process.env[handoverEnv]
  if (!place.test(file))
    fail('config_env', handoverEnv, 'is for the process itself to set. Leave it out')
  try {
    const text = readFileSync(file, 'utf8')
    unlinkSync(file)
    rmdirSync(dirname(file))
    return Secrets.parse(JSON.parse(text))
  } catch {
    return fail('config_env', handoverEnv, `${file} cannot be read. Start the process again`)
  }
}

/** Removes the variables from `process.env`. In `/proc` they stay, if they stood there. */
export function forget(names: readonly string[]): void {
  for (const name of names) delete process.env[name]
}

/**
 * Starts this process again, with its arguments and a young generation of our size, without these variables and with the secrets handed
 * over. Returns only where that cannot be done, with the reason.
 */
export function startAgain(
  names: readonly string[],
  secrets: Readonly<Record<string, string>>,
): string | undefined {
  // Whoever forked this process speaks over a channel that would be closed.
  if (process.connected) return 'it was forked, and would lose its channel'
  if (process.execve === undefined) return 'this platform cannot replace a process'
  const file = written(secrets)
  if (file === null) return 'there is no folder for the hand-over'
  const env: NodeJS.ProcessEnv = { ...process.env, [handoverEnv]: file }
  for (const name of names) {
    delete env[name]
    delete env[`${name}_FILE`]
  }
  try {
    process.execve(
      process.execPath,
      [process.execPath, ...missingOptions(), ...process.execArgv, ...process.argv.slice(1)],
      env,
    )
  } catch (error) {
    rmSync(dirname(file), { recursive: true, force: true })
    return error instanceof Error ? error.message : String(error)
  }
}

/** In memory on Linux, else among the temporary files; null if nothing can be written there. */
function written(secrets: Readonly<Record<string, string>>): string | null {
  for (const base of process.platform === 'linux' ? ['/dev/shm', tmpdir()] : [tmpdir()])
    try {
      const file = join(mkdtempSync(join(base, folderPrefix)), fileName)
      writeFileSync(file, JSON.stringify(secrets), { mode: 0o600, flag: 'wx' })
      return file
    } catch {
      // Not there, or not for us: the next one.
    }
  return null
}
