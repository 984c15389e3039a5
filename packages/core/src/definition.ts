/**
 * An agent as a run pins it: everything the decider and the performers need, resolved, stored once by its hash. A
 * configuration may change while a run lives; its definition does not.
 */
import { z } from 'zod'
import { JsonObjectSchema } from './json.ts'

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
  /** Name of the worker queue: each has its own concurrency. */
  queue: z.string().regex(/^[a-z][a-z0-9-]{0,31}$/),
  timeoutMs: z.number().int().positive(),
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
  /** A stream that is silent for this long is cut. */
  idleTimeoutMs: z.number().int().positive().default(60_000),
  providerOptions: JsonObjectSchema.optional(),
})

/** An agent, resolved: what `run.created` pins by hash. */
export const AgentDefinition = z.object({
  name: z.string(),
  model: ModelConfig,
  instructions: z.string(),
  tools: z.array(ToolSpec),
  safety: z.object({ detectors: z.array(DetectorConfig).optional() }).default({}),
  guardrails: z
    .object({
      allowedTools: z.array(z.string()).nullable().default(null),
      deniedTools: z.array(z.string()).default([]),
      /** Tools that a human must approve, call by call. */
      approvalTools: z.array(z.string()).default([]),
    })
    .default({ allowedTools: null, deniedTools: [], approvalTools: [] }),
  loop: z
    .object({
      warnThreshold: z.number().int().min(1).default(3),
      hardLimit: z.number().int().min(1).default(5),
      windowSize: z.number().int().min(1).max(40).default(20),
    })
    .default({ warnThreshold: 3, hardLimit: 5, windowSize: 20 }),
  limits: z
    .object({
      maxTurns: z.number().int().min(1).default(50),
      maxToolCalls: z.number().int().min(0).default(200),
      maxTokens: z.number().int().min(1).default(1_000_000),
      timeoutMs: z.number().int().min(1).default(3_600_000),
    })
    .default({ maxTurns: 50, maxToolCalls: 200, maxTokens: 1_000_000, timeoutMs: 3_600_000 }),
  /** Retries of a model call that failed or was interrupted; attempts are one more. */
  modelRetries: z
    .object({
      max: z.number().int().min(0).max(20).default(2),
      baseMs: z.number().int().min(0).default(1000),
      capMs: z.number().int().min(0).default(8000),
    })
    .default({ max: 2, baseMs: 1000, capMs: 8000 }),
  /** What happens to a `once` call whose outcome is unknown: a human decides, or the model is told so. */
  onUnknown: z.enum(['ask', 'tell']).default('ask'),
})

export type EffectMode = z.infer<typeof EffectMode>
export type ToolSpec = z.infer<typeof ToolSpec>
export type DetectorConfig = z.infer<typeof DetectorConfig>
export type ModelConfig = z.infer<typeof ModelConfig>
export type AgentDefinition = z.infer<typeof AgentDefinition>
