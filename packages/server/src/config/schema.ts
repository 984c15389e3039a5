/**
 * The configuration as users write it (DESIGN §6). Every object is strict: an unknown key is a mistake, and the error
 * names the key that was probably meant. A feature of a later version is refused by name, never silently ignored.
 */
import { AgentDefinition, DetectorConfig, limits, ModelConfig } from '@signalbox/core'
import type { DefinedTool } from '@signalbox/tools'
import { McpServerConfig } from '@signalbox/tools'
import type { Script } from '@signalbox/models'
import { z } from 'zod'

/** Marks a refusal as `config_not_available`. */
const notAvailable = (what: string) => ({
  error: `${what} is not available in this version. Remove it.`,
  params: { code: 'config_not_available' },
})

const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name is 1 to 64 of A-Z a-z 0-9 . _ - and begins with a letter or digit',
  )

const QueueName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a queue is 1 to 32 of a-z 0-9 - and begins with a letter')

const ToolNames = z.array(z.string().min(1).max(limits.idCharsMax)).max(1000)

const GuardrailsConfig = z.strictObject({
  /** Who judges the calls of a turn. */
  provider: z
    .strictObject({
      use: z.literal('allowlist', 'the only guardrail provider of this version is "allowlist"'),
      /** Only these may be called. Absent: all the agent has. */
      allowedTools: ToolNames.optional(),
      /** These may not be called, whatever else says so. */
      deniedTools: ToolNames.default([]),
    })
    .optional(),
  /** Tools that a human must approve, call by call. */
  approvalTools: ToolNames.default([]),
  /** Judging a call never fails open. */
  failClosed: z
    .boolean()
    .refine((value) => value, notAvailable('A guardrail that fails open (failClosed: false)'))
    .optional(),
  stream: z
    .array(z.string())
    .refine((list) => list.length === 0, notAvailable('Judging text as it streams (stream)'))
    .optional(),
  /** Bounds the retries of `stream` guardrails, of which there are none yet. */
  maxGuardrailRetries: z.number().int().min(0).max(20).optional(),
})

const shape = AgentDefinition.shape

const AgentConfig = z.strictObject({
  model: z.strictObject(ModelConfig.shape),
  instructions: z.string().default(''),
  /** `workspace`, `mcp:<server>`, or the name of a tool. */
  tools: ToolNames.default([]),
  safety: z
    .strictObject({ detectors: z.array(z.strictObject(DetectorConfig.shape)).optional() })
    .prefault({}),
  guardrails: GuardrailsConfig.prefault({}),
  loop: z.strictObject(shape.loop.unwrap().shape).prefault({}),
  limits: z.strictObject(shape.limits.unwrap().shape).prefault({}),
  modelRetries: z.strictObject(shape.modelRetries.unwrap().shape).prefault({}),
  onUnknown: shape.onUnknown,
})

const ServerSection = z.strictObject({
  /** Overridden by `PORT`; 0 takes a free one. */
  port: z.number().int().min(0).max(65_535).default(7420),
  /** Overridden by `HOST`. Reachable from this machine only unless said otherwise. */
  host: z.string().min(1).default('127.0.0.1'),
  /** How long a stop waits for effects in flight. Milliseconds. */
  graceMs: z.number().int().min(0).max(600_000).default(20_000),
  limits: z
    .strictObject({
      bodyBytesMax: z
        .number()
        .int()
        .min(1024)
        .max(limits.bodyBytesMax)
        .default(limits.bodyBytesMax),
      /** How long `wait` and `join` wait before they answer that the run goes on. Milliseconds. */
      waitMsMax: z.number().int().min(1000).max(86_400_000).default(3_600_000),
      /** Open event streams of this process. */
      streamsMax: z.number().int().min(1).max(100_000).default(2000),
    })
    .prefault({}),
})

const isTool = (value: unknown): value is DefinedTool =>
  typeof value === 'object' &&
  value !== null &&
  'spec' in value &&
  'execute' in value &&
  typeof value.execute === 'function'

const isScript = (value: unknown): value is Script => typeof value === 'function'

/** What `signalbox.config` holds. */
export const Config = z.strictObject({
  $schema: z.string().optional(),
  agents: z.record(Name, AgentConfig).refine((agents) => Object.keys(agents).length > 0, {
    error: 'there is no agent; at least one is needed',
  }),
  mcpServers: z.record(Name, McpServerConfig).default({}),
  /** Values of `defineTool`; in TypeScript and JavaScript configurations only. */
  tools: z
    .array(z.custom<DefinedTool>(isTool, { error: 'a tool is made with defineTool({ … })' }))
    .default([]),
  /** What models of the provider `scripted` answer, by model name; in TypeScript and JavaScript only. */
  scripts: z
    .record(z.string(), z.custom<Script>(isScript, { error: 'a script is a function' }))
    .default({}),
  /** Workers of this process, per queue of tools. */
  queues: z
    .record(QueueName, z.strictObject({ concurrency: z.number().int().min(1).max(1000) }))
    .default({}),
  /** Where the `workspace` tools keep the files of threads. */
  workspace: z.strictObject({ root: z.string().min(1) }).optional(),
  server: ServerSection.prefault({}),
})

/** A configuration as it was checked, with its defaults. */
export type Config = z.output<typeof Config>
/** A configuration as it is written. */
export type ConfigInput = z.input<typeof Config>
export type AgentConfig = z.output<typeof AgentConfig>
