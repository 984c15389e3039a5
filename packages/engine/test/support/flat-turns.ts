/**
 * Counts the cost of a turn for the orchestrator, early and late in a run that is never shortened: no machine changes these figures.
 * `node --no-opt --no-maglev flat-turns.ts <run|thread>` prints them as JSON.
 */
import type { JsonObject } from '@signalbox/core'
import { type Register, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { Session } from 'node:inspector'
import { fileURLToPath } from 'node:url'
import { begin, outcomeOf } from './governed.ts'
import { agent, functionTools, type ScriptedCall, toolSpec, turnModel, world } from './world.ts'

/** Of one turn, on average over a stretch of turns. */
export interface TurnCosts {
  /** Blocks of `core` and `engine` that were executed. */
  readonly steps: number
  /** Reads of the register, and the rows they brought. */
  readonly reads: number
  readonly rows: number
}

export interface FlatTurns {
  readonly turns: number
  readonly early: TurnCosts
  readonly late: TurnCosts
}

const turns = 1_000
/** From each of these turns on, as many are counted. */
const stretch = 100
const early = 10
const late = turns - stretch

type Counted = Record<keyof TurnCosts, number>

/** Counts the blocks that V8 executes. */
function stepCounter() {
  const session = new Session()
  session.connect()
  session.post('Profiler.enable')
  return {
    begin(): void {
      session.post('Profiler.startPreciseCoverage', { callCount: true, detailed: true })
      session.post('Profiler.takePreciseCoverage')
    },
    /** Since the beginning. */
    end(): number {
      let steps = 0
      session.post('Profiler.takePreciseCoverage', (error, covered) => {
        if (error) throw error
        for (const { url, functions } of covered.result)
          if (/\/packages\/(?:core|engine)\/src\//.test(url))
            for (const { ranges } of functions) for (const { count } of ranges) steps += count
      })
      session.post('Profiler.stopPreciseCoverage')
      return steps
    },
  }
}

/** The rows of an answer: of a tail, its events. */
function rowsOf(answer: unknown): number {
  if (typeof answer !== 'object' || answer === null) return 1
  const rows: unknown = 'events' in answer ? answer.events : answer
  return Array.isArray(rows) ? rows.length : 1
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
        counted.rows += rowsOf(answer)
        return answer
      }
    },
  })
}

/** The costs of each stretch, from the call of the model that begins it to the one that ends it. */
function stretches(counted: Counted) {
  const steps = stepCounter()
  const taken: TurnCosts[] = []
  let before: Counted = { ...counted }
  return {
    taken,
    at(turn: number): void {
      if (turn === early || turn === late) {
        before = { ...counted }
        steps.begin()
      }
      if (turn !== early + stretch && turn !== late + stretch) return
      counted.steps += steps.end()
      const of = (name: keyof TurnCosts): number => (counted[name] - before[name]) / stretch
      taken.push({ steps: of('steps'), reads: of('reads'), rows: of('rows') })
    },
  }
}

const calls = (n: number): readonly ScriptedCall[] => [{ tool: 'dump', args: { n } }]

/** Plays one run of 1,000 turns, or 500 runs of two turns in one thread. */
export async function countTurns(of: 'run' | 'thread'): Promise<FlatTurns> {
  const counted: Counted = { steps: 0, reads: 0, rows: 0 }
  const memory = createMemoryRegister(systemClock)
  const counts = stretches(counted)
  let turn = 0
  const script = turnModel(Array.from({ length: turns }, (_, n) => calls(n)))
  const short = turnModel([calls(0)])
  const { engine } = world({
    model: {
      async call(request, sink, signal) {
        turn += 1
        counts.at(turn)
        if (of === 'run') return script.call(request, sink, signal)
        // The prompt holds the runs before as well: its last message says where this run is.
        const isFirst = request.prompt.at(-1)?.role === 'user'
        const own = { ...request, prompt: isFirst ? [] : request.prompt.slice(-2) }
        return short.call(own, sink, signal)
      },
    },
    tools: functionTools({ dump: async ({ n }) => `#${JSON.stringify(n)} ${'w'.repeat(500)}` }),
    register: countingReads(memory, counted),
    settings: { pollMs: 600_000, verifyEvery: 0 },
  })
  await engine.start()
  try {
    const limits: JsonObject = { maxTurns: turns + 1, maxToolCalls: turns, maxTokens: 1e9 }
    const definition = agent([toolSpec('dump')], { limits, loop: { enabled: false } })
    const runs = of === 'run' ? 1 : turns / 2 + 1
    for (let n = 0; n < runs; n += 1) {
      const runId = await begin(engine, definition, { threadId: 'one' })
      const outcome = await outcomeOf(memory, runId)
      if (outcome !== 'completed') throw new Error(`a run ended ${outcome}`)
    }
    const [first, last] = counts.taken
    if (!first || !last) throw new Error('the runs ended before these turns')
    return { turns: turn, early: first, late: last }
  } finally {
    await engine.stop(1_000)
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const of = process.argv[2] === 'thread' ? 'thread' : 'run'
  process.stdout.write(JSON.stringify(await countTurns(of)))
}
