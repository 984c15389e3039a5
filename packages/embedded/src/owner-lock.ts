/**
 * One owner per data directory.
 *
 * L1 The lock is the kernel's (SQLite's exclusive file lock): it ends with the process, however the process ends, so
 *    there is no stale lock, no take-over race, and pids of another container cannot deceive it.
 * L2 `owner.json` only names the holder for the error message. It may be old for a moment, never decisive.
 */
import { chmod, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { DatabaseSync } from 'node:sqlite'
import { setTimeout as sleep } from 'node:timers/promises'

import { EmbeddedPostgresError } from './errors.ts'
import type { Layout } from './layout.ts'
import { lookUpProcess } from './process-facts.ts'

/** A held lock. */
export interface OwnerLock {
  release(): Promise<void>
}

/** `cleaner`: the watchdog of a dead owner, gone in a moment. Worth waiting for, unlike an owner. */
export type LockRole = 'owner' | 'cleaner'

const sqliteBusy = 5
const retryMs = 25

// A lock must outlive a caller who drops his reference: garbage collection would open it.
const held = new Set<DatabaseSync>()

/**
 * Takes the lock of a data directory.
 *
 * @param waitMs how long to wait for a holder that is about to go
 * @throws EmbeddedPostgresError `data_dir_in_use`
 */
export async function takeOwnerLock(
  layout: Layout,
  role: LockRole,
  waitMs: number,
): Promise<OwnerLock> {
  const deadline = Date.now() + waitMs
  for (;;) {
    const database = tryLock(layout.lock)
    if (database !== null) {
      held.add(database)
      await announce(layout, role)
      return { release: () => release(layout, database) }
    }
    const owner = await liveHolder(layout)
    if (owner?.role === 'owner' || Date.now() >= deadline) {
      throw inUse(layout.dir, owner?.pid ?? null)
    }
    await sleep(retryMs)
  }
}

function tryLock(file: string): DatabaseSync | null {
  const database = new DatabaseSync(file, { timeout: 0 })
  try {
    database.exec('PRAGMA journal_mode = MEMORY; BEGIN EXCLUSIVE')
    return database
  } catch (error) {
    database.close()
    if (error instanceof Error && 'errcode' in error && error.errcode === sqliteBusy) return null
    throw error
  }
}

async function announce(layout: Layout, role: LockRole): Promise<void> {
  await chmod(layout.lock, 0o600)
  const startedAt = (await lookUpProcess(process.pid))?.startedAt ?? ''
  const draft = `${layout.owner}.${process.pid}`
  await writeFile(draft, JSON.stringify({ pid: process.pid, startedAt, role }), { mode: 0o600 })
  await rename(draft, layout.owner)
}

async function release(layout: Layout, database: DatabaseSync): Promise<void> {
  if (!held.delete(database)) return
  await rm(layout.owner, { force: true })
  database.close()
}

async function liveHolder(layout: Layout): Promise<{ pid: number; role: LockRole } | null> {
  try {
    const said: unknown = JSON.parse(await readFile(layout.owner, 'utf8'))
    if (typeof said !== 'object' || said === null) return null
    if (!('pid' in said && 'startedAt' in said && 'role' in said)) return null
    const { pid, startedAt, role } = said
    if (typeof pid !== 'number' || !Number.isSafeInteger(pid) || pid < 1) return null
    if ((await lookUpProcess(pid))?.startedAt !== startedAt) return null
    return { pid, role: role === 'owner' ? 'owner' : 'cleaner' }
  } catch {
    return null
  }
}

function inUse(dir: string, pid: number | null): EmbeddedPostgresError {
  const who = pid === null ? 'another process' : `process ${pid}`
  return new EmbeddedPostgresError(
    'data_dir_in_use',
    `The data directory ${dir} is in use by ${who}. Stop that process, give this one another data ` +
      'directory, or let both use one server through DATABASE_URL.',
    pid === null ? {} : { pid },
  )
}
