/**
 * Facts: what happened outside the decider. Payload schemas by type, newest version only; older versions are lifted by
 * `upcast.ts`. A fact is idempotent by its key, and folded by exactly one decision (I5).
 */
import { z } from 'zod'
import { JsonObjectSchema } from '../json.ts'
import { Moment, RoomMeasure } from '../room-measure.ts'
import { limits } from '../limits.ts'
import { MemoryChanges } from '../memory/item.ts'
import { LearnRange, PinnedRange } from '../memory/range.ts'
import { PinnedMemory, ShownNotes } from '../memory/shown.ts'
import { ContentPart, EditMessage, ToolOutput, UserMessage } from '../message.ts'
import { Outcome } from '../outcome.ts'
import { ModelError, ModelTurn, Redaction, Usage } from '../turn.ts'
import { PolicyAnswer } from '../policy-answer.ts'
import { used } from '../budget.ts'
import { MissedRecall } from '../missed-recall.ts'
import { SandboxReport } from '../sandbox.ts'
import { GivenAnswer } from '../question/answer.ts'
import { Webhook } from '../webhook.ts'
import { FileChanges } from '../workspace/file-change.ts'

const outcomeOf = { effectId: z.string(), attempt: z.number().int() }
const callOf = { ...outcomeOf, callId: z.string() }
/** A skill, and the digest of the files that were read. */
const loadedSkill = { name: z.string(), digest: z.string() }

/** Somebody the server has authenticated. Never taken from a body. */
const Person = z.object({ id: z.string().max(200), role: z.string().max(200).nullable() })
/** The event that a result was taken from: nothing was executed for it. Absent for what did execute. */
const recalled = z.object({ runId: z.string(), seq: z.number().int().min(1) }).optional()
/** Who a run works for, as policies see it. */
const Caller = z.object({ user: Person.nullable(), isSubagent: z.boolean() })

