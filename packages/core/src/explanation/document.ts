/**
 * The explanation of a run, from its events alone: for each turn how it closed, for each call which checks it passed, in the
 * order in which they were made, and why it ran or did not. Every claim names an event of the run.
 */
import { z } from 'zod'
import { Outcome } from '../outcome.ts'
import { SafetyEvidence, StreamVerdict, TurnCut } from '../turn.ts'
import { Check, PersonNamed, Proof } from './check.ts'

/** Did the call run? `unknown`: the log cannot say, or not yet. */
export const Ran = z.enum(['ran', 'did_not_run', 'unknown'])
export type Ran = z.infer<typeof Ran>

/** The ends of calls, and what each proves: did the call run? Clients see the ends in this order. */
export const proves = {
  completed: 'ran',
  failed: 'ran',
  child_ended: 'ran',
  answered: 'did_not_run',
  unanswered: 'did_not_run',
  happened: 'ran',
  late: 'ran',
  by_provider: 'ran',
  denied: 'did_not_run',
  rejected: 'did_not_run',
  expired: 'did_not_run',
  denied_at_recheck: 'did_not_run',
  loop_stopped: 'did_not_run',
  budget_exhausted: 'did_not_run',
  budget_refused: 'did_not_run',
  recalled: 'did_not_run',
  recall_missed: 'did_not_run',
  not_happened: 'did_not_run',
  refused_by_worker: 'did_not_run',
  never_started: 'did_not_run',
  cut_off: 'did_not_run',
  ignored: 'did_not_run',
  undecided: 'did_not_run',
  waiting_for_approval: 'did_not_run',
  waiting_for_answer: 'did_not_run',
  waiting_for_policies: 'did_not_run',
  waiting: 'did_not_run',
  running: 'unknown',
  aborted: 'unknown',
  unknown: 'unknown',
  erased: 'unknown',
} as const satisfies Readonly<Record<string, Ran>>

const isEnd = (word: string): word is keyof typeof proves => Object.hasOwn(proves, word)

/** How a call ended, in one word. */
export const CallEnd = z.enum(Object.keys(proves).filter(isEnd))
export type CallEnd = z.infer<typeof CallEnd>

/** A call of a run: did it run, why, and the checks that it passed or did not. */
export const ExplainedCall = z.object({
  call_id: z.string(),
  tool: z.string(),
  /** Of the arguments as the model wrote them; null where the event that holds it was erased, or for a provider's own tool. */
  args_hash: z.string().nullable(),
  turn: z.number().int().nullable(),
  /** The answer of the model that asked for it; null where it was erased. */
  asked: Proof.nullable(),
  ran: Ran,
  end: CallEnd,
  /** Why it ran or did not, as a sentence. */
  why: z.string(),
  checks: z.array(Check),
})
export type ExplainedCall = z.infer<typeof ExplainedCall>

/** What a stream guardrail did in an answer. */
export const GuardrailVerdict = z.object({
  verdict: z.enum(['tripped', 'stopped', 'redacted']),
  guardrail: z.string(),
  /** What kind of thing was taken out; null for a trip. */
  kind: z.string().nullable(),
  place: z.string(),
  tool: z.string().nullable(),
  count: z.number().int().nullable(),
  proof: Proof,
})

export type GuardrailVerdict = z.infer<typeof GuardrailVerdict>

/** Calls that were taken out of an answer before they were recorded. None of them ran. */
export const SuppressedCalls = z.object({ tool: z.string(), count: z.number().int() })
export type SuppressedCalls = z.infer<typeof SuppressedCalls>

/** One answer of the model: an attempt of a turn. */
export const ExplainedAnswer = z.object({
  turn: z.number().int().nullable(),
  effect_id: z.string().nullable(),
  /** How the stream ended; `aborted` and `refused`: the model was not asked, or not to its end. */
  verdict: z.enum([...StreamVerdict.options, 'aborted', 'refused', 'erased']),
  finish: z.object({ unified: z.string(), raw: z.string().nullable() }).nullable(),
  provider: z.string().nullable(),
  model: z.string().nullable(),
  evidence: z.array(SafetyEvidence),
  /** Why a close was not believed. */
  cut: TurnCut.nullable(),
  suppressed: z.array(SuppressedCalls),
  guardrails: z.array(GuardrailVerdict),
  /** The calls that were let through to the checks, by id. */
  calls: z.array(z.string()),
  says: z.string(),
  proof: Proof,
  /** What was decided about the answer. */
  decided: z.array(Proof),
})
export type ExplainedAnswer = z.infer<typeof ExplainedAnswer>

/** An event whose content is gone: what its columns say, and which record names it. */
export const ErasedEvent = z.object({
  event: Proof,
  tool: z.string().nullable(),
  verdict: z.string().nullable(),
  actor: z.string(),
  /** The record of the erasure; null where the log holds none. */
  erased_by: Proof.nullable(),
  reason: z.string().nullable(),
})

export type ErasedEvent = z.infer<typeof ErasedEvent>

/** The run: who asked for it, what it is pinned to, how it ended. */
const ExplainedRun = z.object({
  run_id: z.string(),
  thread_id: z.string(),
  agent: z.string().nullable(),
  definition_hash: z.string().nullable(),
  machine: z.string().nullable(),
  machine_version: z.number().int().nullable(),
  created: Proof.nullable(),
  /** The writer of `run.created`: a user, a key, or the client of an open server. */
  actor: z.string().nullable(),
  user: PersonNamed.nullable(),
  end_user: z.string().nullable(),
  parent: z.object({ run_id: z.string(), call_id: z.string() }).nullable(),
  rerun_of: z.string().nullable(),
  retry_of: z.string().nullable(),
  /** Null while it goes on. */
  outcome: Outcome.nullable(),
  why: z.string(),
  /** What the sentence goes back to. */
  proofs: z.array(Proof),
  events: z.number().int(),
})

/** The explanation of a run. */
export const RunExplanation = z.object({
  run: ExplainedRun,
  answers: z.array(ExplainedAnswer),
  calls: z.array(ExplainedCall),
  /** Events whose content is gone. Nothing is said from what they held. */
  erased: z.array(ErasedEvent),
  /** Events that this build cannot read: written by a newer one, or not what their type says. */
  unreadable: z.array(Proof),
})
export type RunExplanation = z.infer<typeof RunExplanation>
