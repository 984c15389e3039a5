/**
 * The costs of a turn early and late in a run, counted: no machine changes these figures. `node --no-opt --no-maglev turn-costs.ts <case>` prints
 * them as JSON; the case is JSON, too (`CostsOf`).
 *
 * A window of 4,000 or 16,000 tokens with results of 1.5 kB goes the way of larger ones: it is filled, cleared and summed up many times over.
 * One of 128,000 with results of 8 kB holds more and more messages, most of them cleared, before it is summed up.
 */
import { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { JsonObjectSchema } from '@signalbox/core'
import type { Register } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { z } from 'zod'
import { byTurn, eventsOf, readerAgent, reads, roomy, said } from './compacting.ts'
import { isSummary, tokensIn } from './counting.ts'
import { withAppend } from './faulty.ts'
import { begin, outcomeOf } from './governed.ts'
import { functionTools, world } from './world.ts'

/** Of one turn, on average over a stretch of turns, summaries and prunes included. */
export interface TurnCosts {
  /** Blocks of `core` and `engine` that were executed. */
  readonly steps: number
  /** Reads of the register, and the rows they brought. */
  readonly reads: number
  readonly rows: number
  /** Characters of JSON that were written to make the request, and to record the answer. */
  readonly jsonToAsk: number
  readonly jsonToRecord: number
}

/** Which run is counted. */
const CostsOf = z.object({
  /** Of the model, in tokens. */
  window: z.number(),
  /** Characters of a result. */
  chars: z.number(),
  turns: z.number(),
  /** From each of these turns on, as many as `stretch` are counted. */
  early: z.number(),
  late: z.number(),
  stretch: z.number(),
  /** Of the agent's `context`. */
  prune: JsonObjectSchema.optional(),
})
export type CostsOf = z.infer<typeof CostsOf>

export interface Costs {
  readonly outcome: string
  /** In the largest request of each stretch. */
  readonly messages: { readonly early: number; readonly late: number }
  readonly early: TurnCosts
  readonly late: TurnCosts
  readonly prunes: number
  readonly summaries: number
}

/** Counts the blocks that V8 executes. */
function stepCounter() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  return {
    begin: () => session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true }),
    /** Since it was asked last. */
    take(): number {
      let steps = 0
      session.post('Profiler.takePreciseCoverage', (error, covered) => {
        if (error) throw error
        for (const { url, functions } of covered.result)
          if (/\/packages\/(?:core|engine)\/src\//.test(url))
            for (const { ranges } of functions) for (const { count } of ranges) steps += count
      })
      return steps
    },
    end: () => session.post('Profiler.stopPreciseCoverage'),
  }
}

/** Of all since the beginning. */
interface Counted {
  steps: number
  reads: number
  rows: number
  jsonToAsk: number
  jsonToRecord: number
}

/** Counts what is asked of a register but appends: with them a run goes on, and they are the same for every turn. */
function countingReads(register: Register, counted: Counted): Register {
  const written = new Set<string | symbol>(['append', 'appendMany', 'renew', 'takeDue'])
  return new Proxy(register, {
    get(target, key) {
      const method: unknown = Reflect.get(target, key)
      if (typeof method !== 'function' || written.has(key)) return method
      return async (...args: readonly unknown[]) => {
        const answer: unknown = await Reflect.apply(method, target, args)
        counted.reads += 1
        counted.rows += Array.isArray(answer) ? answer.length : 1
        return answer
      }
    },
  })
}

/** The work that JSON is counted for at the moment; null: it is not counted. */
type Doing = 'jsonToAsk' | 'jsonToRecord' | null

function countingJson(counted: Counted): (doing: Doing) => void {
  let doing: Doing = null
  JSON.stringify = new Proxy(JSON.stringify, {
    apply(target, self, args) {
      const text: unknown = Reflect.apply(target, self, args)
      if (doing && typeof text === 'string') counted[doing] += text.length
      return text
    },
  })
  return (next) => {
    doing = next
  }
}

/** Plays the run. */
export async function countTurns(of: CostsOf): Promise<Costs> {
  const { turns, early, late, stretch } = of
  const messages = { early: 0, late: 0 }
  const counted: Counted = { steps: 0, reads: 0, rows: 0, jsonToAsk: 0, jsonToRecord: 0 }
  const marks = new Map<number, Counted>()
  const memory = createMemoryRegister(systemClock)
  const steps = stepCounter()
  const doing = countingJson(counted)
  const plays = byTurn(
    (turn, { request: { prompt } }) => {
      // Counting is expensive, so it is done for these alone.
      if (turn === early || turn === late) {
        steps.begin()
        steps.take()
      }
      const isEnd = turn === early + stretch || turn === late + stretch
      if (turn === early || turn === late || isEnd) {
        counted.steps += steps.take()
        marks.set(turn, { ...counted })
      }
      if (isEnd) steps.end()
      if (turn <= early + stretch) messages.early = Math.max(messages.early, prompt.length)
      if (turn > late) messages.late = Math.max(messages.late, prompt.length)
      return reads(turns)(turn)
    },
    () => said('What was read so far.'),
  )
  const register = withAppend(countingReads(memory, counted), async (item, next) => {
    doing(null)
    const result = await next(item)
    const asks = item.decision?.effects.some(({ kind }) => kind === 'model.call')
    if (asks) doing('jsonToAsk')
    return result
  })
  const { engine } = world({
    model: {
      async call(request, sink, signal) {
        doing(null)
        const inputTokens = tokensIn(request)
        const answer = await plays.call(request, sink, signal)
        if (!isSummary(request)) doing('jsonToRecord')
        return { ...answer, usage: { inputTokens, outputTokens: 20 } }
      },
    },
    tools: functionTools({
      dump: async ({ n }) => `#${JSON.stringify(n)} ${'w'.repeat(of.chars)}`,
    }),
    register,
    settings: { pollMs: 600_000, verifyEvery: 0 },
  })
  await engine.start()
  try {
    const runId = await begin(
      engine,
      readerAgent({
        model: { ...roomy.model, contextWindow: of.window },
        context: {
          ...(of.prune ? { prune: of.prune } : {}),
          compact: { maxPerRun: turns },
        },
        limits: { maxTurns: turns + 1, maxToolCalls: turns, maxTokens: 1_000_000_000 },
      }),
    )
    const outcome = await outcomeOf(memory, runId)
    const count = async (type: string) => (await eventsOf(memory, runId, type)).length
    const between = (from: number): TurnCosts =>
      perTurn(stretch, marks.get(from), marks.get(from + stretch))
    return {
      outcome,
      messages,
      early: between(early),
      late: between(late),
      prunes: await count('context.pruned'),
      summaries: await count('context.compacted'),
    }
  } finally {
    await engine.stop(1_000)
  }
}

function perTurn(stretch: number, from: Counted | undefined, to: Counted | undefined): TurnCosts {
  if (!from || !to) throw new Error('the run ended before these turns')
  const of = (name: keyof Counted): number => (to[name] - from[name]) / stretch
  return {
    steps: of('steps'),
    reads: of('reads'),
    rows: of('rows'),
    jsonToAsk: of('jsonToAsk'),
    jsonToRecord: of('jsonToRecord'),
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const of = CostsOf.parse(JSON.parse(process.argv[2] ?? ''))
  process.stdout.write(JSON.stringify(await countTurns(of)))
}