/** Payload schemas of facts by type, newest versions. */
export const factSchemas = {
  /** The run exists. First event of every run; pins machine and agent definition. */
  'run.created': z.object({
    agent: z.string(),
    definitionHash: z.string(),
    machine: z.string(),
    machineVersion: z.number().int(),
    input: z.array(UserMessage),
    /** What was said elsewhere, before the input and by whomever: only of a thread that has heard nothing. */
    history: z.array(EditMessage).max(limits.editMessagesMax).optional(),
    metadata: JsonObjectSchema,
    /** The authenticated user the run works for. */
    user: Person.optional(),
    /** A stable pseudonym of the end user; what it stands for is nowhere in the register. */
    endUser: z.string().max(200).optional(),
    /** What it does to the runs before it on its thread. Default: it waits for them. */
    multitask: z.enum(['reject', 'interrupt', 'rollback']).optional(),
    /** Not admitted before this long after its creation, by the clock of the register. */
    delayMs: z.number().int().min(1).optional(),
    /** The higher goes first where runs wait for a limit they share. */
    priority: z.number().int().min(-limits.priorityMax).max(limits.priorityMax).optional(),
    /** What it goes on from: right after this event. Default: from the end of the run before it on its thread. */
    base: z.object({ runId: z.string(), seq: z.number().int().min(1) }).optional(),
    /** The run changes the conversation and asks no model: it says these messages and ends. Without any, it only goes back to `base`. */
    edit: z
      .object({
        messages: z.array(EditMessage).max(limits.editMessagesMax),
        /** The changes that a person makes to a memory: only of a run on the thread of one. */
        memory: MemoryChanges.optional(),
      })
      .optional(),
    /** The run has what was said on its thread summed up, and ends. It says nothing, and asks nobody for an answer. */
    compact: z
      .object({
        /** Instructions on what to keep, in the words of the caller; they stand behind ours. */
        instructions: z.string().max(limits.instructionsCharsMax).optional(),
      })
      .optional(),
    /** Files that the run is given, or that it changes as an edit: they belong to the conversation from this event on. */
    files: FileChanges.optional(),
    /** Skills that its user named at the beginning of a message: loaded from here on, with the words that the model reads of each. */
    skills: z
      .array(z.object({ ...loadedSkill, body: z.array(ContentPart) }))
      .max(limits.skillsMax)
      .optional(),
    /**
     * The files that the run begins with: those of another run, as they are after this event of it. Contents are read where they stand, on that
     * one's thread. Absent: none but those of its own conversation.
     */
    filesFrom: z.object({ threadId: z.string(), at: Moment }).optional(),
    /** The run that started this one, for which call; `rootId` is the run at the top, which nobody started. */
    parent: z
      .object({
        runId: z.string(),
        callId: z.string(),
        effectId: z.string(),
        rootId: z.string(),
        depth: z.number().int().min(1),
      })
      .optional(),
    /** The run is a rerun of this one, which has ended: its calls are answered from that log, and execute nothing. */
    rerun: z.object({ runId: z.string() }).optional(),
    /** The run asks once more what this one was asked, which has ended: its calls do execute. */
    retry: z.object({ runId: z.string() }).optional(),
    /** What the client of the run takes for granted when it comes back. Decides nothing. */
    client: z
      .object({
        /** What it asked to be shown; absent where it asked for nothing in particular. */
        streamModes: z.array(z.string().max(40)).max(16).optional(),
        /** The steps that it allowed, as LangGraph counts them; what came of it stands in the definition. */
        recursionLimit: z.number().int().min(1).optional(),
      })
      .optional(),
    /** Nobody is there who could answer a question of the model. Absent: somebody may be, or it asks none. */
    interactive: z.literal(false).optional(),
    /** What its client says of it, in the fields that the agent declares: its tools and policies read them. Decides nothing. */
    fields: JsonObjectSchema.optional(),
    /**
     * Is the thread of the run to have a title when it ends? `made`: it was made of the words of this run. `open`: of those of a run that
     * has not completed so far. Absent: no.
     */
    title: z.enum(['made', 'open']).optional(),
    /** The memory of whom the run works for. Absent: it is shown none, and none is made of it. */
    memory: z
      .object({
        /** The thread of the memory. */
        threadId: z.string(),
        /** Is it learned from when it has completed? Absent: no. */
        learn: z.literal(true).optional(),
        /** Of a rerun: the items that the other run was shown. Absent: those of now. */
        pinned: PinnedMemory.optional(),
      })
      .optional(),
    /** The run learns: from this part of a conversation, into the memory whose thread it is on. */
    learn: LearnRange.optional(),
    /** Who is told of the run. */
    webhooks: z.array(Webhook).max(limits.webhooksMax).optional(),
  }),
  /** The run holds its thread's slot: no other run of the thread is running. */
  'run.admitted': z.object({}),
  /** A provider's stream ended, in whatever way; `turn.verdict` says which. */
  'model.completed': z.object({
    ...outcomeOf,
    turn: ModelTurn,
    /** Digest of the set of calls, order aside, keyed as `argsHash` is; empty without calls. The loop check counts these. */
    callSet: z.string(),
    durationMs: z.number(),
    /** For the jitter of a retry, 0 to 1: the decider has no chance of its own. */
    chance: z.number().min(0).max(1).optional(),
    /** Who the run works for; present where the agent has policies. */
    caller: Caller.optional(),
    /** Calls for which a human's "always" stands. */
    granted: z.array(z.string()).optional(),
    /** The length of the request as JSON, in bytes; present where the agent has a `context`. */
    promptBytes: z.number().int().min(0).optional(),
    /** The weight of the request, and the places at which it could be made lighter. Present where that may soon be needed, or is. */
    room: RoomMeasure.optional(),
    /** Images of the request. Absent: none, or none was made. */
    images: z.number().int().min(1).optional(),
    /** What the requests of the run show beside the conversation, settled with its first call. Absent: nothing, or a fact before says it. */
    pinned: z
      .object({
        /** Items of the memory of whom it works for. */
        memory: PinnedMemory.optional(),
        /** Of a run that learns: the words that it learns from. */
        learned: PinnedRange.optional(),
      })
      .optional(),
  }),
  /** A model call was aborted, or never started, because the run is being cancelled, or has faulted. */
  'model.aborted': z.object(outcomeOf),
  /**
   * A model summed up what was said up to an event: from now on, later requests of the thread begin with that. The log keeps all of it, and a
   * fork from before it reads it whole. One event holds the summary and its place, so neither stands without the other.
   */
  'context.compacted': z.object({
    ...outcomeOf,
    /** Up to this event, the summary stands in the place of what was said. */
    through: Moment,
    /** The answer that begins the oldest turn that is kept. */
    keep: Moment,
    /** The text that a model wrote in the place of that part. */
    summary: z.array(ContentPart).min(1),
    /** Lines from the log about that part, beside its summary: failed calls, files, runs, approvals. Bounded. */
    appendix: z.string().max(limits.appendixCharsMax),
    /** The newest words of a user, where they are before the place: they are shown as they were said. */
    words: z.object({ id: z.string(), parts: z.array(ContentPart) }).optional(),
    /** The messages of a user right before `words`, oldest first: an input may have several. Absent: none. */
    earlierWords: z.array(z.object({ id: z.string(), parts: z.array(ContentPart) })).optional(),
    /** Skills of the run that were loaded before the place: their instructions stand behind the summary, as they were. Absent: none. */
    skills: z
      .array(z.object({ ...loadedSkill, body: z.array(ContentPart) }))
      .max(limits.keptSkillsMax)
      .optional(),
    /** System messages that clients gave before the place: the newest, up to a limit. Absent: none. */
    instructions: z.array(z.string()).optional(),
    /** So many system messages are not among them, for the limit: later requests say that they are left out. Absent: none. */
    instructionsLeftOut: z.number().int().min(1).optional(),
    /** The notes about the user that stood in that part, and hold: they stand behind the summary. Absent: none. */
    memory: ShownNotes.optional(),
    /** The events that the summary was made of. */
    sources: z.object({
      from: Moment,
      through: Moment,
      events: z.number().int().min(0),
      /** SHA-256 of the hashes of these events, in their order, as hex. */
      digest: z.string(),
    }),
    /** Of the next request, as it would have been and as it is, by estimate; and of the summary. */
    tokens: z.object({
      before: z.number().int().min(0),
      after: z.number().int().min(0),
      summary: z.number().int().min(0),
    }),
    /**
     * `shared`: behind the request of the turn, whose beginning the provider has cached, up to the first turn that may not be kept. `serialised`:
     * as one text.
     */
    how: z.enum(['shared', 'serialised']),
    /** Passages that guardrails took out of the summary before it was recorded. Absent: none. */
    redactions: z.array(Redaction).max(limits.redactionsMax).optional(),
    provider: z.string(),
    model: z.string(),
    usage: Usage,
    durationMs: z.number(),
  }),
  /** No summary was made, or none that may stand: the conversation is what it was. */
  'context.unchanged': z.object({
    ...outcomeOf,
    /** Why not. */
    reason: z.enum([
      'failed',
      'empty',
      'too_long',
      'no_gain',
      'safety',
      'guardrail',
      'calls',
      'cap',
      'aborted',
    ]),
    error: ModelError.optional(),
    /** Of a guardrail that objected: which. */
    guardrail: z.object({ id: z.string(), name: z.string() }).optional(),
    /** Absent where no model was asked. */
    provider: z.string().optional(),
    model: z.string().optional(),
    /** Images of the request of the turn that waits. Absent: none. */
    images: z.number().int().min(1).optional(),
    usage: Usage,
    durationMs: z.number(),
  }),
  /** A tool call ran and answered; `output.isError` marks an answer that reports an error. */
  'tool.completed': z.object({
    ...callOf,
    output: ToolOutput,
    durationMs: z.number(),
    /** Digest of the content, keyed as `argsHash` is: the loop check compares results by it. */
    resultHash: z.string().optional(),
    /** What the call changed in the files of its thread. */
    files: FileChanges.optional(),
    /** What the call changed in the memory whose thread it is on. */
    memory: MemoryChanges.optional(),
    /** How its command was executed, where it was one for the sandbox. */
    sandbox: SandboxReport.optional(),
    /** The skill whose instructions it answered. */
    skill: z.object(loadedSkill).optional(),
    /** What guardrails took out of the output. Absent: nothing. */
    redactions: z.array(Redaction).max(limits.redactionsMax).optional(),
    recalled,
  }),
  /** A tool call failed: it threw, timed out, or answered what cannot be kept. */
  'tool.failed': z.object({
    ...callOf,
    error: z.object({ code: z.string(), message: z.string() }),
    durationMs: z.number(),
    /** What guardrails took out of the words. Absent: nothing. */
    redactions: z.array(Redaction).max(limits.redactionsMax).optional(),
    recalled,
  }),
  /** Asked again right before the execution, a policy denied the call: it did not run. */
  'tool.denied': z.object({
    ...callOf,
    tool: z.string(),
    answer: PolicyAnswer,
    /** Whose policy: one that the run pins, or one of the configuration the worker was started with. */
    configuration: z.enum(['pinned', 'current']).default('pinned'),
    recalled,
  }),
  /** A tool call was aborted, or never started, because the run is being cancelled, or has faulted. */
  'tool.aborted': z.object({
    ...callOf,
    reason: z.enum(['cancelled', 'never_started', 'worker_lost']),
  }),
  /** A call of a rerun has no result in the log of the run that is repeated: nothing executed, and the rerun ends. */
  'recall.missed': z.object({
    ...callOf,
    tool: z.string(),
    argsHash: z.string(),
    reason: MissedRecall,
    /** How often the log holds this call, with whatever end. */
    recorded: z.number().int().min(0),
  }),
  /** Nobody knows whether a `once` call happened: its worker vanished, or it did not obey an abort. */
  'tool.unknown': z.object({ ...callOf, reason: z.enum(['worker_lost', 'not_settled']) }),
  /** An operator said what became of an unknown call. `retry` allows one more execution under the same key. */
  'tool.resolved': z.object({
    effectId: z.string(),
    callId: z.string(),
    resolution: z.enum(['happened', 'not_happened', 'retry']),
    output: ToolOutput.optional(),
    note: z.string().optional(),
  }),
  /** The run that does the work of a call exists: the call waits for its end. */
  'child.started': z.object({ ...callOf, childRunId: z.string() }),
  /** The run that did the work of a call has ended; the model reads its answer as the call's result. */
  'child.ended': z.object({
    effectId: z.string(),
    callId: z.string(),
    childRunId: z.string(),
    outcome: Outcome,
    /** The agent that did the work. Present, as all that is optional here, where the run says how many it may start (`subagents`). */
    agent: z.string().optional(),
    output: ToolOutput,
    /** It did not come to its end, and these are the last words that it said. */
    partial: z.literal(true).optional(),
    /** The changes of files that the run takes over from the one that has ended. */
    files: FileChanges.optional(),
    /** They were made to fit what the run had recorded of files up to this event; 0: nothing. Present with `files`. */
    filesSeen: z.number().int().min(0).optional(),
    /** Passages that guardrails took out of the output before it was recorded. Absent: none. */
    redactions: z.array(Redaction).max(limits.redactionsMax).optional(),
    /** Digest of the content, keyed as `argsHash` is: the loop check compares results by it. */
    resultHash: z.string(),
    /** What it has used, its own children included. Money in millionths of the currency's unit. */
    spent: z.object({
      turns: z.number().int().min(0),
      calls: z.number().int().min(0),
      tokens: z.number().int().min(0),
      cost: z.number().int().min(0),
      activeMs: z.number().min(0),
    }),
    /** What was denied, suppressed or stopped in it: where it stands in the child's log, and why, without arguments. */
    verdicts: z
      .array(
        z.object({
          seq: z.number().int(),
          type: z.string(),
          tool: z.string().nullable(),
          code: z.string(),
        }),
      )
      .max(limits.childVerdictsMax),
  }),
  /** The tree of runs has used up a budget: the model or tool call was not made. */
  'budget.refused': z.object({ ...outcomeOf, callId: z.string().optional(), ...used }),
  /** The policies with I/O answered for the calls of a turn, each call with the combined answer. */
  'policy.answered': z.object({
    ...outcomeOf,
    decisions: z.array(
      z.object({
        callId: z.string(),
        tool: z.string(),
        argsHash: z.string(),
        answer: PolicyAnswer,
        /** Policies that could not answer. */
        faults: z.array(z.object({ policyId: z.string(), message: z.string() })),
        /** Policies that warn, beside what all of them say together. */
        warnings: z.array(PolicyAnswer).max(16).optional(),
        /** The arguments of a call, where the decision that takes this settles it, or starts a run of the agent that they name. */
        args: JsonObjectSchema.optional(),
      }),
    ),
    durationMs: z.number(),
    /** Calls for which a human's "always" stands, of those that a policy wants approved. */
    granted: z.array(z.string()).optional(),
  }),
  /** A human decided about a call that waits for approval. `tool` and `argsHash` are copied from the request. */
  'approval.answered': z.object({
    callId: z.string(),
    tool: z.string(),
    decision: z.enum(['approve', 'reject', 'edit']),
    argsHash: z.string(),
    note: z.string().optional(),
    /** How far an approval reaches: this call, or this tool with these arguments in this run, or in every run of the agent. */
    scope: z.enum(['once', 'run', 'always']).optional(),
    /** `edit`: the arguments to execute instead, and their hash. Checked against the tool's schema already. */
    edited: z.object({ args: JsonObjectSchema, argsHash: z.string() }).optional(),
    /** The arguments of a call, where the decision that takes this settles it, or starts a run of the agent that they name. */
    args: JsonObjectSchema.optional(),
    caller: Caller.optional(),
    by: Person.optional(),
  }),
  /**
   * Somebody said something to a run that goes on. The model is shown it before its next turn (`input.taken`); a run that
   * would have completed begins one more for it.
   */
  'input.injected': z.object({
    /** What is said, in order. */
    messages: z.array(UserMessage).min(1).max(limits.injectedMessagesMax),
    /** Of its texts, as UTF-8. */
    bytes: z.number().int().min(0).max(limits.injectedBytesMax),
    /** Who says it, if he is known by more than his key. */
    by: Person.optional(),
  }),
  /** A human answered a clarification. */
  'input.answered': z.object({
    callId: z.string(),
    /** The answer as the model reads it. */
    output: ToolOutput,
    /** The answer as it was given. */
    answer: GivenAnswer.optional(),
    /** The person who gave it, as the server authenticated them. */
    by: Person.optional(),
  }),
  /** Somebody asked for the end of the run. Claims are refused from here on (I14). */
  'cancel.requested': z.object({
    action: z.enum(['interrupt', 'rollback']),
    /** Why. `parent`: the run that started this one is ending. `superseded`: a newer one of the thread takes its place. */
    reason: z.string().optional(),
    /** `superseded`: the newer one. */
    by: z.string().optional(),
  }),
  /** A timer of the run came due. */
  'timer.fired': z.object({ timerId: z.string() }),
  /**
   * The run cannot be decided (`undecidable`), or has as many events as a run may have (`history_too_long`). Ends the run `failed`,
   * once (I22).
   */
  'run.faulted': z.object({ code: z.string(), message: z.string() }),
} as const

/** Types of facts. */
export type FactType = keyof typeof factSchemas
/** The payload of a fact of this type. */
export type FactPayload<T extends FactType> = z.infer<(typeof factSchemas)[T]>

/** A fact as the decider folds it. `at` is milliseconds since the epoch, from the event. */
export type Fact = {
  [T in FactType]: {
    readonly seq: number
    readonly at: number
    readonly actor: string
    readonly type: T
    readonly payload: FactPayload<T>
  }
}[FactType]

/** Is this the type of a fact? */
export const isFactType = (type: string): type is FactType => Object.hasOwn(factSchemas, type)
