/**
 * The footprints of runs, in a form that two builds can be compared by: every append and what it carries, the fields of every event,
 * the rows, the reads of the conversation, and every request to a model, byte for byte. Ids that differ from run to run are replaced.
 *
 * It uses nothing that the build before conversations had marks did not have, so that it can be played there: that is where
 * `test/recorded/without-context.json` is from.
 */
import { createHash } from 'node:crypto'
import type { AppendItem, Model, ModelRequest } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { withAppend } from './faulty.ts'
import { approveFirst, begin, outcomeOf } from './governed.ts'
import { agent, functionTools, toolSpec, type Turn, turnModel, world } from './world.ts'

/** Of one run. */
export interface Footprint {
  readonly outcome: string
  /** An append each: its facts, `decision` with its events and effects, claims, in this order. */
  readonly appends: readonly string[]
  /** Type and fields of each event. */
  readonly events: readonly string[]
  readonly effects: number
  readonly timers: number
  /** How often the conversation was read from the register. */
  readonly conversations: number
  /** sha256 of each request, and its bytes. */
  readonly requests: readonly string[]
  /** sha256 of the last cached state, and its bytes. */
  readonly state: string
}

const digest = (text: string): string =>
  `${createHash('sha256').update(text).digest('hex').slice(0, 16)} ${Buffer.byteLength(text)}`

const kindOf = ({ create, facts = [], decision, notes = [], claims = [] }: AppendItem): string =>
  [
    ...(create ? ['create'] : []),
    ...facts.map(({ type }) => type),
    ...(decision
      ? [
          `decision(${[...decision.events.map(({ type }) => type), ...decision.effects.map(({ kind }) => kind)].join(' ')})`,
        ]
      : []),
    ...notes.map(({ type }) => type),
    ...claims.map(() => 'claim'),
  ].join(' + ')

/** The names of all fields, at any depth; of a list, those of its first member. */
function fieldsOf(value: unknown): string {
  if (Array.isArray(value)) return `[${value.length === 0 ? '' : fieldsOf(value[0])}]`
  if (typeof value !== 'object' || value === null) return ''
  return `{${Object.entries(value)
    .map(([key, each]) => `${key}${fieldsOf(each)}`)
    .toSorted()
    .join(',')}}`
}

/** Everything of a request but what is new each time, and what only a cache is told. */
const bytesOf = ({
  model,
  detectors,
  prompt,
  tools,
  messageId,
  callIdPrefix,
  endUser,
}: ModelRequest): string =>
  JSON.stringify({ model, detectors, prompt, tools, messageId, callIdPrefix, endUser })
    // Of content that stands elsewhere: keyed by each thread anew.
    .replaceAll(/"key":"[0-9a-f]{64}"/g, '"key":""')

const long = 'word '.repeat(4_000)
const tools = () =>
  functionTools({
    look: async ({ n }) => `page ${JSON.stringify(n)}`,
    dump: async () => long,
    pay: async () => 'paid',
    fails: async () => {
      throw new Error('it broke')
    },
  })

const call = (tool: string, n: number): Turn => [{ tool, args: { n } }]
const plays: Readonly<Record<string, readonly Turn[]>> = {
  reads: [call('look', 1), call('dump', 2), call('fails', 3), call('look', 4), 'Read.'],
  // The same thread, and its conversation with it.
  'goes on': [call('look', 5), 'Read again.'],
  'is approved': [call('pay', 1), 'Paid.'],
  circles: [call('look', 1), call('look', 1), call('look', 1), call('look', 1), call('look', 1)],
}

/** The first request is refused, once by each model. Not for its length: recovery from that is for all agents, and so no matter of this. */
function failing(model: Model): Model {
  let n = 0
  return {
    async call(request, sink, signal) {
      n += 1
      const answer = await model.call(request, sink, signal)
      if (n > 2) return answer
      const error = { class: 'overloaded' as const, retryable: true, message: 'busy' }
      return { ...answer, verdict: 'error', error, finish: null, usage: {} }
    },
  }
}

const definition = agent(
  [toolSpec('look'), toolSpec('dump'), toolSpec('pay', 'once'), toolSpec('fails')],
  {
    fallbackModels: [{ provider: 'scripted', model: 'other' }],
    guardrails: { approvalTools: ['pay'] },
    modelRetries: { max: 1, baseMs: 1, capMs: 1 },
    limits: { maxTurns: 8, warnAt: 0.5 },
  },
)

/** Plays all of it, by name. */
export async function footprints(): Promise<Readonly<Record<string, Footprint>>> {
  const found: Record<string, Footprint> = {}
  const memory = createMemoryRegister(systemClock)
  for (const [name, turns] of Object.entries(plays)) {
    const appends: string[] = []
    const requests: string[] = []
    let conversations = 0
    const counted = withAppend(memory, async (item, next) => {
      appends.push(kindOf(item))
      return next(item)
    })
    // A read of the conversation counts under each of the names that builds give it.
    const register = new Proxy(counted, {
      get(target, key) {
        if (key === 'conversation' || key === 'continuation' || key === 'sinceCut')
          conversations += 1
        return Reflect.get(target, key)
      },
    })
    const model = failing(byOwnTurn(turns))
    const { engine } = world({
      model: {
        call(request, sink, signal) {
          requests.push(bytesOf(request))
          return model.call(request, sink, signal)
        },
      },
      tools: tools(),
      register,
      settings: { pollMs: 60_000, verifyEvery: 0 },
    })
    await engine.start()
    const threadId = name === 'goes on' ? 'reads' : name
    const runId = await begin(engine, definition, { threadId })
    if (name === 'is approved') await approveFirst(engine, memory, runId)
    const outcome = await outcomeOf(memory, runId)
    await engine.stop(1_000)
    const { tables } = memory
    const plain = (text: string): string =>
      [...tables.runs.keys()].reduce(
        (left, id, n) => left.replaceAll(id, `run ${n}`).replaceAll(id.slice(-12), `run ${n}`),
        text,
      )
    found[name] = {
      outcome,
      appends,
      events: (tables.events.get(runId) ?? []).map(
        ({ type, payload }) => `${type} ${fieldsOf(payload)}`,
      ),
      effects: [...tables.effects.values()].filter((each) => each.runId === runId).length,
      timers: [...tables.timers.values()].filter((each) => each.runId === runId).length,
      conversations,
      requests: requests.map((each) => digest(plain(each))),
      state: digest(fieldsOf(tables.runs.get(runId)?.state)),
    }
  }
  return found
}

/** Plays the turns of a run by their numbers, whatever its thread has heard before. */
function byOwnTurn(turns: readonly Turn[]): Model {
  return {
    call(request, sink, signal) {
      const turn = turns[Number(request.callIdPrefix.split('_').at(-1)) - 1] ?? 'done'
      const index = request.prompt.filter(({ role }) => role === 'assistant').length
      return turnModel(Array.from({ length: index + 1 }, () => turn)).call(request, sink, signal)
    },
  }
}
