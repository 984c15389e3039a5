/**
 * Detectors of the user's own see every field of every chunk. Would catch: a vendor whose filter speaks in a field that no
 * reader of ours knows, a detector that is shown what the model says, and one that fails and lets the calls run.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createModels } from '../src/index.ts'
import { fieldsIn } from '../src/observer/chunk-fields.ts'
import { callsOf, env, request, streamReply } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, canary, chatDelta, goodEnding } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

interface Shown {
  readonly kind: string
  readonly field: string
  readonly value: string
}

/** A call of a chat model whose stream has these events more, under one detector. */
async function detected(
  detect: (shown: Shown) => unknown,
  more: readonly Readonly<Record<string, unknown>>[] = [],
) {
  const shown: Shown[] = []
  const detector = {
    name: 'own',
    detect: (one: Shown): boolean => {
      shown.push(one)
      // What a configuration in JavaScript brings along may answer anything.
      return JSON.parse(JSON.stringify(detect(one)))
    },
  }
  const events = [...built.chat.open, ...built.chat.wholeCall, ...more, ...goodEnding('chat')]
  const baseURL = loopback.reply(streamReply('chat', events))
  const models = createModels({ env, detectors: { own: detector } })
  const asked = request({ provider: 'openai-compatible', baseURL, detectors: [{ use: 'own' }] })
  const turn = await models.call(asked, { delta: () => {} }, new AbortController().signal)
  return { turn, shown }
}

const flag = [{ ...chatDelta({}), vendor: { moderation: { hit: true, level: 3 } } }]

const says = ({ field, value }: Shown) => field === 'vendor.moderation.hit' && value === 'true'

test('a flag of a new vendor, deep in a chunk, stops the answer', async () => {
  const { turn } = await detected(says, flag)
  expect(turn.verdict).toBe('safety')
  expect(turn.evidence).toEqual([
    { detector: 'own', field: 'vendor.moderation.hit', value: 'true' },
  ])
  expect(callsOf(turn)).toEqual([])
})

test('a detector that finds nothing changes nothing, and is shown no text and no arguments', async () => {
  const { turn, shown } = await detected(() => false, flag)
  expect(turn.verdict).toBe('complete')
  expect(shown).toContainEqual(
    expect.objectContaining({ kind: 'field', field: 'vendor.moderation.level', value: '3' }),
  )
  expect(JSON.stringify(shown)).not.toMatch(new RegExp(`${canary}|I write`))
})

test.each([
  [
    'throws',
    () => {
      throw new Error('broken')
    },
  ],
  ['answers no boolean', () => 'yes'],
])('a detector that %s: nothing is executed', async (_how, detect) => {
  const { turn } = await detected(detect)
  expect(turn.verdict).toBe('unknown_terminal')
  expect(callsOf(turn)).toEqual([])
})

describe('fields', () => {
  test('by their paths, words and flags and numbers', () => {
    expect(
      fieldsIn({ a: { b: [{ c: true }, { c: false }] }, d: 1.5, e: 'x', f: null, g: '' }),
    ).toEqual([
      { field: 'a.b.c', value: 'true' },
      { field: 'a.b.c', value: 'false' },
      { field: 'd', value: '1.5' },
      { field: 'e', value: 'x' },
    ])
  })

  test('of any chunk, within bounds', () => {
    let deep: object = { end: true }
    for (let n = 0; n < 1000; n += 1) deep = { deep }
    expect(fieldsIn(deep)).toEqual([])
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, n) => [`f${n}`, n]))
    expect(fieldsIn(wide)).toHaveLength(128)
    expect(fieldsIn({ note: 'x'.repeat(201) })).toEqual([])
  })
})
