/**
 * Effects: work to do in the world, as data. An effect's id is deterministic (`<run>.<n>`, n counts the effects of the
 * run), it is the idempotency key handed to the tool, and the same on every attempt (I9).
 */
import { z } from 'zod'
import { EffectMode } from './definition.ts'
import { Moment } from './room-measure.ts'
import { WebhookMoment } from './webhook.ts'

/** Kinds of work, `noun.verb`. */
export const EffectKind = z.enum([
  'model.call',
  'tool.call',
  'run.start',
  'policy.evaluate',
  'webhook.deliver',
  'title.make',
  'memory.learn',
  'context.compact',
  'tool.recall',
])

const base = {
  id: z.string(),
  mode: EffectMode,
  /** The worker queue for tool calls; other kinds have a queue of their own kind's name. */
  queue: z.string(),
  /** Not before this long after the decision is committed: back-off as data, the core has no clock. */
  delayMs: z.number().int().min(0),
}

/** Is the budget shared with other runs of a tree? Then it is reserved before the effect is performed. */
const shared = z.boolean().optional()

/** One call of the model. */
export const ModelCallEffect = z.object({
  ...base,
  kind: z.literal('model.call'),
  turn: z.number().int(),
  /** 0 for the first call of a turn; each retry, fallback or correction is an effect of its own. */
  retry: z.number().int(),
  /** Of these, retries of the model it asks: when they are used up, a failure is final for that model. */
  tries: z.number().int().default(0),
  /** 0: the agent's model; n: its n-th fallback. */
  model: z.number().int().default(0),
  /** Corrections of this turn that stream guardrails asked for so far. */
  correction: z.number().int().default(0),
  /** The message this call will write: the same for all retries of a turn. */
  messageId: z.string(),
  shared,
})

/** What asked for a call, and which. */
const call = {
  /** The model call whose turn asked for this: its `model.completed` holds the arguments. */
  source: z.string(),
  callId: z.string(),
  tool: z.string(),
  argsHash: z.string(),
  /** Sequence number of the human's answer that allowed it; with `edited`, that answer holds the arguments. */
  approval: z.number().int().optional(),
  edited: z.boolean().optional(),
  shared,
}

/** One tool call that may run. */
export const ToolCallEffect = z.object({
  ...base,
  ...call,
  kind: z.literal('tool.call'),
  toolVersion: z.string(),
  timeoutMs: z.number().int(),
  /** Names of the skills that were loaded when the call was judged. Absent: none. */
  skills: z.array(z.string()).optional(),
})

/** Start a run that does the work of one call. */
export const RunStartEffect = z.object({
  ...base,
  ...call,
  kind: z.literal('run.start'),
  /** The agent of the child. */
  agent: z.string(),
  /** Depth of the child: 1 for a child of a run that nobody started. */
  depth: z.number().int(),
  /** The child begins with the files of the run, as they are after this event of it. Absent: with none. */
  filesThrough: z.number().int().min(1).optional(),
  /** The run reads as waiting while nothing below it moves without a human. Absent where its agent says nothing of the runs that it starts. */
  waitsBelow: z.literal(true).optional(),
  /** What the run has left of its limits: those of the child are lowered to it. Money in the unit of `maxCost`. */
  left: z.object({
    maxTurns: z.number().int().min(0),
    maxToolCalls: z.number().int().min(0),
    maxTokens: z.number().int().min(0),
    timeoutMs: z.number().int().min(0),
    maxCost: z.number().min(0).nullable(),
  }),
})

/**
 * In a rerun, in the place of a call: its result is looked up in the log of the run that is repeated. Nothing executes, so it
 * may be performed as often as it takes.
 */
export const ToolRecallEffect = z.object({ ...base, ...call, kind: z.literal('tool.recall') })

/** Ask a policy that needs I/O about the calls of a turn. */
export const PolicyEffect = z.object({
  ...base,
  kind: z.literal('policy.evaluate'),
  /** The model call whose turn asked for the calls. */
  source: z.string(),
  /** The calls to judge: those that no pure policy has denied. */
  callIds: z.array(z.string()),
})

/** Tell somebody outside. */
export const WebhookEffect = z.object({
  ...base,
  kind: z.literal('webhook.deliver'),
  /** Position among the webhooks of `run.created`. */
  webhook: z.number().int().min(0),
  /** What is told: how the run ended, or that it waits. */
  on: WebhookMoment,
})

