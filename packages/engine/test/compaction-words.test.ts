/**
 * Long words of a user, which stand behind a summary as they were said (context systems §5.3, §5.4 "bound", §19 P6). Would catch: a summary that counts
 * them among what it replaces, and so passes for one that gains; a run that pays for such summaries again and again; a fact that tells a
 * conversation much shorter than the next request is.
 */
import { factSchemas, payloadOf } from '@signalbox/core'
import { systemClock } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, onTestFinished, test } from 'vitest'
import { byTurn, dumping, eventsOf, reads, readerAgent, said } from './support/compacting.ts'
import { counting, isSummary, tokensIn } from './support/counting.ts'
import { begin, eventOf, outcomeOf } from './support/governed.ts'
import { world } from './support/world.ts'

/** A run that reads so many results behind words of so many characters. */
async function played(results: number, chars: number, summary: string) {
  const register = createMemoryRegister(systemClock)
  const plays = byTurn(reads(results), () => said(summary))
  const { model, requests } = counting(plays, 32_000)
  const { engine } = world({ model, tools: dumping(), register })
  await engine.start()
  onTestFinished(() => engine.stop(1_000))
  const text = 'y'.repeat(chars)
  const words = { id: 'u_long', role: 'user' as const, parts: [{ type: 'text' as const, text }] }
  const runId = await begin(engine, readerAgent(), { input: [words] })
  expect(await outcomeOf(register, runId)).toBe('completed')
  return { register, requests, runId, text }
}

test('the fact tells how long the next request is, with the words in it (P6)', async () => {
  const { register, requests, runId, text } = await played(6, 40_000, 'Some are read.')
  const event = await eventOf(register, runId, 'context.compacted')
  const { tokens } = payloadOf(factSchemas['context.compacted'], event)
  const next = requests[requests.findIndex(isSummary) + 1]
  expect(JSON.stringify(next?.prompt)).toContain(text)
  const real = next ? tokensIn(next) : 0
  expect(tokens.after).toBeGreaterThan(real * 0.9)
  expect(tokens.after).toBeLessThan(real * 1.25)
})

test('a summary that is longer than half of what it replaces gains nothing, however long the words are', async () => {
  const { register, requests, runId } = await played(3, 72_000, 's'.repeat(9_000))
  expect(await eventsOf(register, runId, 'context.compacted')).toHaveLength(0)
  const unchanged = await eventsOf(register, runId, 'context.unchanged')
  expect(unchanged.map(({ verdict }) => verdict)).toEqual(['no_gain', 'no_gain'])
  expect(requests.filter(isSummary)).toHaveLength(2)
})
