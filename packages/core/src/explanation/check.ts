/** The checks of a call, each with the event that proves it: what an explanation is made of. Never arguments, never results. */
import { z } from 'zod'
import { EffectMode } from '../definition.ts'
import { Outcome } from '../outcome.ts'
import { StreamVerdict } from '../turn.ts'
import { Budget } from '../budget.ts'
import { LoopLayer } from '../loop-layer.ts'
import { MissedRecall } from '../missed-recall.ts'
import { PolicyEffectWord, PolicyReason } from '../policy-answer.ts'

/** An event of the run: its number, its type, and when it was recorded. */
export const Proof = z.object({
  seq: z.number().int(),
  type: z.string(),
  /** ISO 8601, by the clock of the process that wrote it. Order is `seq`. */
  at: z.string(),
})
export type Proof = z.infer<typeof Proof>

const proven = { proof: Proof, says: z.string() }

/** Somebody whom the server had authenticated. */
export const PersonNamed = z.object({ id: z.string(), role: z.string().nullable() })

/** Which policy, and the digest that names its text; null where the event has none. */
const policy = { policy_id: z.string().nullable(), policy_digest: z.string().nullable() }

/** How the stream ended that asked for the call. Only `complete` lets a call go on. */
const Close = z.object({
  check: z.literal('close'),
  verdict: StreamVerdict,
  finish: z.string().nullable(),
  provider: z.string(),
  model: z.string(),
  ...proven,
})

/** What stream guardrails did with the arguments. */
const Guardrails = z.object({
  check: z.literal('guardrails'),
  verdict: z.enum(['no_objection', 'redacted']),
  guardrail: z.string().nullable(),
  kind: z.string().nullable(),
  /** Where it stood: the arguments that the model wrote, or the result. */
  place: z.enum(['arguments', 'result']),
  count: z.number().int(),
  ...proven,
})

const Loop = z.object({
  check: z.literal('loop'),
  verdict: z.enum(['no_objection', 'warned', 'stopped']),
  layer: LoopLayer.nullable(),
  count: z.number().int().nullable(),
  threshold: z.number().int().nullable(),
  ...proven,
})

/** `refused`: the whole tree of runs had used it up. */
const BudgetCheck = z.object({
  check: z.literal('budget'),
  verdict: z.enum(['no_objection', 'exhausted', 'refused']),
  budget: Budget.nullable(),
  used: z.number().nullable(),
  limit: z.number().nullable(),
  ...proven,
})

const PolicyCheck = z.object({
  check: z.literal('policy'),
  /** `faulted`: it could not answer. */
  verdict: z.enum([...PolicyEffectWord.options, 'faulted']),
  /** Who was asked: the policies of the pinned definition inside the decision, or those that need I/O. */
  asked: z.enum(['decision', 'evaluation']),
  ...policy,
  reasons: z.array(PolicyReason),
  ...proven,
})

/** A denial that no policy made: an unknown tool, arguments that do not fit, a person's rejection. */
const Denial = z.object({
  check: z.literal('denial'),
  verdict: z.literal('denied'),
  code: z.string(),
  message: z.string(),
  ...proven,
})

const Approval = z.object({
  check: z.literal('approval'),
  /** `reused`: an earlier answer stands. `skipped`: nothing executes in a rerun, so nobody was asked. */
  verdict: z.enum(['asked', 'approved', 'edited', 'rejected', 'expired', 'reused', 'skipped']),
  approval_id: z.string().nullable(),
  args_hash: z.string().nullable(),
  /** `edited`: the hash of the arguments that the person wrote in their place. */
  edited_args_hash: z.string().nullable(),
  scope: z.enum(['once', 'run', 'always']).nullable(),
  /** The writer of the event: a user, a key, or a process. */
  actor: z.string(),
  by: PersonNamed.nullable(),
  note: z.string().nullable(),
  expires_at: z.string().nullable(),
  /** `reused` for the run: the answer that stands. */
  earlier: Proof.nullable(),
  ...proven,
})

const Dispatch = z.object({
  check: z.literal('dispatch'),
  /** `again`: an operator allowed one more attempt. */
  verdict: z.enum(['execute', 'start_run', 'recall', 'again']),
  effect_id: z.string(),
  mode: EffectMode.nullable(),
  queue: z.string().nullable(),
  tool_version: z.string().nullable(),
  args_hash: z.string().nullable(),
  /** The answer of the person that allowed it. */
  approval_seq: z.number().int().nullable(),
  ...proven,
})

const Attempt = z.object({
  check: z.literal('attempt'),
  verdict: z.literal('began'),
  effect_id: z.string(),
  attempt: z.number().int(),
  worker: z.string(),
  ...proven,
})

/** Right before the execution the policies are asked again. Only a denial is recorded. */
const Recheck = z.object({
  check: z.literal('recheck'),
  verdict: z.literal('deny'),
  configuration: z.enum(['pinned', 'current']),
  ...policy,
  reasons: z.array(PolicyReason),
  ...proven,
})

/** What the log says of the end of the call. */
const Settlement = z.object({
  check: z.literal('outcome'),
  verdict: z.enum([
    'completed',
    'failed',
    'aborted',
    'never_started',
    'unknown',
    'happened',
    'not_happened',
    'retry',
    'late',
    'recalled',
    'recall_missed',
    'child_started',
    'child_ended',
    'asked',
    'answered',
    'unanswered',
    'ignored',
    'by_provider',
  ]),
  actor: z.string(),
  attempt: z.number().int().nullable(),
  /** Of a failure, an abort, or what was unknown: one word. The words of tools stand in the event alone. */
  code: z.string().nullable(),
  is_error: z.boolean().nullable(),
  duration_ms: z.number().nullable(),
  child_run_id: z.string().nullable(),
  child_outcome: Outcome.nullable(),
  /** The event of another run that the result was taken from: nothing was executed for it. */
  recalled_from: z.object({ run_id: z.string(), seq: z.number().int() }).nullable(),
  missed: MissedRecall.nullable(),
  /** `ignored`: the event that changed nothing. */
  ignored_seq: z.number().int().nullable(),
  note: z.string().nullable(),
  ...proven,
})

/** An event about the call whose content was erased: what its columns still say. */
const Erased = z.object({
  check: z.literal('erased'),
  /** The `verdict` column. */
  verdict: z.string().nullable(),
  /** The record of the erasure; null where the log holds none. */
  erased_by: Proof.nullable(),
  ...proven,
})

/** A check of a call. */
export const Check = z.discriminatedUnion('check', [
  Close,
  Guardrails,
  Loop,
  BudgetCheck,
  PolicyCheck,
  Denial,
  Approval,
  Dispatch,
  Attempt,
  Recheck,
  Settlement,
  Erased,
])
export type Check = z.infer<typeof Check>
export type Settled = z.infer<typeof Settlement>
