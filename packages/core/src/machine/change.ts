/** What the actions of the run machine are: assigns and emissions, functions of the context and the fact at hand. */
import { assign, enqueueActions } from 'xstate'
import type { MachineEvent, RunContext } from './context.ts'
import type { Emission } from './plan.ts'

export interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

export type Change = (args: Args) => RunContext

/** An assign that replaces the whole context. */
export const change = <T = undefined>(f: (args: Args, params: T) => RunContext) =>
  assign<RunContext, MachineEvent, T, MachineEvent, never>((args, params) => f(args, params))

/** The one action of the chart that is no assign: `decide` collects its params. */
export interface Emit {
  readonly type: 'emit'
  readonly params: Emission
}

/** An action that asks for work. It is computed where it stands among the assigns of its transition. */
export const emits = (f: (args: Args) => Emission) =>
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
  >(({ context, event, enqueue }) => enqueue({ type: 'emit', params: f({ context, event }) }))
