/**
 * Runs that a run has started, as changes of its own context: a call waits for one, and what it used counts as used by the run.
 */
import { redacted } from '../../verdict/stream/event.ts'
import { addActivity, timeoutIn } from '../clock.ts'
import { settled } from '../settle.ts'
import { becomes } from './settle.ts'
import { quiet, type Step } from './step.ts'

export const becomeChild: Step = becomes('child')

/** The call is settled; what the child has used, the run has used. Activity that is added while the clock runs brings the timeout nearer. */
export const takeChild: Step = (args) => {
  const { context, event } = args
  if (event.type !== 'child.ended') return quiet(context)
  const { at } = event.fact
  const added = addActivity(context, { activeMs: event.fact.payload.spent.activeMs, at })
  const isNearer = context.since !== null && added.activeMs !== context.activeMs
  const verdicts = redacted(context, event.fact.payload.redactions)
  return {
    context: takeLateChild(args).context,
    emission: {
      ...(verdicts.length > 0 ? { verdicts } : {}),
      ...(isNearer ? { timers: [timeoutIn(event.agent, { ...context, ...added }, at)] } : {}),
    },
  }
}

/** The same for a run that is to end: it has no timeout any more. */
export const takeLateChild: Step = ({ context, event }) => {
  if (event.type !== 'child.ended') return quiet(context)
  const { turns, calls, tokens, cost, activeMs } = event.fact.payload.spent
  return quiet({
    ...settled(context, event),
    ...addActivity(context, { activeMs, at: event.fact.at }),
    childTurns: context.childTurns + turns,
    calls: context.calls + calls,
    tokens: context.tokens + tokens,
    cost: context.cost + cost,
  })
}
