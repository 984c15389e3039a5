/** The input of judging a call, taken from the fact that brings it. */
import type { FactPayload } from '../event/fact.ts'
import type { Bench } from '../verdict/authorization/judge.ts'
import type { MachineEvent } from './context.ts'

export const benchOf = (
  { agent, run, evaluatorOf, passports, fact }: MachineEvent,
  caller: FactPayload<'model.completed'>['caller'],
): Bench => ({ agent, run, evaluatorOf, passports, caller, at: fact.at })
