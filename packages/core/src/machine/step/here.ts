/** Calls that settle in the decision by which they may run: they have no effect, no job and no worker. */
import type { ToolSpec } from '../../definition.ts'
import type { JsonObject } from '../../json.ts'
import { denied } from '../../verdict/authorization/event.ts'
import { engineDenial } from '../../verdict/authorization/judge.ts'
import { todoToolName } from '../../todo/spec.ts'
import { questionToolName } from '../../question/spec.ts'
import type { MachineEvent, OpenStatus, RunContext } from '../context.ts'
import { askPerson } from './questions.ts'
import type { Taken } from './step.ts'
import { writeTodos } from './todos.ts'

/** A call that may run. */
export interface ClearedHere {
  readonly callId: string
  readonly argsHash: string
  readonly spec: Pick<ToolSpec, 'name' | 'settles'>
  /** Absent: the fact that let it run does not say them. */
  readonly args: JsonObject | undefined
}

/** How a call goes on that nobody executes. */
export interface SettledHere extends Taken {
  /** It waits for something, as a call that is open. Absent: it is settled. */
  readonly becomes?: OpenStatus
}

/** Lets it go on; null for a call that is executed, or looked up, somewhere. */
export function goesOnHere(
  context: RunContext,
  event: Pick<MachineEvent, 'agent' | 'fact'>,
  { callId, argsHash, spec, args }: ClearedHere,
): SettledHere | null {
  if (spec.settles !== 'here') return null
  if (spec.name === todoToolName && args) return writeTodos(context, callId, args)
  if (spec.name === questionToolName && context.rerun) return null
  if (spec.name === questionToolName && args)
    return askPerson(context, event, { callId, argsHash, args })
  const answer = engineDenial('invalid_arguments', 'The arguments of this call are not known.')
  return { context, emission: { verdicts: [denied(callId, spec.name, answer)] } }
}
