/** The clock of a process jumps by an hour, ahead or back, and is right again after its restart. */
import type { Role } from '@signalbox/server'
import type { Fault } from '../schedule.ts'
import { atWork, crowd, failedViolations } from './crowd.ts'
import { settleMs } from './outages.ts'

const hourMs = 3_600_000
const signals = { ahead: 'SIGUSR2', back: 'SIGHUP' } as const

/** Loaded before the program: `Date` jumps at a signal. */
export const jumpingClock: readonly string[] = [
  '--import',
  `data:text/javascript,${encodeURIComponent(`
  const now = Date.now
  let by = 0
  process.on('${signals.ahead}', () => { by = ${hourMs} })
  process.on('${signals.back}', () => { by = ${-hourMs} })
  globalThis.Date = class extends Date {
    constructor(...args) { args.length === 0 ? super(now() + by) : super(...args) }
    static now() { return now() + by }
  }
`)}`,
]

/** The only process of its role, on a stack with jumping clocks. */
export const clockJump = (role: Role, way: keyof typeof signals): Fault => ({
  name: `the clock of the ${role} jumps an hour ${way}`,
  waves: ['work'],
  parts: [crowd(2)],
  settleMs,
  patienceMs: settleMs,
  play: async (stack) => {
    await atWork(stack)
    stack.child(role).signal(signals[way])
  },
  missed: async (stack) => {
    await stack.child(role).kill('restarted to have its clock right')
    return []
  },
  // Events and marks of executions may say what the clock of their process said: no order follows from them.
  check: failedViolations,
})
