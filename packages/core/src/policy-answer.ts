/** The answer of a policy about one call, as events record it. */
import { z } from 'zod'

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
