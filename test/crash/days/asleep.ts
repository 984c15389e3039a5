/**
 * A worker that sleeps for longer than its lease: with a call begun, or claimed and not begun. What it had is taken over
 * meanwhile; awake again, it must begin nothing of it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { readFile } from 'node:fs/promises'
import type { Child } from '../child.ts'
import type { Fault } from '../schedule.ts'
import type { Stack } from '../stack.ts'
import { soon } from '../sending.ts'
import { readWorld } from '../world.ts'
import { dayViolations } from './check.ts'
import { crowd } from './crowd.ts'
import { leaseMs, settleMs } from './outages.ts'

/** Past the lease, and long enough for others to take over. */
const asleepMs = leaseMs + 5_000

/** What it claims first may take a loaded machine a while. */
const lookMs = 100
const triesMax = 600

/** Where the worker goes to sleep: while a tool runs, or right after the answer of a port. */
export const places = {
  'a call begun': null,
  'a call claimed and not begun': 'worker.register.append(claim).after',
  'a call about to be judged again': 'worker.policyHost.recheck.before',
  'a call that was judged again': 'worker.policyHost.recheck.after',
} as const

export const asleep = (where: keyof typeof places): Fault => {
  let isAsleep = false
  return {
    name: `a worker sleeps past its lease with ${where}`,
    waves: ['work'],
    parts: [crowd(1)],
    blame: 'its worker slept past the lease',
    patienceMs: asleepMs + settleMs,
    settleMs,
    async play(stack, middle) {
      isAsleep = false
      const worker = stack.child('worker')
      await fallAsleep(stack, worker, { where, middle })
      // A signal takes a loaded machine a while, too.
      for (let n = 0; n < triesMax && !(await isStopped(worker)); n++) await sleep(lookMs)
      isAsleep = await isStopped(worker)
      // Another one takes over, so that the first one wakes up to calls that are not its own.
      await stack.addWorker()
      await sleep(asleepMs)
      worker.signal('SIGCONT')
    },
    missed: () => Promise.resolve([]),
    check: (runs, executions) => [
      ...dayViolations(runs, executions),
      ...(isAsleep ? [] : ['the worker did not fall asleep']),
    ],
  }
}

async function fallAsleep(
  stack: Stack,
  worker: Child,
  { where, middle }: { readonly where: keyof typeof places; readonly middle: () => Promise<void> },
): Promise<void> {
  const point = places[where]
  if (point !== null) {
    await worker.arm({ point, hit: 1, signal: 'SIGSTOP' })
    return
  }
  await middle()
  await soon(async () => readWorld(stack.world).some(({ tool }) => tool === 'linger'))
  worker.signal('SIGSTOP')
}

/** As the system says. */
async function isStopped({ pid }: Child): Promise<boolean> {
  if (pid === undefined) return false
  const stat = await readFile(`/proc/${pid}/stat`, 'utf8').catch(() => '')
  return stat.slice(stat.lastIndexOf(')') + 2).startsWith('T')
}
