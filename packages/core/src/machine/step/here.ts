/** Calls that settle in the decision by which they may run: they have no effect, no job and no worker. */
import type { ToolSpec } from '../../definition.ts'
import type { JsonObject } from '../../json.ts'
import { denied } from '../../verdict/authorization/event.ts'
import { engineDenial } from '../../verdict/authorization/judge.ts'
import { todoToolName } from '../../verdict/todo/spec.ts'
import type { RunContext } from '../context.ts'
import type { Taken } from './step.ts'
import { writeTodos } from './todos.ts'

/** A call that may run. */
export interface ClearedHere {
  readonly callId: string
  readonly spec: Pick<ToolSpec, 'name' | 'settles'>
  /** Absent: the fact that let it run does not say them. */
  readonly args: JsonObject | undefined
}

/** Settles it; null for a call that is executed somewhere. */
export function settledHere(
  context: RunContext,
  { callId, spec, args }: ClearedHere,
): Taken | null {
  if (spec.settles !== 'here') return null
  if (spec.name === todoToolName && args) return writeTodos(context, callId, args)
  const answer = engineDenial('invalid_arguments', 'The arguments of this call are not known.')
  return { context, emission: { verdicts: [denied(callId, spec.name, answer)] } }
}
