/**
 * Which requests are not sent for their length. Would catch: a request that would have fitted, refused by the count of an older one whose text
 * had more tokens in its bytes.
 */
import { type StoredEvent, systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, test } from 'vitest'
import { misfitOf } from '../src/perform/room.ts'
import { byTurn, dumping, readerAgent } from './support/compacting.ts'
import { begin, outcomeOf } from './support/governed.ts'
import { world } from './support/world.ts'

const window = 32_000

/** A thread of one run, whose request the provider has counted with so many bytes in a token. */
async function countedAs(bytesPerToken: number): Promise<readonly StoredEvent[]> {
  const register = createMemoryRegister(systemClock)
  const model = byTurn(() => 'done')
  const { engine } = world({
    model: {
      async call(request, sink, signal) {
        const turn = await model.call(request, sink, signal)
        const bytes = Buffer.byteLength(JSON.stringify([request.prompt, request.tools]))
        return {
          ...turn,
          usage: { inputTokens: Math.ceil(bytes / bytesPerToken), outputTokens: 2 },
        }
      },
    },
    tools: dumping(),
    register,
  })
  await engine.start()
  const runId = await begin(engine, readerAgent())
  await outcomeOf(register, runId)
  await engine.stop(1_000)
  return register.events(runId, {})
}

const misfit = (events: readonly StoredEvent[], bytes: number) => {
  const agent = readerAgent()
  const draft = { events, overflows: [], cuts: () => [], images: () => [] }
  return misfitOf({ agent, model: agent.model, runId: 'other', bytes, draft })
}

test('a request that may fit is sent, however dense the text was that was counted last', async () => {
  const dense = await countedAs(2)
  // By that count some 75,000 tokens; by four bytes in a token, 37,500; by six, 25,000.
  expect(misfit(dense, 150_000)).toBeNull()
  expect(misfit([], 150_000)).toBeNull()
})

test('one that is too long by the longest tokens is not, and its tokens are told by what is known', async () => {
  const dense = await countedAs(2)
  expect(misfit(dense, 200_000)).toMatchObject({ window })
  expect(misfit(dense, 200_000)?.tokens).toBeGreaterThan(90_000)
  expect(misfit([], 200_000)).toEqual({ tokens: Math.ceil(200_000 / 6), window })
})
