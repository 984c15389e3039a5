/** A server that is a single process, with a Postgres of its own: that dies, or the disk under both of them is full. */
import { readFile } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { serverLog } from '../child.ts'
import { families } from '../families.ts'
import type { Fault } from '../schedule.ts'
import type { Stack } from '../stack.ts'
import { dayViolations } from './check.ts'
import { atWork, crowd } from './crowd.ts'
import { settleMs } from './outages.ts'
import type { SmallDisk } from './small-disk.ts'

const deaths = 3
const betweenMs = 4_000
const fullMs = 15_000
const lookMs = 500
/** A server that died is started again, with growing delays while its disk is full. */
const startsMs = 30_000

const fault = (name: string, play: Fault['play']): Fault => ({
  name,
  waves: ['work'],
  parts: [...families, crowd(1)],
  patienceMs: startsMs + settleMs,
  settleMs: startsMs + settleMs,
  play,
  missed: () => Promise.resolve([]),
  check: dayViolations,
})

function diskOf({ disk }: Stack): SmallDisk {
  if (!disk) throw new Error('this stack has no disk of its own')
  return disk
}

/** Of what the log should say, what it does not. A line may be cut off; the next one begins at a new line. */
async function missing(stack: Stack, messages: readonly string[]): Promise<readonly string[]> {
  const log = await readFile(serverLog(diskOf(stack).dir), 'utf8')
  return [
    ...(/[^\n]\{"level":/.test(log) ? ['the log has two messages in one line'] : []),
    ...messages
      .filter((message) => !log.includes(message))
      .map((message) => `the log does not say "${message}"`),
  ]
}

const postgresDies: Fault = {
  ...fault('the embedded Postgres is killed', async (stack) => {
    await atWork(stack)
    for (let n = 0; n < deaths; n++) {
      kill(await stack.postgresPid())
      await sleep(betweenMs)
    }
  }),
  missed: (stack) =>
    missing(stack, ['the embedded Postgres ended by itself', 'the embedded Postgres runs again']),
}

const diskIsFull: Fault = {
  ...fault('the disk is full', async (stack) => {
    await atWork(stack)
    const disk = diskOf(stack)
    const until = performance.now() + fullMs
    // Again and again: what Postgres gives back is filled as well.
    while (performance.now() < until) {
      await disk.fill()
      await sleep(lookMs)
    }
    await disk.free()
  }),
  missed: (stack) => missing(stack, ['lines of the log were dropped']),
}

/** One that a loaded machine has not started again yet needs no killing. */
function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch {}
}

export const aloneDays: readonly Fault[] = [postgresDies, diskIsFull]
