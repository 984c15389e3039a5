/**
 * The clock of a run: the time in which it was active, against which its timeout is measured.
 *
 * C1 It stands still while nothing of the run can move without a human, and while only runs that it has started move: these
 *    have clocks of their own, and what they were active for is added when they end, parallel ones once. It never counts
 *    less than the time in which anything moved, nor more than went by.
 * C2 A clock that went backwards adds nothing.
 */
import type { AgentDefinition } from '../definition.ts'
import type { Timer } from '../effect.ts'
import type { RunContext } from './context.ts'
import type { Emission } from './plan.ts'

/** The timer that ends a run which is active for too long. */
export const timeoutTimer = 'timeout'

const isStuck = (state: string, context: RunContext, moving: readonly string[]): boolean => {
  const open = Object.values(context.open)
  const moves = open.some((call) => moving.includes(call.status))
  if (state === 'approval' || state === 'input') return !moves
  return state === 'tools' && open.length > 0 && !moves
}

/** A run waits for a human when nothing of it, or of the runs it has started, is under way. */
export const isWaiting = (state: string, context: RunContext): boolean =>
  isStuck(state, context, ['running', 'child'])

/** Does the run itself do nothing? */
export const isAtRest = (state: string, context: RunContext): boolean =>
  state === 'queued' || isStuck(state, context, ['running'])

/** The clock of a run, advanced to `at`: rest stops it, and its timeout timer with it. */
export function keepTime(
  agent: AgentDefinition,
  before: RunContext,
  now: { readonly atRest: boolean; readonly final: boolean; readonly at: number },
): {
  readonly time: Pick<RunContext, 'activeMs' | 'since' | 'restedAt'>
  readonly emission: Emission
} {
  const running = before.since !== null
  const shouldRun = !now.atRest && !now.final
  const { activeMs, since, restedAt } = before
  if (running === shouldRun) return { time: { activeMs, since, restedAt }, emission: {} }
  if (shouldRun) {
    return {
      time: { activeMs, since: now.at, restedAt: hasChild(before) ? restedAt : 0 },
      emission: { timers: [timeoutIn(agent, before, now.at)] },
    }
  }
  return {
    time: {
      activeMs: activeAt(before, now.at),
      since: null,
      restedAt: now.at - unseenAt(before, now.at),
    },
    emission: { clearTimers: [timeoutTimer] },
  }
}

const hasChild = ({ open }: RunContext): boolean =>
  Object.values(open).some((call) => call.status === 'child')

/** Rest in which children may have been active, and which is not part of `activeMs`; milliseconds. */
const unseenAt = ({ since, restedAt }: RunContext, at: number): number =>
  restedAt === 0 ? 0 : Math.max(0, (since ?? at) - restedAt)

/**
 * Adds what a child was active for, as far as there is rest that it may have been active in: the time in which the clock
 * ran is the run's own. When it was active nobody says, so that which is left stays for the other children.
 */
export function addActivity(
  context: RunContext,
  { activeMs, at }: { readonly activeMs: number; readonly at: number },
): Pick<RunContext, 'activeMs' | 'restedAt'> {
  const added = Math.min(activeMs, unseenAt(context, at))
  return { activeMs: context.activeMs + added, restedAt: context.restedAt + added }
}

/** How long the run has been active at `at`. */
export const activeAt = ({ activeMs, since }: RunContext, at: number): number =>
  activeMs + (since === null ? 0 : Math.max(0, at - since))

/** The timeout timer, set to what is left of the run's time. */
export const timeoutIn = (agent: AgentDefinition, context: RunContext, at: number): Timer => ({
  id: timeoutTimer,
  afterMs: Math.max(0, agent.limits.timeoutMs - activeAt(context, at)),
})
