/**
 * What a transition of the run machine does: one function of the context and the fact at hand, which gives the context after it and
 * what it asks for. A transition has one step; a step that is made of others says so in its body, in their order.
 */
import { enqueueActions } from 'xstate'
import type { MachineEvent, RunContext } from '../context.ts'
import type { Emission } from '../plan.ts'

export interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

/** The context after a transition, and what is asked for by it. */
export interface Taken {
  readonly context: RunContext
  readonly emission: Emission
}

export type Step = (args: Args) => Taken

/** A step that asks for nothing. */
export const quiet = (context: RunContext): Taken => ({ context, emission: {} })

/** The one action of the chart that is no assign: `decide` collects its params. */
export interface Emit {
  readonly type: 'emit'
  readonly params: Emission
}

/** A step as an action of the chart. */
export const acting = (step: Step) =>
  enqueueActions<
    RunContext,
    MachineEvent,
    undefined,
    MachineEvent,
    never,
    Emit,
    never,
    never,
    never
  >(({ context, event, enqueue }) => {
    const taken = step({ context, event })
    enqueue.assign(() => taken.context)
    enqueue({ type: 'emit', params: taken.emission })
  })
