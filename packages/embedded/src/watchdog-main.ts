/**
 * Program of the watchdog process: waits for the end of its standard input, then, unless it was dismissed, stops the
 * server. Arguments: the data directory and the milliseconds of a fast shutdown.
 *
 * W1 It acts under the owner's lock only. Is the lock taken, there is a new owner, and the server is his.
 */
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'

import { EmbeddedPostgresError } from './errors.ts'
import { type Layout, layoutOf } from './layout.ts'
import { findOrphan } from './orphan.ts'
import { type OwnerLock, takeOwnerLock } from './owner-lock.ts'
import { stopPostmaster } from './stop-postmaster.ts'

/** How long a server that was just spawned may take to write its pid file. */
const birthMs = 2000

const [dir = '', stopMs = ''] = process.argv.slice(2)
const said = (await text(process.stdin)).split('\n')
if (!said.includes('dismissed'))
  await clean(layoutOf(dir), said.findLast(Boolean) === 'runs' ? 0 : birthMs)

async function clean(layout: Layout, waitMs: number): Promise<void> {
  const lock = await tryLock(layout)
  if (lock === null) return
  const deadline = Date.now() + waitMs
  for (;;) {
    const orphan = await findOrphan(layout.cluster)
    if (orphan !== null) await stopPostmaster(orphan.pid, layout.cluster, Number(stopMs))
    if (orphan !== null || Date.now() >= deadline) break
    await sleep(20)
  }
  await lock.release()
}

async function tryLock(layout: Layout): Promise<OwnerLock | null> {
  try {
    return await takeOwnerLock(layout, 'cleaner', 0)
  } catch (error) {
    if (error instanceof EmbeddedPostgresError && error.code === 'data_dir_in_use') return null
    throw error
  }
}
