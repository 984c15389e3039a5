/**
 * Guardrails over arguments and results. Would catch: a secret in a key, in a number, deep in a list; a password whose only
 * sign is the key it stands under; a value that is lost when two keys become one marker.
 */
import { describe, expect, test } from 'vitest'
import { createGuardrail } from '../../src/guardrails/create-guardrail.ts'
import { inspectArguments, redactResult } from '../../src/guardrails/inspect.ts'
import type { Guardrail } from '../../src/guardrails/part.ts'
import { type JsonObject, StreamGuardSpec } from '@signalbox/core'

function guard(spec: object): Guardrail {
  const made = createGuardrail(
    StreamGuardSpec.parse({ arguments: true, toolResults: true, ...spec }),
  )
  if (!made) throw new Error('no such guardrail')
  return made
}

/** By GitHub's format: `ghp_` and 36 letters and digits. Put together here, so that no scanner takes it for a real one. */
const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
/** Passes Luhn's check: the number of Visa's own documentation. */
const card = 4111111111111111

const secrets = guard({ use: 'secrets' })
const pii = guard({ use: 'pii' })
const gone = '[redacted:github-token]'

const inspect = (): never => {
  throw new Error('broken')
}

describe('arguments', () => {
  test.each([
    ['a text', { body: `use ${token} here` }, { body: `use ${gone} here` }],
    ['a list in a list', { a: [['x', token]] }, { a: [['x', gone]] }],
    ['an object in a list', { a: [{ b: token }] }, { a: [{ b: gone }] }],
    ['a key', { [token]: 1 }, { [gone]: 1 }],
  ])('a token in %s', async (_name, args, clean) => {
    expect(await inspectArguments(args, [secrets])).toEqual({
      type: 'passed',
      value: clean,
      taken: [{ guardrail: { id: 'secrets', name: 'Secrets' }, kind: 'github-token', count: 1 }],
    })
  })

  test('two keys that become one marker keep both values', async () => {
    const other = token.replace('a1', 'z9')
    expect(await inspectArguments({ [token]: 1, [other]: 2 }, [secrets])).toMatchObject({
      value: { [gone]: 1, [`${gone} 2`]: 2 },
      taken: [{ count: 2 }],
    })
  })

  test('a password is known by the key it stands under', async () => {
    const args = { user: 'ann', password: 'Tr0ub4dor&3x!', note: 'Tr0ub4dor&3x!' }
    expect(await inspectArguments(args, [secrets])).toMatchObject({
      value: { user: 'ann', password: '[redacted:credential]', note: 'Tr0ub4dor&3x!' },
    })
  })

  test('a card number written as a number', async () => {
    expect(await inspectArguments({ card, amount: 1999 }, [pii])).toMatchObject({
      value: { card: '[redacted:credit-card]', amount: 1999 },
    })
  })

  test.each([
    ['stop', { kinds: ['credit-card'] }],
    ['fail', { kinds: ['credit-card'] }],
  ])('an action that does not redact refuses them: %s', async (action, expected) => {
    const refused = await inspectArguments({ card }, [secrets, guard({ use: 'pii', action })])
    expect(refused).toMatchObject({ type: 'refused', ...expected })
  })

  test('each guardrail sees what the ones before it have left', async () => {
    const terms = guard({ use: 'banned-terms', terms: ['ghp_'], wholeWord: false, action: 'stop' })
    expect(await inspectArguments({ body: token }, [secrets, terms])).toMatchObject({
      type: 'passed',
    })
    expect(await inspectArguments({ body: token }, [terms, secrets])).toMatchObject({
      type: 'refused',
    })
  })

  test('a guardrail that throws refuses them', async () => {
    const broken = {
      ...secrets,
      inspector: {
        action: 'redact',
        places: { arguments: true, results: true },
        inspect,
        find: inspect,
        describe: String,
      },
    } as const
    expect(await inspectArguments({ a: 'x' }, [broken])).toMatchObject({
      type: 'refused',
      kinds: null,
    })
  })

  test('a definition of before looks at none', async () => {
    const before = createGuardrail(StreamGuardSpec.parse({ use: 'secrets' }))
    if (!before) throw new Error('no such guardrail')
    expect(await inspectArguments({ a: token }, [before])).toEqual({
      type: 'passed',
      value: { a: token },
      taken: [],
    })
    expect((await redactResult(token, [before])).value).toBe(token)
  })

  test('harmless ones come back as they are', async () => {
    const args = { path: 'src/a.ts', lines: [1, 2, 3], count: 123456789012, ok: true, none: null }
    expect(await inspectArguments(args, [secrets, pii])).toEqual({
      type: 'passed',
      value: args,
      taken: [],
    })
  })
})

test('a result is redacted, whatever the action is', async () => {
  const stopping = guard({ use: 'pii', action: 'stop' })
  expect(await redactResult(`card ${card}`, [stopping])).toEqual({
    value: 'card [redacted:credit-card]',
    taken: [{ guardrail: { id: 'pii', name: 'Personal data' }, kind: 'credit-card', count: 1 }],
  })
  expect((await redactResult({ rows: [{ card }] }, [stopping])).value).toEqual({
    rows: [{ card: '[redacted:credit-card]' }],
  })
})

const many = (count: number): JsonObject =>
  Object.fromEntries(
    Array.from({ length: count }, (_, n) => [
      `ghp_${'a1B2c3D4e5F6'.repeat(2)}${`${n}`.padStart(12, 'xYz')}`,
      n,
    ]),
  )

const timed = async (count: number) => {
  const began = performance.now()
  const { value } = await redactResult(many(count), [secrets])
  expect(Object.keys(value)).toHaveLength(count)
  expect(value[`${gone} ${count}`]).toBe(count - 1)
  return performance.now() - began
}

/** The shortest of several times: whatever else the machine does adds to some of them. */
async function least(count: number): Promise<number> {
  const times: number[] = []
  for (let n = 0; n < 7; n += 1) times.push(await timed(count))
  return Math.min(...times)
}

test('keys that become one marker take time in proportion', async () => {
  // Eight times as many: a search from the beginning for each key takes sixty times as long.
  expect((await least(8_000)) / (await least(1_000))).toBeLessThan(24)
})
