/** What an assign of the run machine is: a function of the context and the fact at hand. */
import { assign } from 'xstate'
import type { MachineEvent, RunContext } from './context.ts'

export interface Args {
  readonly context: RunContext
  readonly event: MachineEvent
}

export type Change = (args: Args) => RunContext

/** An assign that replaces the whole context. */
export const change = <T = undefined>(f: (args: Args, params: T) => RunContext) =>
  assign<RunContext, MachineEvent, T, MachineEvent, never>((args, params) => f(args, params))
