/**
 * An agent as a run pins it: everything the decider and the performers need, resolved, stored once by its hash. A
 * configuration may change while a run lives; its definition does not.
 */
import { z } from 'zod'
import { JsonObjectSchema } from './json.ts'
import { limits } from './limits.ts'
import { MemoryConfig } from './memory/config.ts'
import { NewerError } from './newer.ts'
import { NamedSkill, PinnedSkill } from './skill/pinned.ts'
import { TitleConfig } from './title/spec.ts'
import { JudgedArguments } from './verdict/authorization/judged.ts'
import { PolicySpec } from './verdict/authorization/spec.ts'
import { SubagentsConfig } from './verdict/children/config.ts'
import { ContextConfig } from './verdict/context/config.ts'
import { LoopConfig } from './verdict/loop/config.ts'
import { ClarificationConfig } from './verdict/question/config.ts'
import { StreamGuardSpec } from './verdict/stream/spec.ts'

/**
 * What happens when a call is made twice. `read`: nothing. `idempotent`: the same as once, if the idempotency key is
 * the same. `once`: harm; a lost worker makes the call `tool.unknown`, and nobody re-runs it by himself.
 */
export const EffectMode = z.enum(['read', 'idempotent', 'once'])

/** What a tool promises: to the model (schema), to the decider (effect), to the dispatcher (queue, time). */
export const ToolSpec = z.object({
  name: z.string().regex(/^[a-zA-Z0-9_-]{1,64}$/),
  /** Hash of what the tool promises; a worker that has another version leaves the call to one that has this. */
  version: z.string(),
  description: z.string(),
  /** JSON Schema of the arguments, an object schema. */
  inputSchema: JsonObjectSchema,
  effect: EffectMode,
  /** Nothing leaves a call but its result, and files with it: an attempt that was lost or ended has changed nothing. */
  contained: z.literal(true).optional(),
  /** Name of the worker queue: each has its own concurrency. */
  queue: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  timeoutMs: z.number().int().positive(),
  /**
   * The agent whose run does the work of each call: no worker has a tool of this name. Several: those that the argument `agent` of a call may
   * name.
   */
  runs: z.union([z.string(), z.array(z.string()).min(1).max(limits.childAgentsMax)]).optional(),
  /** The decision that judges a call settles it, too: it has no effect and no job, and no worker has a tool of this name. */
  settles: z.literal('here').optional(),
  /** Which arguments are paths, addresses, recipients, for passports. Absent: they are known by the usual names only. */
  judged: JudgedArguments.optional(),
})

/** A safety detector by name, with the finish reasons it claims instead of its own. */
export const DetectorConfig = z.object({
  use: z.string(),
  finishReasons: z.array(z.string()).optional(),
})

/** Which model, where, and with which settings. Never a key, only the name of the variable that holds it. */
export const ModelConfig = z.object({
  provider: z.enum([
    'openai',
    'openai-responses',
    'anthropic',
    'google',
    'amazon-bedrock',
    'azure',
    'openai-compatible',
    'scripted',
  ]),
  model: z.string(),
  baseURL: z.string().optional(),
  /** Name of the environment variable that holds the key. The key itself is never part of a definition (I20). */
  apiKeyEnv: z.string().optional(),
  region: z.string().optional(),
  temperature: z.number().optional(),
  maxOutputTokens: z.number().int().positive().optional(),
  /**
   * Tokens that a request and its answer may have together. Absent: nobody said, and no request is measured against it. Never sent to a
   * provider.
   */
  contextWindow: z
    .number()
    .int()
    .min(limits.contextWindowMin)
    .max(limits.contextWindowMax)
    .optional(),
  /** Is the model shown images? Absent: it is not, and reads what they are. */
  vision: z.boolean().optional(),
  /** A stream that is silent for this long is cut. */
  idleTimeoutMs: z.number().int().positive().default(60_000),
  providerOptions: JsonObjectSchema.optional(),
  /**
   * Must a chat stream end with `data: [DONE]`? `optional` for servers that never send it: whether such a stream was cut
   * behind its finish reason, nobody can tell.
   */
  endMarker: z.enum(['required', 'optional']).default('required'),
  /** What a million tokens cost, in the currency of `limits.maxCost`. Without a price a call costs nothing. */
  price: z
    .object({
      inputPerMTok: z.number().min(0),
      outputPerMTok: z.number().min(0),
      /** Default: as other input. */
      cachedInputPerMTok: z.number().min(0).optional(),
      /** Of tokens that are written to a cache. Default: as other input. */
      cacheWritePerMTok: z.number().min(0).optional(),
    })
    .optional(),
})

