import { join } from 'node:path'

/** Where things stand below the data directory. Only `cluster` belongs to the user who runs Postgres. */
export interface Layout {
  readonly dir: string
  readonly cluster: string
  readonly password: string
  /** Held by a kernel lock. Never open it with `node:fs`: closing any descriptor of it drops the lock. */
  readonly lock: string
  /** Names the holder of the lock, for messages. */
  readonly owner: string
  readonly log: string
}

/** The layout of the data directory `dir`, an absolute path without links. */
export function layoutOf(dir: string): Layout {
  return {
    dir,
    cluster: join(dir, 'cluster'),
    password: join(dir, 'password'),
    lock: join(dir, 'owner.lock'),
    owner: join(dir, 'owner.json'),
    log: join(dir, 'postgres.log'),
  }
}
