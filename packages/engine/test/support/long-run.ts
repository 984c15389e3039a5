/**
 * A run of many turns, each with a result of 8 kB, before a window, and everything that is measured of it (context systems §19, numbers). The provider
 * counts four bytes as a token, and reads from its cache the longest beginning, in whole messages, that it was sent before.
 */
import { createHash } from 'node:crypto'
import { checkPairing } from '@signalbox/core'
import { type Model, type ModelRequest, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { byTurn, dumping, eventsOf, reads, readerAgent, roomy, said } from './compacting.ts'
import { isSummary, tokensIn } from './counting.ts'
import { withAppend } from './faulty.ts'
import { begin, outcomeOf } from './governed.ts'
import { world } from './world.ts'

export interface LongRun {
  readonly turns: number
  /** Of the model, in tokens. */
  readonly window: number
}

/** The figures of a long run. Times in milliseconds, shares from 0 to 1. */
export interface LongRunFigures {
  readonly outcome: string
  readonly requests: number
  readonly largest: number
  readonly refused: number
  readonly pairingFaults: number
  readonly prunes: number
  readonly summaries: number
  readonly unchanged: number
  /** R² of the line through what was sent in all, turn by turn. */
  readonly linearity: number
  /** Of all input tokens, those that were read from the cache. */
  readonly cached: number
  /** Of the bytes of a turn's request, those that are the beginning of the one before: the median. */
  readonly medianSame: number
  /** From the decision that asks for a turn to its request, near turn 100 and at the end. */
  readonly buildAt100: number
  readonly buildAtEnd: number
  /** The largest cached state, in bytes. */
  readonly state: number
  readonly seconds: number
}

interface Sent {
  readonly bytes: number
  readonly cachedBytes: number
  readonly isSummary: boolean
}

/** A cache of beginnings: of each request, every beginning in whole messages is known from then on. */
function prefixCache(): (request: ModelRequest) => Sent {
  const known = new Set<string>()
  return (request) => {
    const parts = [request.tools, ...request.prompt].map((part) => JSON.stringify(part))
    let [hash, bytes, cachedBytes] = ['', 0, 0]
    for (const part of parts) {
      hash = createHash('sha256').update(`${hash}${part}`).digest('hex')
      bytes += Buffer.byteLength(part)
      if (known.has(hash)) cachedBytes = bytes
      known.add(hash)
    }
    return { bytes, cachedBytes, isSummary: isSummary(request) }
  }
}

/** Of some 900 characters, as a summary of that much work has. */
const summary = 'What was read so far. '.repeat(40)

export async function playLongRun({ turns, window }: LongRun): Promise<LongRunFigures> {
  const began = performance.now()
  const measure = prefixCache()
  const sent: Sent[] = []
  const tokens: number[] = []
  const times: number[] = []
  let [refused, pairingFaults, state, asked] = [0, 0, 0, 0]
  const plays = byTurn(reads(turns), () => said(summary))
  const model: Model = {
    async call(request, sink, signal) {
      if (!isSummary(request)) times.push(performance.now() - asked)
      pairingFaults += checkPairing(request.prompt).length
      const inputTokens = tokensIn(request)
      tokens.push(inputTokens)
      const size = measure(request)
      sent.push(size)
      if (inputTokens > window) refused += 1
      const answer = await plays.call(request, sink, signal)
      const cachedInputTokens = Math.floor((inputTokens * size.cachedBytes) / size.bytes)
      return { ...answer, usage: { inputTokens, outputTokens: 20, cachedInputTokens } }
    },
  }
  const memory = createMemoryRegister(systemClock)
  const register = withAppend(memory, async (item, next) => {
    const result = await next(item)
    const { decision } = item
    if (decision) state = Math.max(state, Buffer.byteLength(JSON.stringify(decision.state)))
    if (decision?.effects.some(({ kind }) => kind === 'model.call')) asked = performance.now()
    return result
  })
  const { engine } = world({ model, tools: dumping(), register, settings: { verifyEvery: 1_000 } })
  await engine.start()
  try {
    const runId = await begin(
      engine,
      readerAgent({
        model: { ...roomy.model, contextWindow: window },
        // A small window takes a summary every few turns: more than an agent makes by default in one run.
        context: { compact: { maxPerRun: turns } },
        limits: { maxTurns: turns + 1, maxToolCalls: turns, maxTokens: 1_000_000_000 },
      }),
    )
    const outcome = await outcomeOf(register, runId)
    const counts = async (type: string) => (await eventsOf(register, runId, type)).length
    return {
      outcome,
      requests: tokens.length,
      largest: Math.max(...tokens),
      refused,
      pairingFaults,
      prunes: await counts('context.pruned'),
      summaries: await counts('context.compacted'),
      unchanged: await counts('context.unchanged'),
      linearity: linearityOf(tokens),
      cached: shareOf(sent),
      medianSame: medianOf(
        sent.filter((each) => !each.isSummary).map(({ bytes, cachedBytes }) => cachedBytes / bytes),
      ),
      buildAt100: medianOf(times.slice(80, 120)),
      buildAtEnd: medianOf(times.slice(-40)),
      state,
      seconds: (performance.now() - began) / 1_000,
    }
  } finally {
    await engine.stop(1_000)
  }
}

const sum = (numbers: readonly number[]): number => numbers.reduce((a, b) => a + b, 0)

const shareOf = (sent: readonly Sent[]): number =>
  sum(sent.map(({ cachedBytes }) => cachedBytes)) / sum(sent.map(({ bytes }) => bytes))

const medianOf = (numbers: readonly number[]): number =>
  numbers.toSorted((a, b) => a - b)[numbers.length >> 1] ?? 0

/** How well a line fits what was sent in all, request by request: R². */
function linearityOf(tokens: readonly number[]): number {
  let total = 0
  const sums = tokens.map((each) => (total += each))
  const meanX = (sums.length - 1) / 2
  const meanY = sum(sums) / sums.length
  let [xy, xx, yy] = [0, 0, 0]
  for (const [x, y] of sums.entries()) {
    xy += (x - meanX) * (y - meanY)
    xx += (x - meanX) ** 2
    yy += (y - meanY) ** 2
  }
  return xy ** 2 / (xx * yy)
}

/** A figure beside its limit. */
export interface Judged {
  readonly what: string
  readonly value: number
  readonly limit: number
  /** Must it be at most the limit, or at least? */
  readonly is: 'at most' | 'at least'
  readonly holds: boolean
}

const atMost = (what: string, value: number, limit: number): Judged => ({
  what,
  value,
  limit,
  is: 'at most',
  holds: value <= limit,
})
const atLeast = (what: string, value: number, limit: number): Judged => ({
  what,
  value,
  limit,
  is: 'at least',
  holds: value >= limit,
})

/** The limits of a window, by the acceptance of the context systems. */
const limitsOf = (window: number) =>
  window < 64_000 ? { cached: 0.75, every: 5 } : { cached: 0.9, every: 10 }

/** Shorter runs say nothing of what a turn late in a run costs. */
const lateTurns = 1_000

/** Every figure that has a limit. What a request has in common with the one before is a matter of the window: at 32,000, a result is a seventh of it. */
export function judgedOf({ turns, window }: LongRun, figures: LongRunFigures): readonly Judged[] {
  const { cached, every } = limitsOf(window)
  return [
    atLeast('run completed', figures.outcome === 'completed' ? 1 : 0, 1),
    atMost('tokens of the largest request', figures.largest, window),
    atMost('requests over the window', figures.refused, 0),
    atMost('pairing faults', figures.pairingFaults, 0),
    atLeast('R² of the input tokens', figures.linearity, 0.99),
    atLeast('share of input read from the cache', figures.cached, cached),
    // Requests that the window does not fill yet are short, and a result is much of each.
    ...(window < 64_000 || turns < lateTurns
      ? []
      : [atLeast('median share that is the last', figures.medianSame, 0.95)]),
    atMost('prunes and summaries', figures.prunes + figures.summaries, turns / every),
    atMost('summaries that failed', figures.unchanged, 0),
    atMost('bytes of the cached state', figures.state, 2_048),
    ...(turns < lateTurns
      ? []
      : [atMost('request at the end / at turn 100', figures.buildAtEnd / figures.buildAt100, 1.2)]),
  ]
}
