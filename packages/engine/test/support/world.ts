/** A small world for engine tests: a model that plays turns, tools that are functions, everything in memory. */
import {
  AgentDefinition,
  type Json,
  type JsonObject,
  type Machines,
  type ToolSpec,
} from '@signalbox/core'
import {
  type CheckArguments,
  type Clock,
  createEngine,
  defaultSettings,
  type Engine,
  type EngineSettings,
  type Log,
  type Model,
  type OwnBundles,
  type PolicyHost,
  type Register,
  type Role,
  systemClock,
  systemRandom,
  type ToolHost,
  type WakeBus,
  type WebhookSender,
} from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
} from '@signalbox/testing/memory'
import { createStreamGuardrails } from '../../../policies/src/guardrails/stream-guardrails.ts'

export interface ScriptedCall {
  readonly tool: string
  readonly args: JsonObject
}

export type Turn = string | readonly ScriptedCall[]

/** Plays one turn per model call, in order of the run's turns; text ends the run. */
export function turnModel(turns: readonly Turn[]): Model {
  return {
    call: async (request, sink) => {
      const n = request.prompt.filter((message) => message.role === 'assistant').length
      const turn = turns[n] ?? 'done'
      if (typeof turn === 'string') sink.delta('text', turn)
      const parts =
        typeof turn === 'string'
          ? [{ type: 'text' as const, text: turn }]
          : turn.map((call, index) => ({
              type: 'tool_call' as const,
              id: `${request.callIdPrefix}_${index}`,
              name: call.tool,
              args: call.args,
              argsHash: request.argsHash(call.args),
            }))
      return {
        verdict: 'complete',
        message: { id: request.messageId, role: 'assistant', parts },
        suppressed: [],
        evidence: [],
        finish: { unified: typeof turn === 'string' ? 'stop' : 'tool-calls' },
        usage: { inputTokens: 10, outputTokens: 5 },
        provider: 'scripted',
        model: 'test',
      }
    },
  }
}

export const toolSpec = (name: string, effect: ToolSpec['effect'] = 'read'): ToolSpec => ({
  name,
  version: '1',
  description: name,
  inputSchema: { type: 'object' },
  effect,
  queue: 'tools',
  timeoutMs: 10_000,
})

export function functionTools(
  tools: Readonly<Record<string, (args: JsonObject, signal: AbortSignal) => Promise<Json>>>,
): ToolHost {
  return {
    specs: async () => Object.keys(tools).map((name) => toolSpec(name)),
    knows: async (name) => Object.hasOwn(tools, name),
    call: async (request, signal) => {
      const run = tools[request.name]
      if (!run) return { status: 'failed', error: { code: 'unknown_tool', message: request.name } }
      try {
        const text = JSON.stringify(await run(request.args, signal))
        return {
          status: 'completed',
          output: { content: [{ type: 'text', text }], isError: false },
        }
      } catch (error) {
        if (signal.aborted) return { status: 'aborted', settled: true }
        return { status: 'failed', error: { code: 'tool_error', message: String(error) } }
      }
    },
    close: async () => {},
  }
}

export const silentLog: Log = { debug() {}, info() {}, warn() {}, error() {} }

export const agent = (tools: readonly ToolSpec[], more: JsonObject = {}): AgentDefinition =>
  AgentDefinition.parse({
    name: 'writer',
    model: { provider: 'scripted', model: 'test' },
    instructions: 'You write.',
    tools,
    modelRetries: { max: 2, baseMs: 10, capMs: 20 },
    ...more,
  })

export function world(parts: {
  readonly model: Model
  readonly tools: ToolHost
  readonly register?: Register
  readonly roles?: readonly Role[]
  readonly settings?: Partial<EngineSettings>
  readonly policies?: PolicyHost
  readonly checkArguments?: CheckArguments
  readonly agents?: (name: string) => AgentDefinition | null
  readonly wakeBus?: WakeBus
  readonly webhooks?: WebhookSender
  readonly skills?: OwnBundles
  readonly clock?: Clock
  readonly machines?: Machines
  readonly onNotMine?: (runs: number) => void
  readonly log?: Log
}): { readonly engine: Engine; readonly register: Register } {
  const register = parts.register ?? createMemoryRegister(systemClock)
  const queue = createMemoryQueue()
  const engine = createEngine({
    register,
    dispatcher: queue.dispatcher,
    hintSource: queue.source,
    wakeBus: parts.wakeBus ?? createMemoryWakeBus(),
    model: parts.model,
    tools: parts.tools,
    clock: parts.clock ?? systemClock,
    random: systemRandom,
    log: parts.log ?? silentLog,
    guardrails: createStreamGuardrails(() => null),
    ...(parts.policies ? { policies: parts.policies } : {}),
    ...(parts.machines ? { machines: parts.machines } : {}),
    ...(parts.onNotMine ? { onNotMine: parts.onNotMine } : {}),
    ...(parts.checkArguments ? { checkArguments: parts.checkArguments } : {}),
    ...(parts.agents ? { agents: parts.agents } : {}),
    ...(parts.webhooks ? { webhooks: parts.webhooks } : {}),
    ...(parts.skills ? { skills: parts.skills } : {}),
    roles: parts.roles ?? ['orchestrator', 'worker'],
    settings: {
      ...defaultSettings,
      owner: `test-${systemRandom.hex(4)}`,
      // Long enough that no pause of a busy machine costs an attempt.
      leaseMs: 10_000,
      renewMs: 1_000,
      pollMs: 100,
      verifyEvery: 1,
      ...parts.settings,
    },
  })
  return { engine, register }
}

/** Waits until there is something to find. The test's own timeout is the limit. */
export async function until<T>(look: () => Promise<T | null | undefined>): Promise<T> {
  for (;;) {
    const found = await look()
    if (found) return found
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
