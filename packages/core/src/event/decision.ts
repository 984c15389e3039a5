/**
 * Decisions: what the machine made of the facts so far. One `run.transitioned` per decision, plus one event per
 * notable verdict, so that auditors can query it. A pass costs no row.
 */
import { z } from 'zod'
import { Effect, Timer } from '../effect.ts'
import { Outcome, StateName } from '../outcome.ts'
import { SafetyEvidence, StreamVerdict, SuppressedCall } from '../turn.ts'

/** Payload schemas of decision events by type, newest versions. */
export const decisionSchemas = {
  /** The step itself: states passed, from the first to the last, and what must now be done. */
  'run.transitioned': z.object({
    /** Facts (from, through] are folded by this decision. */
    from: z.number().int(),
    through: z.number().int(),
    path: z.array(StateName),
    outcome: Outcome.nullable(),
    effects: z.array(Effect),
    retries: z.array(z.string()),
    timers: z.array(Timer),
    clearTimers: z.array(z.string()),
  }),
  /** A provider stopped for safety: what was seen, and which calls were taken out. Never their arguments (I23). */
  'safety.suppressed': z.object({
    turn: z.number().int(),
    messageId: z.string(),
    evidence: z.array(SafetyEvidence),
    calls: z.array(SuppressedCall),
    explanation: z.string(),
  }),
  /** A turn ended without a positive close for another reason than safety; its calls were taken out. */
  'turn.cut': z.object({
    turn: z.number().int(),
    messageId: z.string(),
    verdict: StreamVerdict,
    calls: z.array(SuppressedCall),
    explanation: z.string(),
  }),
  /** A model call will be made again. */
  'model.retried': z.object({
    turn: z.number().int(),
    retry: z.number().int(),
    class: z.string(),
    message: z.string(),
    delayMs: z.number().int(),
  }),
  /** A call will not be executed; the model reads why as the call's result. */
  'call.denied': z.object({
    callId: z.string(),
    tool: z.string(),
    code: z.string(),
    message: z.string(),
  }),
  /** A human must approve exactly these arguments. */
  'approval.requested': z.object({
    callId: z.string(),
    tool: z.string(),
    argsHash: z.string(),
  }),
  /** The model asked for the same set of calls again and again. */
  'loop.warned': z.object({ set: z.string(), tools: z.array(z.string()), count: z.number().int() }),
  'loop.stopped': z.object({
    set: z.string(),
    tools: z.array(z.string()),
    count: z.number().int(),
  }),
  /** A limit of the agent was reached. */
  'budget.exhausted': z.object({
    budget: z.enum(['turns', 'calls', 'tokens', 'money', 'time']),
    used: z.number(),
    limit: z.number(),
  }),
  /** A fact arrived that means nothing in the state the run is in; recorded, so that the log says so. */
  'event.ignored': z.object({ seq: z.number().int(), type: z.string(), state: StateName }),
} as const

/** Types of decision events. */
export type DecisionType = keyof typeof decisionSchemas
/** The payload of a decision event of this type. */
export type DecisionPayload<T extends DecisionType> = z.infer<(typeof decisionSchemas)[T]>

/** A notable verdict as the decider emits it. */
export type Verdict = {
  [T in Exclude<DecisionType, 'run.transitioned'>]: {
    readonly type: T
    readonly payload: DecisionPayload<T>
    /** The `tool` column: the tool it is about, if one. */
    readonly tool: string | null
    /** The `verdict` column: one word an auditor can filter by. */
    readonly verdict: string
  }
}[Exclude<DecisionType, 'run.transitioned'>]
