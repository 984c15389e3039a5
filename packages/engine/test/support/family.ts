/** Trees of runs for tests: agents that start each other's runs, and any number of processes over one register. */
import {
  type AgentDefinition,
  type JsonObject,
  partWords,
  type Prompt,
  type ToolSpec,
} from '@signalbox/core'
import type { Engine, Model, PolicyHost, StoredEvent, ToolHost } from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { systemClock } from '@signalbox/engine'
import { begin, eventOf, outcomeOf } from './governed.ts'
import { agent, functionTools, type ScriptedCall, toolSpec, until, world } from './world.ts'

/** A tool whose calls are runs of `name`. */
export const runsOf = (name: string): ToolSpec => ({ ...toolSpec(`agent__${name}`), runs: name })

/** The call that starts a run of `name`. */
export const ask = (prompt: string, name = 'helper'): ScriptedCall => ({
  tool: `agent__${name}`,
  args: { prompt },
})

/** An agent known by its instructions, which are its name. */
export const named = (
  name: string,
  tools: readonly ToolSpec[] = [],
  more: JsonObject = {},
): AgentDefinition => agent(tools, { name, instructions: name, ...more })

/** Plays each agent its own turns, told apart by its instructions. */
export const byAgent = (plays: Readonly<Record<string, Model>>, asked: Asked[] = []): Model => ({
  call: (request, sink, signal) => {
    const [first] = request.prompt
    const name = first?.role === 'system' ? first.text : ''
    asked.push({ name, prompt: request.prompt, endUser: request.endUser })
    const play = plays[name]
    if (!play) throw new Error(`no turns for ${name}`)
    return play.call(request, sink, signal)
  },
})

/** A model that says nothing until it is aborted. */
export const silent = (begun: () => void = () => {}): Model => ({
  call: (_request, _sink, signal) => {
    begun()
    return aborted(signal)
  },
})

/** Rejects when the signal is aborted, with its reason. */
export const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => {
    if (signal.aborted) reject(signal.reason)
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  })

/** What a model was asked, by which agent. */
export interface Asked {
  readonly name: string
  readonly prompt: Prompt
  readonly endUser: string | null
}

/** The results of calls in a prompt, in order: their texts, previews of what is long. */
export const resultsIn = (prompt: Prompt | undefined): string[] =>
  (prompt ?? []).flatMap((message) =>
    message.role === 'tool'
      ? message.results.map(({ output }) => output.content.map(partWords).join(''))
      : [],
  )

/** The words of the user in a prompt. */
export const wordsIn = (prompt: Prompt | undefined): string =>
  (prompt ?? [])
    .flatMap((message) => (message.role === 'user' ? message.parts : []))
    .map(partWords)
    .join('')

export interface FamilyParts {
  readonly plays: Readonly<Record<string, Model>>
  /** Agents by name as every process knows them, unless it is started with its own. */
  readonly agents?: readonly AgentDefinition[]
  readonly tools?: ToolHost
  readonly policies?: PolicyHost
}

type WorldParts = Parameters<typeof world>[0]

export interface Family {
  readonly register: MemoryRegister
  /** What the models were asked so far. */
  readonly asked: readonly Asked[]
  /** Starts another process. */
  readonly start: (more?: Partial<WorldParts>) => Promise<Engine>
  /** Starts a run at the top. */
  readonly begin: (engine: Engine, ...about: BeginArgs) => Promise<string>
  /** How the run ended, once it has. */
  readonly outcome: (runId: string) => Promise<string>
  /** Events of a run, of a type. */
  readonly events: (runId: string, type: string) => Promise<readonly StoredEvent[]>
  /** The n-th event of the type, once it is there. */
  readonly event: (runId: string, type: string, n?: number) => Promise<StoredEvent>
  /** The n-th run that `runId` has started, once there is one. */
  readonly child: (runId: string, n?: number) => Promise<string>
  /** How all runs ended, in the order of their creation, once all have. */
  readonly ends: () => Promise<readonly (string | null)[]>
  readonly stop: () => Promise<void>
}

type BeginArgs = Parameters<typeof begin> extends [Engine, ...infer Rest] ? Rest : never

/** Nothing runs before the first `start`. */
export function family(parts: FamilyParts): Family {
  const register = createMemoryRegister(systemClock)
  const asked: Asked[] = []
  const model = byAgent(parts.plays, asked)
  const engines: Engine[] = []
  return {
    register,
    asked,
    async start(more = {}) {
      const { policies, tools = functionTools({}) } = parts
      const agents = (name: string) => parts.agents?.find((each) => each.name === name) ?? null
      const common = { model, tools, register, agents, ...(policies ? { policies } : {}) }
      const { engine } = world({ ...common, ...more })
      engines.push(engine)
      await engine.start()
      return engine
    },
    begin: (engine, ...about) => begin(engine, ...about),
    outcome: (runId) => outcomeOf(register, runId),
    events: async (runId, type) =>
      (await register.events(runId, {})).filter((event) => event.type === type),
    event: (runId, type, n) => eventOf(register, runId, type, n),
    child: (runId, n = 0) => until(async () => (await register.children(runId))[n]?.runId),
    ends: async () => {
      const { runs } = register.tables
      // More may be created while we look.
      await until(async () => [...runs.values()].every(({ status }) => status === 'ended'))
      return [...runs.values()].map(({ outcome }) => outcome)
    },
    async stop() {
      for (const engine of engines.splice(0)) await engine.stop(0)
    },
  }
}
