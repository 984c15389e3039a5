/**
 * §19 cache 3: each request of a run begins with the one before, up to its last reminder, over 50 turns with results, warnings, injected
 * words, a retry and a correction. Would catch: anything that is put into the middle of a conversation, or is shown otherwise the second
 * time, and has it paid anew.
 */
import type { ModelTurn, Prompt, PromptMessage, UserMessage } from '@signalbox/core'
import type { Engine, Model, ModelRequest } from '@signalbox/engine'
import { afterEach, expect, test } from 'vitest'
import { begin, caller, outcomeOf } from './support/governed.ts'
import { agent, functionTools, toolSpec, world } from './support/world.ts'

let running: Engine | null = null
afterEach(() => running?.stop(1_000))

const turns = 50

/** The questions to the model, by number, at which something happens. */
const failsAt = 20
const trippedAt = 30
const injectedAt = 10
/** From here the same page is looked at again and again, so that the loop check warns. */
const repeatedFrom = 40

const whole = { suppressed: [], evidence: [], usage: { inputTokens: 90, outputTokens: 5 } }

function turnOf(request: ModelRequest, nth: number): ModelTurn {
  const { messageId: id, model } = request
  const about = { ...whole, provider: model.provider, model: model.model }
  if (nth === failsAt)
    return {
      ...about,
      verdict: 'error',
      message: { id, role: 'assistant', parts: [{ type: 'text', text: 'I was abou' }] },
      finish: null,
      error: { class: 'overloaded', retryable: true, message: 'busy' },
    }
  if (nth === trippedAt)
    return {
      ...about,
      verdict: 'guardrail',
      message: { id, role: 'assistant', parts: [{ type: 'text', text: 'That is a sec' }] },
      finish: null,
      trip: {
        guardrail: { id: 'g', name: 'secrets' },
        outcome: 'fail',
        feedback: 'I was about to say a secret. I leave it out.',
        partType: 'text',
        offset: 13,
      },
    }
  if (nth >= turns)
    return {
      ...about,
      verdict: 'complete',
      message: { id, role: 'assistant', parts: [{ type: 'text', text: 'All is seen.' }] },
      finish: { unified: 'stop' },
    }
  const args = { page: Math.min(nth, repeatedFrom) }
  const call = { type: 'tool_call' as const, id: `${request.callIdPrefix}_0`, name: 'look', args }
  return {
    ...about,
    verdict: 'complete',
    message: {
      id,
      role: 'assistant',
      parts: [
        { type: 'text', text: `I look at page ${args.page}.` },
        { ...call, argsHash: request.argsHash(args) },
      ],
    },
    finish: { unified: 'tool-calls' },
  }
}

/** The reminder that a request ends with, and the messages without it. */
function withoutReminder(prompt: Prompt): {
  readonly stable: readonly PromptMessage[]
  readonly reminder: string | null
} {
  const last = prompt.at(-1)
  const said = last?.role === 'user' ? last.parts.at(-1) : undefined
  const text = said?.type === 'text' && /^\[(LOOP|BUDGET)/.test(said.text) ? said.text : null
  if (last?.role !== 'user' || text === null) return { stable: prompt, reminder: null }
  const parts = last.parts.slice(0, -1)
  const before = prompt.slice(0, -1)
  return { stable: parts.length === 0 ? before : [...before, { ...last, parts }], reminder: text }
}

test('each request begins with the one before', async () => {
  const asked: Prompt[] = []
  let inject: (() => Promise<unknown>) | null = null
  const model: Model = {
    async call(request) {
      asked.push(request.prompt)
      if (asked.length === injectedAt) await inject?.()
      return turnOf(request, asked.length)
    },
  }
  const { engine, register } = world({
    model,
    tools: functionTools({
      look: async ({ page }) => `What stands on page ${JSON.stringify(page)}.`,
    }),
  })
  running = engine
  await engine.start()
  const definition = agent([toolSpec('look')], {
    modelRetries: { max: 1, baseMs: 1, capMs: 1 },
    loop: { warnThreshold: 3, hardLimit: 20, cycles: null, stagnation: null },
    limits: { maxTurns: 100, warnAt: 0.25 },
  })
  const words: UserMessage = {
    id: 'u_more',
    role: 'user',
    parts: [{ type: 'text', text: 'Look at the footnotes, too.' }],
  }
  const runId = await begin(engine, definition, { threadId: 'pages' })
  inject = () => engine.commands.injectInput({ ...caller, runId, messages: [words], key: 'more' })
  expect(await outcomeOf(register, runId)).toBe('completed')

  const requests = asked.map(withoutReminder)
  expect(requests.length).toBeGreaterThanOrEqual(turns)
  for (const [n, next] of asked.slice(1).entries()) {
    const stable = requests[n]?.stable ?? []
    expect(next.slice(0, stable.length), `request ${n + 2}`).toEqual(stable)
  }

  // All that was to happen did.
  const text = JSON.stringify(asked.at(-1))
  for (const said of ['footnotes', 'leave it out', 'What stands on page 39.'])
    expect(text).toContain(said)
  expect(text).not.toContain('I was abou"')
  expect(asked[failsAt]).toEqual(asked[failsAt - 1])
  const reminders = requests.flatMap(({ reminder }) => reminder ?? [])
  for (const kind of ['[BUDGET]', '[LOOP DETECTED]'])
    expect(reminders.some((reminder) => reminder.includes(kind))).toBe(true)
})
