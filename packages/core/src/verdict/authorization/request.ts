/**
 * Tool authorization: what a policy is asked about one call (its answer: `policy-answer.ts`). Identity is the server's: nothing here comes from the model but `tool` and `args`, and nothing from a client's body but `fields`.
 */
import type { JsonObject } from '../../json.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'
import type { JudgedArguments } from './judged.ts'

/** One call, and who makes it. */
export interface PolicyRequest {
  readonly tool: string
  readonly args: JsonObject
  readonly callId: string
  readonly agent: string
  readonly runId: string
  /** What the tool says about its arguments; absent if it says nothing. */
  readonly judged?: JudgedArguments
  /** Present when a policy with I/O is asked; a decision does not know them. */
  readonly tenantId?: string
  readonly threadId?: string
  /** What the client of the run says of it, in the fields that its agent declares. Present when a policy with I/O is asked. */
  readonly fields?: JsonObject
  /** Does the run belong to a run that started it? */
  readonly isSubagent: boolean
  /** The authenticated user the run works for; null if the server knows none. */
  readonly user: { readonly id: string; readonly role: string | null } | null
  /** Milliseconds since the epoch, from the fact that brought the call. */
  readonly at: number
}

/** Answers at once and always the same for the same request: such a policy is asked inside the decision. */
export type PureEvaluator = (request: PolicyRequest) => PolicyAnswer
