/** The input of judging a call, taken from the fact that brings it. */
import type { AgentDefinition } from '../definition.ts'
import type { FactPayload } from '../event/fact.ts'
import type { Bench } from '../verdict/authorization/judge.ts'
import { needsIo } from '../verdict/authorization/spec.ts'
import type { MachineEvent } from './context.ts'

export const benchOf = (
  { agent, run, evaluatorOf, passports, fact }: MachineEvent,
  caller: FactPayload<'model.completed'>['caller'],
): Bench => ({ agent, run, evaluatorOf, passports, caller, at: fact.at })

/** Must policies with I/O be asked before any call of a turn may run? */
export const asksPolicies = (agent: AgentDefinition): boolean =>
  agent.guardrails.policies.some(needsIo)
