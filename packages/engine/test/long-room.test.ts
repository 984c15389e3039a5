/**
 * A long run before windows of 32,000 and 128,000 tokens (context systems §19, numbers). Would catch: input that grows with the square of the turns,
 * a prefix that changes with every turn, a request that takes the longer to build the longer the run is.
 *
 * 150 turns with every commit, 1,000 with `SIGNALBOX_FULL=1`.
 */
import { checkPairing } from '@signalbox/core'
import { type Model, type ModelRequest, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import { counting, isSummary, reader, tokensIn } from './support/counting.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, world } from './support/world.ts'

const isFull = process.env['SIGNALBOX_FULL'] === '1'
const turns = isFull ? 1_000 : 150

/** What a provider reads from its cache: the beginning that a request has in common with one before it, in whole messages. */
function cachedShare(requests: readonly ModelRequest[]): {
  readonly all: number
  readonly median: number
} {
  let last: readonly string[] = []
  let [cached, sent] = [0, 0]
  const shares: number[] = []
  for (const request of requests) {
    const parts = [
      JSON.stringify(request.tools),
      ...request.prompt.map((each) => JSON.stringify(each)),
    ]
    const differs = parts.findIndex((part, n) => part !== last[n])
    const same = bytesOf(parts.slice(0, differs < 0 ? parts.length : differs))
    const whole = bytesOf(parts)
    cached += same
    sent += whole
    shares.push(same / whole)
    // The task of a summary is behind what the next request begins with.
    last = isSummary(request) && last.length > 0 ? last : parts
  }
  return { all: cached / sent, median: shares.toSorted((a, b) => a - b)[shares.length >> 1] ?? 0 }
}

const bytesOf = (parts: readonly string[]): number =>
  parts.reduce((bytes, part) => bytes + Buffer.byteLength(part), 0)

/** How well a line through the origin's neighbourhood fits what was sent in all, turn by turn: R². */
function linearity(sums: readonly number[]): number {
  const n = sums.length
  const meanX = (n - 1) / 2
  const meanY = sums.reduce((a, b) => a + b, 0) / n
  let [xy, xx, yy] = [0, 0, 0]
  for (const [x, y] of sums.entries()) {
    xy += (x - meanX) * (y - meanY)
    xx += (x - meanX) ** 2
    yy += (y - meanY) ** 2
  }
  return xy ** 2 / (xx * yy)
}

const summary = async () => ({
  message: {
    id: 's',
    role: 'assistant' as const,
    parts: [{ type: 'text' as const, text: 'What was read so far. '.repeat(40) }],
  },
})

test.each([
  { window: 32_000, cached: 0.75, median: 0.75, every: 5 },
  { window: 128_000, cached: 0.9, median: 0.9, every: 10 },
])(
  'a run of many turns in a window of $window',
  async ({ window, cached, median, every }) => {
    const counted = counting(reader(turns, summary), window)
    const times: number[] = []
    let ended = performance.now()
    const model: Model = {
      async call(request, sink, signal) {
        if (!isSummary(request)) times.push(performance.now() - ended)
        const answer = await counted.model.call(request, sink, signal)
        ended = performance.now()
        return answer
      },
    }
    const register = createMemoryRegister(systemClock)
    const tools = functionTools({ dump: async ({ n }) => `${JSON.stringify(n)} ${'w'.repeat(8_000)}` })
    const { engine } = world({ model, tools, register, settings: { verifyEvery: 1_000 } })
    await engine.start()
    onTestFinished(() => engine.stop(1_000))
    const runId = await begin(
      engine,
      agent([toolSpec('dump')], {
        model: { provider: 'scripted', model: 'test', contextWindow: window },
        context: {},
        limits: { maxTurns: 2_000, maxToolCalls: 2_000, maxTokens: 1_000_000_000 },
        loop: { enabled: false },
      }),
    )
    expect(await outcomeOf(register, runId)).toBe('completed')

    const { requests } = counted
    for (const request of requests) {
      expect(tokensIn(request)).toBeLessThanOrEqual(window)
      expect(checkPairing(request.prompt)).toEqual([])
    }
    const events = await register.events(runId, {})
    const reliefs = events.filter(
      ({ type }) => type === 'context.pruned' || type === 'context.compacted',
    )
    expect(reliefs.length).toBeLessThanOrEqual(turns / every)
    const sums: number[] = []
    for (const request of requests) sums.push((sums.at(-1) ?? 0) + tokensIn(request))
    expect(linearity(sums)).toBeGreaterThanOrEqual(0.99)
    const share = cachedShare(requests)
    expect(share.median).toBeGreaterThanOrEqual(median)
    expect(share.all).toBeGreaterThanOrEqual(cached)
    console.log(
      `window ${window}: ${requests.length} requests, ${reliefs.length} reliefs, ${share.all.toFixed(3)} cached, median ${share.median.toFixed(3)}, ` +
        `a turn takes ${medianOf(times.slice(80, 120)).toFixed(1)} ms near 100, ${medianOf(times.slice(-40)).toFixed(1)} ms at the end`,
    )
  },
  isFull ? 600_000 : 120_000,
)

const medianOf = (times: readonly number[]): number =>
  times.toSorted((a, b) => a - b)[times.length >> 1] ?? 0
