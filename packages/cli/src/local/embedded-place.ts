/** Finds the embedded database of a folder, and the server that may run on it already. */
import { createHash } from 'node:crypto'
import { access, readFile } from 'node:fs/promises'
import { basename, join, resolve } from 'node:path'
import { readEnvironment } from '@signalbox/server'
import type { Shell } from '../shell.ts'

export interface EmbeddedPlace {
  /** The directory of the embedded Postgres. */
  readonly dir: string
  readonly exists: boolean
  /** Process that owns it, null if none does. */
  readonly owner: number | null
  /** Of the running server, for its superuser, with the password: never show it. Null: none runs, or not for us. */
  readonly url: string | null
}

/** Looks for it. @throws ConfigError */
export async function findEmbedded(shell: Shell): Promise<EmbeddedPlace> {
  const dataDir = resolve(shell.cwd, readEnvironment(shell.env).dataDir)
  const dir = join(dataDir, 'postgres')
  // Where root's Postgres cannot enter the folder, a server keeps its data here instead.
  const fallback = join('/var/lib/signalbox', name(dir, 16), `${basename(dir)}-${name(dir, 12)}`)
  for (const place of [dir, fallback])
    if (await isThere(join(place, 'cluster', 'PG_VERSION')))
      return { dir: place, exists: true, owner: await ownerOf(place), url: await urlOf(place) }
  return { dir, exists: false, owner: await ownerOf(dir), url: null }
}

const name = (text: string, chars: number): string =>
  createHash('sha256').update(text).digest('hex').slice(0, chars)

const isThere = (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  )

async function ownerOf(dir: string): Promise<number | null> {
  const text = await readFile(join(dir, 'owner.json'), 'utf8').catch(() => '')
  const pid = Number(/"pid":(\d+)/.exec(text)?.[1] ?? Number.NaN)
  return Number.isSafeInteger(pid) && isAlive(pid) ? pid : null
}

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function urlOf(dir: string): Promise<string | null> {
  const text = await readFile(join(dir, 'cluster', 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.trim())
  const port = lines[3]
  const password = await readFile(join(dir, 'password'), 'utf8').catch(() => '')
  if (!port || lines[7] !== 'ready' || password === '') return null
  return `postgresql://postgres:${password.trim()}@127.0.0.1:${port}/postgres`
}
