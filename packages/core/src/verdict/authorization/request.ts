/**
 * Tool authorization, evidence and answer: what a policy is asked about one call, and what it says. Identity is the
 * server's: nothing here comes from the model but `tool` and `args`, and nothing from a client's body but `fields`.
 */
import { z } from 'zod'
import type { JsonObject } from '../../json.ts'
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

/** The answers of a policy. `warn` allows, and leaves `policy.warned` in the log. */
export const PolicyEffectWord = z.enum(['allow', 'warn', 'deny', 'require_approval'])
export type PolicyEffectWord = z.infer<typeof PolicyEffectWord>

/** Why, for machines and for people. The first reason is the one the model reads. */
export const PolicyReason = z.object({
  /** A stable code, e.g. `oap.tool_not_allowed`. */
  code: z.string().min(1).max(100),
  message: z.string().max(500),
})
export type PolicyReason = z.infer<typeof PolicyReason>

/** A policy's answer about one call. */
export const PolicyAnswer = z.object({
  effect: PolicyEffectWord,
  reasons: z.array(PolicyReason).max(16),
  policyId: z.string().max(200),
  /** Names the text of the policy: `sha256:<hex>`; empty where nobody knows it. */
  policyDigest: z.string().max(200),
})
export type PolicyAnswer = z.infer<typeof PolicyAnswer>

/** Answers at once and always the same for the same request: such a policy is asked inside the decision. */
export type PureEvaluator = (request: PolicyRequest) => PolicyAnswer
