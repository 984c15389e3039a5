/** Counts of tokens as strange providers send them. Would catch: a negative count that is credit, and one that nothing bounds. */
import { expect, test } from 'vitest'
import { limits } from '@signalbox/core'
import { readUsage, tokenCount } from '../src/observer/usage.ts'

test.each([
  [12, 12],
  [0, 0],
  [12.01, 13],
  [1e30, limits.usageTokensMax],
  [Number.POSITIVE_INFINITY, limits.usageTokensMax],
  [-1, undefined],
  [Number.NaN, undefined],
  ['12', undefined],
  [null, undefined],
  [undefined, undefined],
  [{}, undefined],
])('%s counts as %s', (value, expected) => {
  expect(tokenCount(value)).toBe(expected)
})

test('a count that is none is left out, the others stand', () => {
  const usage = { prompt_tokens: -5, completion_tokens: 7.5, prompt_tokens_details: null }
  expect(readUsage('chat', { usage })).toEqual({ outputTokens: 8 })
})
