/** An engine whose agent remembers: a model that answers, and one that learns by a rule, so that a test says what there is to learn. */
import type { AgentDefinition, JsonObject, ModelTurn } from '@signalbox/core'
import {
  type Engine,
  type Model,
  type ModelRequest,
  memoryOf,
  type Register,
  type StoredEvent,
  systemClock,
  withMemoryTools,
} from '@signalbox/engine'
import { createMemories } from '../../src/perform/memories.ts'
import { begin, caller, outcomeOf } from './governed.ts'
import {
  agent,
  functionTools,
  type ScriptedCall,
  type Turn,
  turnModel,
  until,
  world,
} from './world.ts'

export const ann = { user: { id: 'ann', role: null } } as const

/** An agent that learns at once. */
export const learning = (memory: JsonObject = {}, more: JsonObject = {}): AgentDefinition =>
  agent([], { memory: { learn: true, delayMs: 0, ...memory }, ...more })

export const isLearning = ({ tools }: Pick<ModelRequest, 'tools'>): boolean =>
  tools.some(({ name }) => name === 'remember')

/** The text of the only message of a learner's request. */
export const shownTo = ({ prompt }: Pick<ModelRequest, 'prompt'>): string => {
  const [, message] = prompt
  const [part] = message?.role === 'user' ? message.parts : []
  return part?.type === 'text' ? part.text : ''
}

/** The messages of users that a learner is shown, by their numbers. */
export const messagesIn = (
  text: string,
): readonly { readonly n: number; readonly text: string }[] =>
  [...text.matchAll(/<message n="(\d+)"[^>]*>([^<]*)<\/message>/g)].map(([, n, words = '']) => ({
    n: Number(n),
    text: words,
  }))

/** Keeps what users like, by the words "I like ‹something›". */
export const keepsLikes = (text: string): readonly ScriptedCall[] =>
  messagesIn(text).flatMap(({ n, text: words }) =>
    [...words.matchAll(/I like ([\w ]+)/g)].map(([, liked = '']) => ({
      tool: 'remember',
      args: { text: `Likes ${liked}.`, kind: 'preference', from: [n], confidence: 0.9 },
    })),
  )

export interface Scene {
  readonly engine: Engine
  readonly register: Register
  /** Requests of learners. */
  readonly asked: ModelRequest[]
  /** Requests of others. */
  readonly answered: ModelRequest[]
  /** Says something for somebody, and waits for the end of the run. Answers its id. */
  say(words: string, more?: Parameters<typeof begin>[2]): Promise<string>
  /** The note about learning of a run. */
  noted(runId: string): Promise<StoredEvent>
  /** The memory of somebody with the agent: its texts. */
  remembered(): Promise<readonly string[]>
}

/** Plays: `learn` says which calls a learner makes of the text that it is shown; or answers a turn of its own. */
export function remembering(
  definition: AgentDefinition,
  {
    learn = keepsLikes,
    answer = () => 'ok',
    register: given,
    broken,
    settings = {},
  }: {
    readonly learn?: (text: string) => readonly ScriptedCall[]
    readonly answer?: (request: ModelRequest) => Turn | Promise<Turn>
    readonly register?: Register
    readonly settings?: Parameters<typeof world>[0]['settings']
    /** What is otherwise of a turn. */
    readonly broken?: (request: ModelRequest) => Partial<ModelTurn> | null
  } = {},
): Scene {
  const asked: ModelRequest[] = []
  const answered: ModelRequest[] = []
  const model: Model = {
    async call(request, sink, signal) {
      if (!isLearning(request)) {
        answered.push(request)
        const turn = await turnModel([await answer(request)]).call(
          { ...request, prompt: [] },
          sink,
          signal,
        )
        return { ...turn, ...broken?.(request) }
      }
      asked.push(request)
      const calls = learn(shownTo(request))
      const turn = await turnModel([calls.length === 0 ? 'none' : calls]).call(
        { ...request, prompt: [] },
        sink,
        signal,
      )
      return { ...turn, ...broken?.(request) }
    },
  }
  const { engine, register } = world({
    model,
    tools: withMemoryTools(functionTools({})),
    settings: { pollMs: 10, ...settings },
    ...(given ? { register: given } : {}),
  })
  const memory = memoryOf({ ...caller, ...ann }, definition)
  return {
    engine,
    register,
    asked,
    answered,
    async say(words, more = {}) {
      const input = [
        {
          id: `u_${words}`,
          role: 'user' as const,
          parts: [{ type: 'text' as const, text: words }],
        },
      ]
      const runId = await begin(engine, definition, { threadId: 't1', input, ...ann, ...more })
      await outcomeOf(register, runId)
      return runId
    },
    noted: (runId) =>
      until(async () =>
        (await register.events(runId, {})).find(({ type }) => type.startsWith('memory.')),
      ),
    async remembered() {
      if (!memory) return []
      const thread = { ...caller, threadId: memory.threadId }
      const { items } = await memoriesOf(register).shown(thread)
      return items.map(({ text }) => text)
    },
  }
}

export const memoriesOf = (register: Register) => createMemories({ register, clock: systemClock })
