/**
 * How a rerun ends for want of a recorded result. The calls beside the one that is missed are looked up as well, which does
 * nothing in the world: nobody waits for them.
 */
import { rerunStopped } from '../verdict/recall/event.ts'
import { type Args, change } from './change.ts'
import { messageId } from './context.ts'
import type { Emission } from './plan.ts'

/** The words stand in the place of the answer that is not given. */
export const stoppedEmission = ({ context, event }: Args): Emission =>
  event.type === 'recall.missed'
    ? {
        verdicts: [rerunStopped(event.fact.payload, messageId(context.run, context.turn + 1))],
      }
    : {}

export const stopRerun = change(({ context }) => ({ ...context, open: {}, ending: 'failed' }))
