/**
 * What a transition of the run machine does: one function of the context and the fact at hand, which gives the context after it and
 * what it asks for. A transition has one step; a step that is made of others says so in its body, in their order.
 */
import { assign } from 'xstate'
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

/**
 * A step as an action of the chart. An assign alone: `enqueueActions` makes eight closures for each call, which V8 keeps with
 * everything they hold until its next full collection (docs/decisions/0056).
 */
export const acting = (step: Step) =>
  assign<RunContext, MachineEvent, undefined, MachineEvent, never>(({ context, event }) => {
    const taken = step({ context, event })
    event.ask(taken.emission)
    return taken.context
  })