/** What happens to the conversation after the provider refused: nothing, the refused exchange goes, or all before it too. */
export const AfterRefusal = z.enum(['keep', 'drop-turn', 'reset-context'])

const week = 7 * 24 * 3600 * 1000

/** A field that runs of an agent may carry: what its values are, and which of them it takes. */
export const RunField = z.object({
  type: z.enum(['string', 'number', 'boolean']),
  /** The values that it takes; absent: any of its type. */
  values: z
    .array(z.union([z.string(), z.number(), z.boolean()]))
    .min(1)
    .max(64)
    .optional(),
  description: z.string().max(500).optional(),
})

/** An agent, resolved: what `run.created` pins by hash. */
export const AgentDefinition = z.object({
  name: z.string(),
  model: ModelConfig,
  instructions: z.string(),
  tools: z.array(ToolSpec),
  /** Skills that the model may load, sorted by name. */
  skills: z
    .array(z.union([PinnedSkill, NamedSkill]))
    .max(limits.skillsMax)
    .default([]),
  /**
   * Once skills are loaded that name tools, nothing but these may be called, and the tools that no skill can take away. Never more than the
   * guardrails allow. Absent: what skills name restricts nothing.
   */
  skillTools: z.literal('restrict').optional(),
  /** Opens after this many calls in a row failed for good; one call probes it after `openMs`. Shared by all processes. */
  breaker: z
    .object({
      threshold: z.number().int().min(1).max(1000).default(5),
      openMs: z.number().int().min(1).default(60_000),
    })
    .prefault({}),
  /** Asked in this order when the model's retries are used up, or it will not serve us; never after a safety stop. */
  fallbackModels: z.array(ModelConfig).max(8).default([]),
  safety: z
    .object({
      detectors: z.array(DetectorConfig).optional(),
      afterRefusal: AfterRefusal.default('keep'),
      /** An end user with this many safety stops within `withinMs` starts no run for `holdMs`. */
      hold: z
        .object({
          stops: z.number().int().min(1).max(1000),
          withinMs: z.number().int().min(1),
          holdMs: z.number().int().min(1),
        })
        .optional(),
    })
    .prefault({}),
  guardrails: z
    .object({
      allowedTools: z.array(z.string()).nullable().default(null),
      deniedTools: z.array(z.string()).default([]),
      /** Tools that a human must approve, call by call. */
      approvalTools: z.array(z.string()).default([]),
      /** Asked besides the lists: deny beats approval beats allow. 16 that are configured, and the audit of `bash`. */
      policies: z.array(PolicySpec).max(17).default([]),
      /** A policy that cannot answer denies. False: the call goes on, and `policy.faulted` says so. */
      failClosed: z.boolean().default(true),
      /** Judge what the model says while it streams, in this order. 16 that are configured, and those that whoever learns has in any case. */
      stream: z.array(StreamGuardSpec).max(18).default([]),
      /** Is it recorded what was taken out of the words of a tool that failed? Runs of before did not say so. */
      recordsFailures: z.boolean().default(false),
      /** Corrections after the first attempt of a turn. */
      maxGuardrailRetries: z.number().int().min(0).max(20).default(3),
    })
    .prefault({}),
  approvals: z
    .object({
      /** A request nobody answers is a rejection after this long. */
      expiresMs: z.number().int().min(1000).default(week),
      /** Roles that may answer; null: any. */
      roles: z.array(z.string()).nullable().default(null),
      /** May whoever the run works for not approve its calls? */
      forbidRequester: z.boolean().default(false),
      /** Bits of the arguments' SHA-256 by which the run remembers a decision of the scope `run`. Definitions of before kept 64. */
      rememberedBits: z.union([z.literal(64), z.literal(128)]).default(64),
      /**
       * Does a request say that a list or policy before wants a person, where the policies that were asked do not? Definitions of before
       * named the policy that answered last.
       */
      gateNamed: z.boolean().default(false),
    })
    .prefault({}),
  loop: LoopConfig.prefault({}),
  limits: z
    .object({
      maxTurns: z.number().int().min(1).default(50),
      maxToolCalls: z.number().int().min(0).default(200),
      maxTokens: z.number().int().min(1).default(1_000_000),
      timeoutMs: z.number().int().min(1).default(3_600_000),
      /** Money, in the currency of the models' prices; null: no limit. */
      maxCost: z.number().positive().nullable().default(null),
      /** Share of each limit at which the model is told, once. */
      warnAt: z.number().min(0.01).max(1).default(0.8),
    })
    .prefault({}),
  /** Retries of a model call that failed or was interrupted; attempts are one more. */
  modelRetries: z
    .object({
      max: z.number().int().min(0).max(20).default(2),
      baseMs: z.number().int().min(0).default(1000),
      capMs: z.number().int().min(0).default(8000),
    })
    .default({ max: 2, baseMs: 1000, capMs: 8000 }),
  /** Attempts to go on after an answer that reached its length limit or broke off; each is a turn of its own. */
  continuations: z.number().int().min(0).max(5).default(0),
  /** Is an answer gone on with, too, that reached its length in the middle of a call, without a word? Before, such a run ended. */
  continueCutCalls: z.boolean().default(false),
  /** How arguments and results are known by in the log. `hmac-sha256` takes a key of the tenant that no event holds: nobody can guess what is erased. Definitions of before took none. */
  digests: z.enum(['sha256', 'hmac-sha256']).default('sha256'),
  /** What happens to a `once` call whose outcome is unknown: a human decides, or the model is told so. */
  onUnknown: z.enum(['ask', 'tell']).default('ask'),
  /** Steps that make a conversation lighter when it grows towards the window of the model. Absent: none, before it overflows. */
  context: ContextConfig.optional(),
  /** Contents of given files that the model reads in its messages, beside their list. Absent: none, it reads them by its tools. */
  uploads: z
    .strictObject({
      /** Does the text of a file stand in the message that it came with, if it is the only one, and short? */
      inline: z.boolean().default(false),
    })
    .optional(),
  /** How the threads of the agent get titles. Absent: they get none. */
  title: TitleConfig.optional(),
  /** Does the model keep a plan, by the tool `write_todos`? Absent: it does not. */
  todo: z.literal(true).optional(),
  /** May the model ask the person it works for, by the tool `ask_clarification`? Absent: it may not. */
  clarification: ClarificationConfig.optional(),
  /** Runs that the agent may start, and the files of these. Absent: any number in a turn, and none of its files. */
  subagents: SubagentsConfig.optional(),
  /** What the agent remembers of those it works for. Absent: nothing. */
  memory: MemoryConfig.optional(),
  /** A run ends when the calls of a turn have settled: its model is not asked for closing words. Absent: it goes on. */
  ends: z.literal('with_calls').optional(),
  /** Fields that a client may say of a run. Its tools and policies read them; no decision does. */
  fields: z
    .record(
      z
        .string()
        .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'takes a letter, then letters, digits and _'),
      RunField,
    )
    .optional(),
})

export type AfterRefusal = z.infer<typeof AfterRefusal>
export type EffectMode = z.infer<typeof EffectMode>
export type ToolSpec = z.infer<typeof ToolSpec>
export type DetectorConfig = z.infer<typeof DetectorConfig>
export type ModelConfig = z.infer<typeof ModelConfig>
export type AgentDefinition = z.infer<typeof AgentDefinition>
export type RunField = z.infer<typeof RunField>

/**
 * Reads a stored definition; one of an older build gets the defaults of what came later. Throws a `NewerError` for one that
 * says anything this build does not know: it must not be obeyed in part.
 */
export function readDefinition(stored: unknown): AgentDefinition {
  const read = AgentDefinition.safeParse(stored)
  if (!read.success || !holds(read.data, stored)) throw new NewerError('a definition')
  return read.data
}

/** Is everything of `part` in `whole`? */
function holds(whole: unknown, part: unknown): boolean {
  if (part === undefined) return true
  if (typeof part !== 'object' || part === null) return whole === part
  if (typeof whole !== 'object' || whole === null) return false
  const found = new Map<string, unknown>(Object.entries(whole))
  return Object.entries(part).every(([key, value]) => holds(found.get(key), value))
}
