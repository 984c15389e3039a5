/** Which file is the configuration of a folder. */
import { readdir, stat } from 'node:fs/promises'
import { dirname, join, resolve } from 'node:path'
import { ConfigError } from './config-error.ts'
import type { Env } from './environment.ts'
import { shownFile } from './place.ts'

/** Looked for in a folder. `.mts` is a module whatever `package.json` says. */
const names = ['ts', 'mts', 'js', 'mjs', 'json'].map((extension) => `signalbox.config.${extension}`)
const wanted = 'signalbox.config.{ts,mts,js,mjs,json}'
const foldersUp = 5

/**
 * Finds `signalbox.config.{ts,mts,js,mjs,json}` in `cwd`, or the file that SIGNALBOX_CONFIG names.
 *
 * @throws ConfigError `config_not_found`, `config_ambiguous`, `config_unreadable`
 */
export async function findConfig({
  cwd,
  env,
}: {
  readonly cwd: string
  readonly env: Env
}): Promise<string> {
  const named = env['SIGNALBOX_CONFIG']?.trim()
  if (named) return namedConfig(resolve(cwd, named))
  const found = await configsIn(cwd)
  if (found.length > 1)
    throw new ConfigError(
      'config_ambiguous',
      `${found.join(' and ')} stand side by side in ${cwd}. Keep one, or name it in SIGNALBOX_CONFIG.`,
    )
  const [only] = found
  if (only !== undefined) return fileAt(join(cwd, only), cwd)
  throw new ConfigError(
    'config_not_found',
    `There is no ${wanted} in ${cwd}.${await hint(cwd)} Make one with "npx signalbox init", or name one in SIGNALBOX_CONFIG.`,
  )
}

async function namedConfig(file: string): Promise<string> {
  const field = 'SIGNALBOX_CONFIG'
  if ((await kindOf(file)) === null)
    throw new ConfigError('config_not_found', `${field} names ${file}, which is not there.`, {
      field,
    })
  return fileAt(file, dirname(file))
}

async function fileAt(file: string, from: string): Promise<string> {
  if ((await kindOf(file)) !== 'folder') return file
  throw new ConfigError(
    'config_unreadable',
    `${shownFile(file, from)} is a folder. A configuration is a file.`,
  )
}

async function configsIn(folder: string): Promise<readonly string[]> {
  const found: string[] = []
  for (const name of names) if ((await kindOf(join(folder, name))) !== null) found.push(name)
  return found
}

/** What cannot be looked at is there: reading it says why. */
const kindOf = (file: string): Promise<'file' | 'folder' | null> =>
  stat(file).then(
    (facts) => (facts.isDirectory() ? 'folder' : 'file'),
    (error: NodeJS.ErrnoException) =>
      error.code === 'ENOENT' || error.code === 'ENOTDIR' ? null : 'file',
  )

/** A file of the same name with another ending, or a configuration further up. */
async function hint(cwd: string): Promise<string> {
  const there = await readdir(cwd).catch((): string[] => [])
  const other = there.find((name) => /^signalbox\.config\./i.test(name))
  if (other !== undefined) return ` ${other} is none of these.`
  for (let dir = dirname(cwd), n = 0; n < foldersUp; dir = dirname(dir), n += 1) {
    const [above] = await configsIn(dir)
    if (above !== undefined) return ` There is ${join(dir, above)}: change into that folder.`
  }
  return ''
}
