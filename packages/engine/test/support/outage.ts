/** Processes over one register that goes away, for all of them or for one, in a world whose time runs twenty times as fast. */
import type { AgentDefinition } from '@signalbox/core'
import {
  type Clock,
  createEngine,
  defaultSettings,
  type Engine,
  type EngineSettings,
  type Model,
  type PolicyHost,
  type Register,
  type Role,
  type StoredEvent,
  systemClock,
  systemRandom,
  type ToolHost,
  type ToolRequest,
  type WebhookSender,
} from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
  type MemoryRegister,
} from '@signalbox/testing/memory'
import { silentLog, until } from './world.ts'

const pace = 20
const began = performance.now()

/** Twenty times as fast as the one on the wall. */
export const fastClock: Clock = {
  now: () => Math.floor(1_700_000_000_000 + (performance.now() - began) * pace),
  monotonic: () => (performance.now() - began) * pace,
  sleep: (ms, signal) => systemClock.sleep(ms / pace, signal),
}

/** Waits `ms` of the fast clock. */
export const pass = (ms: number): Promise<void> => fastClock.sleep(ms)

/** The way of one process to a register: while it is cut, nothing arrives, and every call fails. */
export interface Line {
  readonly register: Register
  /** From now on. `silently`: calls are not even refused, and fail only when it is mended. */
  cut(how?: 'silently'): void
  mend(): void
}

export function lineTo(truth: Register): Line {
  let mended: PromiseWithResolvers<void> | null = null
  let isSilent = false
  const register = new Proxy(truth, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]): Promise<unknown> => {
        const lost = new Error('the connection is lost')
        // As long as it takes to be refused.
        await fastClock.sleep(10)
        if (mended && isSilent) await mended.promise
        else if (!mended) return Reflect.apply(method, target, args)
        throw lost
      }
    },
  })
  return {
    register,
    cut(how) {
      isSilent = how === 'silently'
      mended = Promise.withResolvers()
    },
    mend() {
      mended?.resolve()
      mended = null
    },
  }
}

/** What one process is made of, besides what all share. */
export interface Process {
  readonly roles: readonly Role[]
  readonly line?: Line
  readonly register?: Register
  readonly model?: Model
  readonly tools?: ToolHost
  readonly policies?: PolicyHost
  readonly webhooks?: WebhookSender
  readonly clock?: Clock
  readonly settings?: Partial<EngineSettings>
}

export interface Land {
  readonly truth: MemoryRegister
  /** Starts a process with the settings of production. */
  start(process: Process): Promise<Engine>
  /** Creates a run of the agent, and answers its id. */
  begin(engine: Engine, definition: AgentDefinition): Promise<string>
  events(runId: string, type?: string): Promise<readonly StoredEvent[]>
  /** Waits for the end of a run. */
  outcome(runId: string): Promise<string>
  stop(): Promise<void>
}

export const caller = { tenantId: 'default', actor: 'user:test' } as const

/** Processes that share a queue, a wake bus and a register. */
export function land(): Land {
  const truth = createMemoryRegister(fastClock)
  const queue = createMemoryQueue()
  const wakeBus = createMemoryWakeBus()
  const engines: Engine[] = []
  return {
    truth,
    async start({ roles, line, settings, ...own }) {
      const isWorker = roles.includes('worker')
      const engine = createEngine({
        register: line?.register ?? truth,
        dispatcher: queue.dispatcher,
        hintSource: isWorker ? queue.source : null,
        wakeBus,
        model: null,
        tools: null,
        clock: fastClock,
        random: systemRandom,
        log: silentLog,
        roles,
        ...own,
        settings: {
          ...defaultSettings,
          owner: `${roles.join('-')}-${systemRandom.hex(4)}`,
          verifyEvery: 0,
          ...settings,
        },
      })
      engines.push(engine)
      await engine.start()
      return engine
    },
    async begin(engine, definition) {
      const created = await engine.commands.createRun({
        ...caller,
        threadId: systemRandom.uuid(),
        definition,
        input: [{ id: 'u1', role: 'user', parts: [{ type: 'text', text: 'go' }] }],
        metadata: {},
        alias: null,
      })
      if (created.code !== 'created') throw new Error(created.code)
      return created.runId
    },
    async events(runId, type) {
      const all = await truth.events(runId, {})
      return type === undefined ? all : all.filter((event) => event.type === type)
    },
    outcome: (runId) => until(async () => (await truth.head(runId))?.outcome),
    async stop() {
      await Promise.all(engines.map((engine) => engine.stop(0)))
    },
  }
}

/** Tools that work until they are let go, whatever their signal says, and count what they were asked for. */
export function stubbornTools(): {
  readonly host: ToolHost
  readonly asked: ToolRequest[]
  readonly causes: unknown[]
  /** Resolves when the first call has begun. */
  readonly begun: Promise<void>
  readonly letGo: () => void
} {
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const { promise: free, resolve: letGo } = Promise.withResolvers<void>()
  const asked: ToolRequest[] = []
  const causes: unknown[] = []
  const host: ToolHost = {
    specs: async () => [],
    knows: async () => true,
    call: async (request, signal) => {
      asked.push(request)
      signal.addEventListener('abort', () => causes.push(signal.reason))
      begin()
      await free
      const text = 'paid'
      return { status: 'completed', output: { content: [{ type: 'text', text }], isError: false } }
    },
    close: async () => {},
  }
  return { host, asked, causes, begun, letGo }
}
