/**
 * Decisions: what the machine made of the facts so far. One `run.transitioned` per decision, plus one event per
 * notable verdict, so that auditors can query it. A pass costs no row.
 */
import { z } from 'zod'
import { Effect, Timer } from '../effect.ts'
import { Outcome, StateName } from '../outcome.ts'
import { AfterRefusal } from '../definition.ts'
import {
  ModelFailure,
  Redaction,
  SafetyEvidence,
  StreamVerdict,
  SuppressedCall,
  Trip,
  TurnCut,
} from '../turn.ts'
import { LoopLayer } from '../loop-layer.ts'
import { used } from '../budget.ts'
import { MissedRecall } from '../missed-recall.ts'
import { PolicyReason } from '../policy-answer.ts'
import { Moment } from '../room-measure.ts'
import { QuestionForm, questionKinds } from '../question/spec.ts'
import { Todos } from '../todo/spec.ts'

/** Text that the decider puts in the place of calls that are not executed, and the message it belongs to. */
const forced = { messageId: z.string().default(''), text: z.string().default('') }
const called = { callId: z.string(), tool: z.string(), argsHash: z.string() }
const loop = {
  layer: LoopLayer.default('identical_call_set'),
  set: z.string(),
  tools: z.array(z.string()),
  count: z.number().int(),
  threshold: z.number().int().default(0),
}
const policy = { policyId: z.string().optional(), policyDigest: z.string().optional() }

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
    /** Whoever decided could not evaluate pinned policies, so these denied. Only in a decision that takes the run to its end. */
    withoutPolicies: z.literal(true).optional(),
  }),
  /** A provider stopped for safety: what was seen, and which calls were taken out. Never their arguments (I23). */
  'safety.suppressed': z.object({
    turn: z.number().int(),
    messageId: z.string(),
    evidence: z.array(SafetyEvidence),
    calls: z.array(SuppressedCall),
    explanation: z.string(),
    /** What later requests of the thread show of it, by the agent's policy. */
    context: AfterRefusal.default('keep'),
  }),
  /** A turn ended without a positive close for another reason than safety; its calls were taken out. */
  'turn.cut': z.object({
    turn: z.number().int(),
    messageId: z.string(),
    verdict: StreamVerdict,
    calls: z.array(SuppressedCall),
    explanation: z.string(),
    context: AfterRefusal.default('keep'),
    /** Why the close was not believed, where the provider reported no error. */
    reason: TurnCut.optional(),
    /** Why the model could not answer; absent where it did, and in logs of older builds. */
    error: ModelFailure.optional(),
  }),
  /** An answer reached its length limit, or broke off for good, and the model may go on in another turn. */
  'turn.continued': z.object({ turn: z.number().int(), messageId: z.string(), text: z.string() }),
  /** An answer after tool results said nothing, twice: the run has no answer to show. */
  'answer.missing': z.object({ turn: z.number().int(), messageId: z.string(), text: z.string() }),
  /** A stream guardrail ended an attempt; the model reads the feedback and tries again. */
  'guardrail.tripped': z.object({
    turn: z.number().int(),
    /** 1 for the first correction of the turn. */
    correction: z.number().int(),
    messageId: z.string(),
    trip: Trip,
    calls: z.array(SuppressedCall),
  }),
  /** A stream guardrail ended the run: it said stop, or the corrections are used up. */
  'guardrail.stopped': z.object({
    turn: z.number().int(),
    corrections: z.number().int(),
    messageId: z.string(),
    trip: Trip,
    calls: z.array(SuppressedCall),
    explanation: z.string(),
  }),
  /** A stream guardrail took something out of an answer, of a call's arguments or of its result, before that was recorded. */
  'guardrail.redacted': z.object({ turn: z.number().int(), ...Redaction.shape }),
  /** A model call will be made again. */
  'model.retried': z.object({
    turn: z.number().int(),
    retry: z.number().int(),
    class: z.string(),
    message: z.string(),
    delayMs: z.number().int(),
    /** The same without words of the provider; absent where the model answered, and in logs of older builds. */
    error: ModelFailure.optional(),
  }),
  /** The turn goes on with another model. */
  'model.replaced': z.object({
    turn: z.number().int(),
    from: z.string(),
    to: z.string(),
    class: z.string(),
    message: z.string(),
    /** Images of the request that the model which takes over is not shown: it takes none. Absent: there are none. */
    images: z.number().int().min(1).optional(),
    /** The same without words of the provider; absent in logs of older builds. */
    error: ModelFailure.optional(),
  }),
  /** A call will not be executed; the model reads why as the call's result. */
  'call.denied': z.object({
    callId: z.string(),
    tool: z.string(),
    code: z.string(),
    message: z.string(),
    ...policy,
    /** All reasons, where a policy gave more than one. */
    reasons: z.array(PolicyReason).optional(),
  }),
  /** A policy lets a call pass, and says why somebody should look at it. One for each policy that warns. */
  'policy.warned': z.object({
    ...called,
    code: z.string(),
    message: z.string(),
    ...policy,
    /** All reasons, where the policy gave more than one. */
    reasons: z.array(PolicyReason).optional(),
  }),
  /** The audit of `bash` flags a script: the call may run, and the model reads the line behind its result. One for each rule. */
  'call.flagged': z.object({
    callId: z.string(),
    tool: z.string(),
    /** The id of the rule, e.g. `bash.sudo`. */
    rule: z.string(),
    /** Never words of the script. */
    message: z.string(),
    ...policy,
  }),
  /** A policy could not answer. The agent's `failClosed` says whether it denied the call, or had no say. */
  'policy.faulted': z.object({
    callId: z.string(),
    tool: z.string(),
    policyId: z.string(),
    message: z.string(),
  }),
  /** A human must approve exactly these arguments. */
  'approval.requested': z.object({
    ...called,
    approvalId: z.string().default(''),
    ...policy,
    reason: z.string().default(''),
    /** Milliseconds since the epoch; then the request is rejected. */
    expiresAt: z.number().nullable().default(null),
  }),
  /** A human's earlier approval of this tool with these arguments stands for this call too. */
  'approval.reused': z.object({
    ...called,
    scope: z.enum(['run', 'always']),
  }),
  /** A call of a rerun that a human would have to approve: nothing executes, so nobody is asked. */
  'approval.skipped': z.object({
    ...called,
    ...policy,
    reason: z.string().default(''),
  }),
  /** Nobody answered in time: the call is rejected. */
  'approval.expired': z.object({ callId: z.string(), tool: z.string(), approvalId: z.string() }),
  /** The model goes in circles; `layer` says which check saw it. It is told so in the next request. */
  'loop.warned': z.object({ ...loop, text: forced.text }),
  /** The set was refused before anything of it executed, and the run ends. */
  'loop.stopped': z.object({
    ...loop,
    ...forced,
  }),
  /** Most of a limit is used; the model is told so in the next request, once. */
  'budget.warned': z.object({ ...used, text: z.string() }),
  /** A limit of the agent was reached. */
  'budget.exhausted': z.object({ ...used, ...forced }),
  /** A rerun asked for a call whose result was never recorded: it ends as `failed`, and nothing was executed. */
  'rerun.stopped': z.object({
    callId: z.string(),
    tool: z.string(),
    code: z.literal('call_not_recorded'),
    reason: MissedRecall,
    recorded: z.number().int().min(0),
    ...forced,
  }),
  /**
   * The conversation weighs too much for the model's window. From this turn on, one line stands in the place of each result before
   * `through`, and head and tail in that of each long message. The log keeps all of it.
   */
  'context.pruned': z.object({
    turn: z.number().int(),
    /** The part of the conversation up to this event may give way. */
    through: Moment,
    /** Results that give way, by the measure of the request. */
    results: z.number().int().min(0),
    /** Long messages that do. */
    inputs: z.number().int().min(0),
    /** Images of the request that do, oldest first and wherever they stand. Absent: none. */
    images: z.number().int().min(1).optional(),
    /** The next request, as it was estimated. */
    tokens: z.object({ before: z.number().int(), after: z.number().int() }),
    /** Which of them do. */
    rule: z.object({
      minChars: z.number().int(),
      exclude: z.array(z.string()),
      wordsChars: z.number().int(),
      ownChars: z.number().int(),
      readable: z.boolean(),
      /** So many of the newest images stay. Absent: all. */
      images: z.number().int().min(0).optional(),
    }),
  }),
  /** The request does not fit the model's window, and nothing is left that could make it lighter: the run ends. */
  'context.exhausted': z.object({
    turn: z.number().int(),
    /** Of the request; null where they were not kept. */
    tokens: z.number().int().nullable(),
    /** Null: nobody knows it. */
    window: z.number().int().nullable(),
    /** Steps that were tried for this turn to make the request lighter. */
    tried: z.array(z.enum(['prune', 'compact'])),
    ...forced,
  }),
  /** The model wrote its plan anew; the result of the call says how much of it is open. */
  'todo.written': z.object({
    callId: z.string(),
    turn: z.number().int(),
    /** The whole list, as the model wrote it. */
    todos: Todos,
    /** Items that are not completed. */
    open: z.number().int().min(0),
  }),
  /** The run would have completed with items of the plan open: the model is told so, and asked once more. */
  'todo.reminded': z.object({
    turn: z.number().int(),
    /** 1 for the first reminder of the run. */
    nth: z.number().int(),
    /** Items that are not completed. */
    open: z.number().int(),
    /** The words that the model reads. */
    text: z.string(),
  }),
  /** The model asks the person it works for; the call waits for `input.answered`. */
  'input.requested': z.object({
    callId: z.string(),
    argsHash: z.string(),
    turn: z.number().int(),
    /** The words of the model. */
    question: z.string(),
    /** Why it asks. */
    why: z.string().optional(),
    /** How it is answered: in words, by one of `options`, or by the values of `form`. */
    kind: z.enum(questionKinds),
    /** The answers to choose one of. */
    options: z.array(z.string()).optional(),
    /** The fields to fill in. */
    form: QuestionForm.optional(),
    /** Milliseconds since the epoch; then the run goes on without an answer. */
    expiresAt: z.number(),
  }),
  /** Nobody answered in time: the model reads `text` as the result of the call. */
  'input.expired': z.object({
    callId: z.string(),
    /** The words that the model reads. */
    text: z.string(),
  }),
  /** A skill is loaded: its instructions stand in the conversation, its files can be read. Once for each skill of a run. */
  'skill.activated': z.object({
    name: z.string(),
    /** Of its files, as they were read. */
    digest: z.string(),
    /** `user`: by the words that the run began with. */
    by: z.enum(['model', 'user']),
    /** The tools of the agent that the skill names as its own; null: it names none. They allow nothing by being named. */
    tools: z.array(z.string()).nullable(),
    /** The call by which the model loaded it. */
    callId: z.string().optional(),
  }),
  /** The model is shown what was said to the run up to this event (`input.injected`), from this turn on. */
  'input.taken': z.object({
    turn: z.number().int(),
    /** The event. */
    through: z.number().int(),
  }),
  /** The run has ended, and the model was not asked again: what was said to it up to this event stays unanswered. */
  'input.left': z.object({
    /** The event. */
    through: z.number().int(),
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
