/**
 * Guardrails of plain JavaScript that answer what no guardrail may. Would catch: an answer that is read outside of the guard against throws, a
 * getter that says something else the second time, a promise whose rejection ends the process.
 */
import { afterEach, beforeEach, expect, test } from 'vitest'
import { limits } from '@signalbox/core'
import { runGuardrailChain } from '../../src/guardrails/chain.ts'
import type { StreamPart } from '@signalbox/engine'
import type { Guardrail } from '../../src/guardrails/part.ts'
import { context, play } from './play.ts'

const unhandled: unknown[] = []
const keep = (reason: unknown): void => void unhandled.push(reason)
beforeEach(() => {
  unhandled.length = 0
  process.on('unhandledRejection', keep)
})
afterEach(() => void process.off('unhandledRejection', keep))

const text = { type: 'text', text: 'abc' } as const
const call = { type: 'tool_call', name: 'pay', args: { amount: 1 } } as const
const failing = { type: 'error', message: 'no', class: 'unknown' } as const

/** A guardrail whose answer nobody has checked. */
function odd(answer: (part: StreamPart) => unknown): Guardrail {
  const guardrail = { id: 'odd', name: 'Odd', handle: answer }
  const isGuardrail = (value: unknown): value is Guardrail => value === guardrail
  if (!isGuardrail(guardrail)) throw new Error('no guardrail')
  return guardrail
}

const throwing = (name: string) => ({
  get [name](): never {
    throw new Error('a getter')
  },
})

const answers: readonly (readonly [string, (part: StreamPart) => unknown])[] = [
  ['nothing', () => undefined],
  ['null', () => null],
  ['a text', () => 'pass'],
  ['a function', () => () => undefined],
  ['a promise', async (part) => ({ type: 'pass', part })],
  ['a promise that is rejected', () => Promise.reject(new Error('later'))],
  ['a promise that never resolves', () => new Promise(() => undefined)],
  ['another type', (part) => ({ type: 'passed', part })],
  ['no part', () => ({ type: 'pass' })],
  ['a part without a type', () => ({ type: 'pass', part: {} })],
  ['a type that throws', () => throwing('type')],
  [
    'a part that throws',
    () => ({
      type: 'pass',
      ...throwing('part'),
      get part() {
        throw new Error()
      },
    }),
  ],
  ['feedback that is none', () => ({ type: 'fail', feedback: { length: 1 } })],
  ['a reason that is none', (part) => ({ type: 'stop', part, reason: 7 })],
  [
    'a throw of nothing',
    () => {
      throw undefined
    },
  ],
  [
    'a throw that cannot be read',
    () => {
      throw Object.create(null)
    },
  ],
]

test.each(answers)('%s stops the turn in the name of the guardrail', async (_name, answer) => {
  for (const part of [text, call, failing]) {
    const { result, by } = runGuardrailChain(part, [odd(answer)], context)
    expect(by).toEqual({ id: 'odd', name: 'Odd' })
    expect(result.type).toBe('stop')
    expect(result).toMatchObject({ reason: expect.stringMatching(/^guardrail_/) })
    expect(result).toHaveProperty('part', part)
  }
  await new Promise((resolve) => setTimeout(resolve, 5))
  expect(unhandled).toEqual([])
})

const changed = (more: object) => ({ type: 'pass', part: { type: 'text', text: 'abd' }, ...more })

test.each([
  ['that are a text', changed({ redacted: 'pii' })],
  [
    'that throw',
    Object.defineProperty(changed({}), 'redacted', {
      get: () => {
        throw new Error()
      },
    }),
  ],
  ['that are null', changed({ redacted: null })],
])('kinds %s stop the turn', (_name, answer) => {
  const { result } = runGuardrailChain(text, [odd(() => answer)], context)
  expect(result).toMatchObject({ type: 'stop', reason: 'guardrail_error' })
})

test('a text that is another one each time it is read is read once', () => {
  let reads = 0
  const part = {
    type: 'text',
    get text() {
      return `read ${(reads += 1)}`
    },
  }
  const { result } = runGuardrailChain(text, [odd(() => ({ type: 'pass', part }))], context)
  expect(result).toEqual({ type: 'pass', part: { type: 'text', text: 'read 1' } })
  expect(reads).toBe(1)
})

test('a text that is longer than a turn may be stops the turn', () => {
  const long = 'x'.repeat(limits.turnBytesMax + 1)
  const answer = { type: 'pass', part: { type: 'text', text: long } }
  const { result } = runGuardrailChain(text, [odd(() => answer)], context)
  expect(result).toMatchObject({ type: 'stop', reason: 'guardrail_error' })
})

test('one that adds to each piece stops the turn before memory ends', () => {
  const more = 'x'.repeat(1024 * 1024)
  const growing = odd((part) =>
    'text' in part ? { type: 'pass', part: { ...part, text: part.text + more } } : undefined,
  )
  const { text: said, trip } = play([growing], ['abcdefgh'.repeat(4 * 200)])
  expect(trip).toMatchObject({
    guardrail: { id: 'odd' },
    outcome: 'stop',
    feedback: 'guardrail_error',
  })
  expect(said.length).toBeLessThanOrEqual(limits.turnBytesMax + more.length + 1024)
})
