/**
 * Detectors of a configuration that do not do what they promise. Would catch: a call that executes although nobody knows what its detector
 * would have said, a turn that does not name the detector, and a process that ends of a promise nobody awaited.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels, type DetectorEvidence, type SafetyDetector } from '../src/index.ts'
import { wireOf } from '../src/observer/wires.ts'
import { callsOf, env, type Provider, providers, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import type { Event } from './support/wire-bytes.ts'
import { built, canary, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

async function askWith(detect: unknown, provider: Provider, more: readonly Event[] = []) {
  const wire = wireOf(provider)
  const { open, wholeCall } = built[wire]
  const reply = streamReply(wire, [...open, ...more, ...wholeCall, ...goodEnding(wire)])
  // What a module exports is believed to be a detector once it has a name and a function.
  const own: Readonly<Record<string, SafetyDetector>> = JSON.parse('{"own":{"name":"house"}}')
  Object.assign(own['own'] ?? {}, { detect })
  const asked = request({ provider, baseURL: loopback.reply(reply), detectors: [{ use: 'own' }] })
  const warned: unknown[] = []
  const log = { warn: (message: string, said?: object) => void warned.push({ message, ...said }) }
  const signal = new AbortController().signal
  const models = createModels({ env, detectors: own, log })
  return { turn: await models.call(asked, { delta: () => undefined }, signal), warned }
}

const faulty: readonly (readonly [string, () => unknown])[] = [
  [
    'throws an error',
    () => {
      throw new Error('broken')
    },
  ],
  [
    'throws no error',
    () => {
      throw undefined
    },
  ],
  ['answers nothing', () => undefined],
  ['answers a word', () => 'false'],
  ['answers a number', () => 0],
  ['answers an object', () => ({ safe: true })],
  ['answers later', async () => false],
  ['never answers', () => new Promise(() => undefined)],
  ['fails later', () => Promise.reject(new Error('later'))],
]

describe.each(providers)('%s: a detector that', (provider) => {
  test.each(faulty)('%s: nothing executes, and the turn names it', async (_, detect) => {
    const { turn, warned } = await askWith(detect, provider)
    expect(turn.verdict).toBe('unknown_terminal')
    expect(callsOf(turn)).toEqual([])
    expect(turn.cut?.code).toBe('detector_failed')
    expect(turn.cut?.detail).toContain('"house"')
    expect(turn.suppressed).toHaveLength(1)
    expect(JSON.stringify([turn, warned])).not.toContain(canary)
    expect(warned).toContainEqual(expect.objectContaining({ detector: 'house' }))
    // A rejection that nobody handles would end the process: it would be told by now.
    await new Promise((resolve) => setTimeout(resolve, 5))
  })

  test('fails once, late: nothing executes', async () => {
    let asked = 0
    const detect = () => {
      asked += 1
      if (asked === 2) throw new Error('once')
      return false
    }
    const { turn } = await askWith(detect, provider)
    expect(asked).toBeGreaterThan(1)
    expect(turn.verdict).not.toBe('complete')
    expect(callsOf(turn)).toEqual([])
  })

  test('sees fields of any chunk that nobody knows, and stops by them', async () => {
    const unknown = { house_guard: { verdicts: [{ level: 7 }, { acted: true }] } }
    const events =
      wireOf(provider) === 'converse'
        ? [{ houseGuard: unknown }]
        : [{ type: 'house.guard', choices: [], candidates: [], ...unknown }]
    const seen: DetectorEvidence[] = []
    const detect = (evidence: DetectorEvidence) => {
      seen.push(evidence)
      return evidence.field.endsWith('house_guard.verdicts.acted') && evidence.value === 'true'
    }
    const { turn } = await askWith(detect, provider, events)
    expect(seen).toContainEqual(expect.objectContaining({ kind: 'field', value: '7' }))
    expect(turn.verdict).toBe('safety')
    expect(turn.evidence).toMatchObject([{ detector: 'house', value: 'true' }])
    expect(callsOf(turn)).toEqual([])
    expect(JSON.stringify(seen)).not.toContain(canary)
  })
})
