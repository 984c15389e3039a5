/**
 * Input of a run that goes on. It is kept, and the model is shown it before the next turn: then every call of the turn
 * before has its result, and the answer before it is whole.
 *
 * J1 Nothing that was said is passed over: a run whose answer would be its last begins one more turn instead.
 * J2 What a run never came to show the model, it says so when it ends, whatever it ends as.
 */
import type { Verdict } from '../../event/decision.ts'
import { grown } from '../../verdict/context/room.ts'
import type { RunContext } from '../context.ts'
import { quiet, type Step } from './step.ts'

export const keepInput: Step = ({ context, event }) => {
  const bytes = event.type === 'input.injected' ? event.fact.payload.bytes : 0
  const room = context.room && grown(context.room, bytes)
  return quiet({ ...context, room, injected: event.fact.seq })
}

/** The input that the turn which begins now is shown. */
export function takenInput({ injected, turn }: RunContext): readonly Verdict[] {
  if (injected === 0) return []
  const payload = { turn: turn + 1, through: injected }
  return [{ type: 'input.taken', payload, tool: null, verdict: 'taken' }]
}

/** The input that is left when a run ends. */
export function leftVerdicts({ injected }: RunContext): readonly Verdict[] {
  if (injected === 0) return []
  return [{ type: 'input.left', payload: { through: injected }, tool: null, verdict: 'left' }]
}
