/**
 * The configuration as users write it (DESIGN §6). Every object is strict: an unknown key is a mistake, and the error
 * names the key that was probably meant.
 */
import type { DefinedTool } from '@signalbox/tools'
import { McpServerConfig, SandboxConfig } from '@signalbox/tools'
import type { Script } from '@signalbox/models'
import { z } from 'zod'
import { AgentConfig } from './agent-schema.ts'
import { LaneRules } from './lanes-schema.ts'
import { QueueSection } from './queue-schema.ts'
import { ServerSection } from './server-schema.ts'
import { WebhooksSection } from './webhooks-schema.ts'

const Name = z
  .string()
  .regex(
    /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
    'a name is 1 to 64 of A-Z a-z 0-9 . _ - and begins with a letter or digit',
  )

const QueueName = z
  .string()
  .regex(/^[a-z][a-z0-9-]{0,31}$/, 'a queue is 1 to 32 of a-z 0-9 - and begins with a letter')

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
  /** Where jobs and wakes go. */
  queue: QueueSection.prefault({}),
  /** Limits that runs share; who would exceed one waits. */
  runLimits: LaneRules,
  /** A directory in which the `workspace` tools keep the files of threads. Without it the register keeps them. */
  workspace: z.strictObject({ root: z.string().min(1) }).optional(),
  /** Where commands of the tool `bash` are executed, and who looks at them before. Without it, and with an agent that has `bash`: `virtual`. */
  sandbox: SandboxConfig.optional(),
  server: ServerSection.prefault({}),
  webhooks: WebhooksSection.prefault({}),
})

/** A configuration as it was checked, with its defaults. */
export type Config = z.output<typeof Config>
/** A configuration as it is written. */
export type ConfigInput = z.input<typeof Config>