/** Have a model sum up what is before a place of the conversation. Nothing of the run waits in it but the turn behind it. */
export const CompactEffect = z.object({
  ...base,
  kind: z.literal('context.compact'),
  /** The turn that is to begin, or to be asked again, afterwards. */
  turn: z.number().int(),
  /** Up to this event, everything gives way to the summary. Absent where somebody asked for it by hand: then whoever performs it chooses, as a run would. */
  through: Moment.optional(),
  /** The model that the run asks: 0 the agent's, n its n-th fallback. */
  model: z.number().int().default(0),
  /** The request overflowed: it cannot be sent with a task behind it. */
  overflow: z.literal(true).optional(),
  /** Tokens that it may use at most. */
  maxTokens: z.number().int().min(0),
  shared,
})

/** Give the thread of a run a title, when it has ended. */
export const TitleEffect = z.object({
  ...base,
  kind: z.literal('title.make'),
  /** By a model, of the words of the run, or none: of what was said nothing may be told. */
  make: z.enum(['model', 'words', 'untitled']),
})

/** Have a run of its own learn from what was said to a run that has completed. */
export const MemoryEffect = z.object({ ...base, kind: z.literal('memory.learn') })

/** Work to do in the world. */
export const Effect = z.discriminatedUnion('kind', [
  ModelCallEffect,
  ToolCallEffect,
  RunStartEffect,
  PolicyEffect,
  WebhookEffect,
  TitleEffect,
  MemoryEffect,
  CompactEffect,
  ToolRecallEffect,
])

/** What a kind is to the run, besides its schema. */
interface EffectTraits {
  /** Where the run is while it waits for one; null: nothing waits for it. */
  readonly node: 'model' | 'tools' | 'guardrail' | 'context' | null
  /** Of one that does the work of a call: how an explanation calls that, and what it says of it. */
  readonly dispatch: {
    readonly verdict: 'execute' | 'start_run' | 'recall'
    readonly says: string
  } | null
  /**
   * Does it go on when its run has ended, or is to end? Then what comes of it is a note, and the final decision may ask for it. The
   * register asks the same of its function `outlives_run`. Default: it does not.
   */
  readonly outlivesRun?: true
}

/** The kinds. One without traits does not compile. */
export const effectTraits = {
  'model.call': { node: 'model', dispatch: null },
  'tool.call': {
    node: 'tools',
    dispatch: {
      verdict: 'execute',
      says: 'The decision asked for the execution of the call by a worker.',
    },
  },
  'run.start': {
    node: 'tools',
    dispatch: {
      verdict: 'start_run',
      says: 'The decision asked for a run of its own that does the work of the call.',
    },
  },
  'tool.recall': {
    node: 'tools',
    dispatch: {
      verdict: 'recall',
      says: 'The decision asked for the recorded result of the call: a rerun executes nothing.',
    },
  },
  'policy.evaluate': { node: 'guardrail', dispatch: null },
  'webhook.deliver': { node: null, dispatch: null, outlivesRun: true },
  'title.make': { node: null, dispatch: null, outlivesRun: true },
  'memory.learn': { node: null, dispatch: null, outlivesRun: true },
  'context.compact': { node: 'context', dispatch: null },
} as const satisfies Readonly<Record<EffectKind, EffectTraits>>

/** Does work of this kind go on when its run has ended? */
export function outlivesRun(kind: EffectKind): boolean {
  const traits: EffectTraits = effectTraits[kind]
  return traits.outlivesRun === true
}

/** A timer as data: `afterMs` from the commit of the decision that sets it. Setting an id again moves it. */
export const Timer = z.object({ id: z.string(), afterMs: z.number().int().min(0) })

export type EffectKind = z.infer<typeof EffectKind>
export type ModelCallEffect = z.infer<typeof ModelCallEffect>
export type ToolCallEffect = z.infer<typeof ToolCallEffect>
export type RunStartEffect = z.infer<typeof RunStartEffect>
export type PolicyEffect = z.infer<typeof PolicyEffect>
export type WebhookEffect = z.infer<typeof WebhookEffect>
export type TitleEffect = z.infer<typeof TitleEffect>
export type MemoryEffect = z.infer<typeof MemoryEffect>
export type CompactEffect = z.infer<typeof CompactEffect>
export type ToolRecallEffect = z.infer<typeof ToolRecallEffect>
export type Effect = z.infer<typeof Effect>
export type Timer = z.infer<typeof Timer>
