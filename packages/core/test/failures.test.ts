/** What a run says of a model that did not answer. Would catch: a log of an older build that is decided otherwise. */
import { expect, test } from 'vitest'
import {
  explainSafety,
  FailureClass,
  failureOf,
  type ModelError,
  type ModelTurn,
} from '../src/index.ts'

const turnWith = (
  error: Partial<ModelError>,
  verdict: ModelTurn['verdict'] = 'error',
): ModelTurn => ({
  verdict,
  message: { id: 'm', role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error: { class: 'auth', retryable: false, message: 'canary of the provider', ...error },
  provider: 'openai',
  model: 'gpt-9',
})

test('a fact of an older build names no kind: the sentence of then stands, and no failure', () => {
  const turn = turnWith({ status: 401 })
  expect(failureOf(turn)).toBeNull()
  expect(explainSafety(turn)).toBe('[The provider ended this answer with an error.]')
  expect(explainSafety({ ...turn, verdict: 'interrupted' })).toBe(
    "[The provider's stream broke off.]",
  )
})

test('a fact that names it says why, with the variable of the key, and no word of the provider', () => {
  const turn = turnWith({ kind: 'auth', status: 401, keyEnv: 'OPENAI_API_KEY' })
  expect(explainSafety(turn)).toBe(
    '[The model could not answer: auth: 401 from openai (OPENAI_API_KEY): check the key.]',
  )
  expect(failureOf(turn)).toEqual({
    class: 'auth',
    status: 401,
    provider: 'openai',
    model: 'gpt-9',
    keyEnv: 'OPENAI_API_KEY',
    message: 'auth: 401 from openai (OPENAI_API_KEY): check the key',
  })
})

test.each(FailureClass.options)('%s is one sentence that names the class', (kind) => {
  for (const verdict of ['error', 'interrupted'] as const)
    for (const about of [{}, { status: 500 }, { code: 'a_code' }, { keyEnv: 'A_KEY' }]) {
      const message = failureOf(turnWith({ kind, ...about }, verdict))?.message ?? ''
      expect(message).toMatch(new RegExp(`^${kind}: .{10,200}$`))
      expect(message).not.toMatch(/undefined|canary|\.$/)
    }
})
