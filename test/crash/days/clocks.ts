/** A process whose clock is an hour ahead, or behind: leases and timers go by the clock of Postgres. */
import type { Role } from '@signalbox/server'
import type { Child } from '../child.ts'
import type { Fault } from '../schedule.ts'
import { atWork, crowd, failedViolations } from './crowd.ts'
import { settleMs } from './outages.ts'

const hourMs = 3_600_000

/** Loaded before the program: `Date` jumps at the signal. */
const jump = (ms: number): string =>
  `data:text/javascript,${encodeURIComponent(`
  const now = Date.now
  let by = 0
  process.on('SIGUSR2', () => { by = ${ms} })
  globalThis.Date = class extends Date {
    constructor(...args) { args.length === 0 ? super(now() + by) : super(...args) }
    static now() { return now() + by }
  }
`)}`

/** One more process, whose clock jumps while it works. */
export function clockJump(role: Role, hours: 1 | -1): Fault {
  let child: Child | null = null
  return {
    name: `the clock of one ${role} jumps by ${hours} h`,
    waves: ['work'],
    parts: [crowd(2)],
    settleMs,
    patienceMs: settleMs,
    prepare: async (stack) => {
      child = stack.add(role, { nodeArgs: ['--import', jump(hours * hourMs)] })
      await child.up()
    },
    play: async (stack) => {
      await atWork(stack)
      child?.signal('SIGUSR2')
    },
    missed: () => Promise.resolve([]),
    // Events and marks of executions say what the clock of their process said: no order follows from them.
    check: failedViolations,
  }
}
