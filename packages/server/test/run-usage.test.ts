/** The usage of a run by its log. Would catch: a request that nobody was sent, counted as a turn. */
import { expect, it } from 'vitest'
import { usageIn } from '../src/http/wire/run-usage.ts'

const completed = (more: object) => ({
  type: 'model.completed' as const,
  payload: {
    turn: {
      verdict: 'complete',
      message: { id: 'm', role: 'assistant', parts: [] },
      suppressed: [],
      evidence: [],
      finish: null,
      usage: { inputTokens: 7, outputTokens: 2 },
      provider: 'p',
      model: 'm',
    },
    ...more,
  },
})

it('counts an answer as a turn, and a request that was not sent as none', () => {
  const room = { tokens: 40_000, window: 32_000, cuts: [] }
  const events = [
    completed({}),
    completed({ room }),
    completed({ room: { ...room, unsent: true } }),
  ]
  expect(usageIn(events).turns).toMatchObject({ calls: 2, input_tokens: 14, output_tokens: 4 })
})
