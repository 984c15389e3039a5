/**
 * Governance over the whole engine: the register in memory, tools as users define them, and a model that is asked over HTTP
 * through the real provider package. Any number of processes share the register.
 */
import { AgentDefinition, type Prompt } from '@signalbox/core'
import {
  createEngine,
  defaultSettings,
  type Engine,
  type Log,
  type Register,
  type StoredEvent,
  systemClock,
  systemRandom,
} from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
} from '@signalbox/testing/memory'
import { createModels, type ScriptedTurn, serveScripts } from '@signalbox/models'
import { createPolicyHost, createStreamGuardrails, type Guardrail } from '@signalbox/policies'
import { createToolHost, type DefinedTool } from '@signalbox/tools'
import type { z } from 'zod'
import { begin, eventOf, outcomeOf } from '../../packages/engine/test/support/governed.ts'

const quiet: Log = { debug() {}, info() {}, warn() {}, error() {} }

export interface SceneOptions {
  /** What the provider answers to its n-th request, from 0. */
  readonly answers: (n: number, prompt: Prompt) => ScriptedTurn
  readonly tools?: readonly DefinedTool[]
  /** Stream guardrails of the test's own, by the path their specs name. */
  readonly guardrails?: Readonly<Record<string, Guardrail>>
  /** Agents by name, for runs that start runs. */
  readonly agents?: (name: string) => AgentDefinition | null
  /** Milliseconds since the epoch, as the register tells the time. */
  readonly now?: () => number
}

type Settings = Omit<z.input<typeof AgentDefinition>, 'name' | 'model' | 'instructions' | 'tools'>

export interface Scene {
  readonly register: Register
  /** What the provider was asked, request by request. */
  readonly prompts: readonly Prompt[]
  /** An agent with all tools of the scene. */
  readonly agent: (more?: Settings) => AgentDefinition
  /** Starts another process. */
  process(): Promise<Process>
  /** Events of a run, of a type if one is named. */
  events(runId: string, type?: string): Promise<readonly StoredEvent[]>
  /** The n-th event of the type, once it is there. */
  event(runId: string, type: string, n?: number): Promise<StoredEvent>
  /** How the run ended, once it has. */
  outcome(runId: string): Promise<string>
  close(): Promise<void>
}

export interface Process {
  readonly engine: Engine
  /** Creates a run; on a thread of its own, unless one is named. */
  readonly run: (agent: AgentDefinition, more?: Parameters<typeof begin>[2]) => Promise<string>
  readonly stop: () => Promise<void>
}

export async function openScene(options: SceneOptions): Promise<Scene> {
  const prompts: Prompt[] = []
  const provider = await serveScripts({
    m: (prompt) => options.answers(prompts.push(prompt) - 1, prompt),
  })
  const register = createMemoryRegister({ now: options.now ?? Date.now })
  const specs = (options.tools ?? []).map((tool) => tool.toSpec())
  const model = {
    provider: 'openai-compatible',
    model: 'm',
    baseURL: provider.url,
    apiKeyEnv: 'K',
  } as const
  const processes: Process[] = []
  return {
    register,
    prompts,
    agent: (more = {}) =>
      AgentDefinition.parse({
        name: 'writer',
        model,
        instructions: 'You write.',
        tools: specs,
        modelRetries: { max: 2, baseMs: 1, capMs: 5 },
        ...more,
      }),
    async process() {
      const process = await startProcess(register, options)
      processes.push(process)
      return process
    },
    async events(runId, type) {
      const events = await register.events(runId, {})
      return type === undefined ? events : events.filter((event) => event.type === type)
    },
    event: (runId, type, n) => eventOf(register, runId, type, n),
    outcome: (runId) => outcomeOf(register, runId),
    async close() {
      for (const process of processes) await process.stop()
      await provider.close()
    },
  }
}

async function startProcess(register: Register, options: SceneOptions): Promise<Process> {
  const tools = createToolHost({ log: quiet, tools: options.tools ?? [], mcpServers: {} })
  const queue = createMemoryQueue()
  const policies = createPolicyHost({
    log: quiet,
    clock: systemClock,
    env: {},
    modules: new Map(),
    baseDir: '/',
  })
  const engine = createEngine({
    register,
    dispatcher: queue.dispatcher,
    hintSource: queue.source,
    wakeBus: createMemoryWakeBus(),
    model: createModels({ env: { K: 'key' } }),
    tools,
    policies,
    checkArguments: () => null,
    agents: options.agents ?? (() => null),
    guardrails: createStreamGuardrails((spec) =>
      spec.use === 'module' ? (options.guardrails?.[spec.path] ?? null) : null,
    ),
    clock: systemClock,
    random: systemRandom,
    log: quiet,
    roles: ['orchestrator', 'worker'],
    settings: {
      ...defaultSettings,
      owner: `test-${systemRandom.hex(4)}`,
      // No pause of a busy machine costs an attempt, and what a stopped process left is found soon.
      leaseMs: 10_000,
      renewMs: 1_000,
      pollMs: 50,
      redispatchMs: 200,
      verifyEvery: 1,
    },
  })
  await engine.start()
  let stopped: Promise<void> | undefined
  const stop = async () => {
    await engine.stop(0)
    await policies.close()
    await tools.close()
  }
  return {
    engine,
    run: (agent, more) => begin(engine, agent, more),
    stop: () => (stopped ??= stop()),
  }
}
