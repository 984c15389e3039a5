/**
 * The meter of a run (context systems, §4.1 and §19 "meter"). Would catch: an estimate that forgets what was added, one that counts tools
 * twice, a window that a fallback inherits, a state of an agent without a meter that grew by it.
 */
import { describe, expect, test } from 'vitest'
import { type AssistantPart, ContextConfig, marksOf, persist, windowOf } from '../../src/index.ts'
import { bytesAsUtf8 } from '../../src/text/utf8.ts'
import { bptOf, isNearRelief, nextTokens } from '../../src/verdict/context/room.ts'
import { agentWith, modelNamed } from '../support/agent.ts'
import {
  admitted,
  answers,
  asks,
  completes,
  created,
  injects,
  overloaded,
} from '../support/facts.ts'
import { given } from '../support/story.ts'
import { cutAt, overflows, roomyAgent, weighing } from '../support/room.ts'

const weight = { input: 10_000, output: 500, bytes: 40_000 }
const reading = (agent = roomyAgent()) =>
  given(agent, created, admitted).and(weighing(asks('search'), weight))
const tokensOf = ({ state }: ReturnType<typeof reading>): number => {
  const { room, model } = state.context
  return room ? nextTokens(room, model) : 0
}

describe('the next request', () => {
  test('weighs what the provider counted, with its tools and instructions, and the answer (meter 1)', () => {
    expect(tokensOf(reading())).toBe(10_500)
  })

  test('weighs what was added since, at the bytes per token of the last one', () => {
    const story = reading().and(completes(0, 'x'.repeat(4_000)))
    // 40,000 bytes were 10,000 tokens. 4,000 characters as JSON are 4,002 bytes, and 120 for the frame of a result.
    expect(tokensOf(story)).toBe(10_500 + Math.ceil(4_122 / 4))
  })

  test('weighs what was said to the run', () => {
    const story = reading().and(injects('y'.repeat(2_000)))
    expect(tokensOf(story)).toBe(10_500 + 500)
  })

  describe('and what was thought before the answer', () => {
    const usage = { inputTokens: 10_000, outputTokens: 30_500, reasoningTokens: 30_000 }
    const thinking = (parts: AssistantPart[]) =>
      given(roomyAgent(), created, admitted).and((known) => {
        const message = { id: 'm', role: 'assistant' as const, parts }
        return answers({ message, usage })(known)
      })
    const spoken: AssistantPart = { type: 'text', text: 'So it is.' }

    test('weighs nothing where it is in no message: no provider is sent it again', () => {
      expect(tokensOf(thinking([spoken]))).toBe(10_500)
    })

    test('weighs where it goes back with the answer', () => {
      expect(tokensOf(thinking([{ type: 'reasoning', text: 'Hm.' }, spoken]))).toBe(40_500)
    })
  })

  test('of another model weighs 15 % more, until that has counted (meter 2)', () => {
    const agent = roomyAgent({}, { fallbackModels: [modelNamed('b')], modelRetries: { max: 0 } })
    const failed = answers({ ...overloaded({ class: 'quota', retryable: false }), usage: {} })
    const story = reading(agent).and(completes(0, '')).and(failed)
    const before = 10_500 + Math.ceil(122 / 4)
    expect(story.state.context.model).toBe(1)
    expect(tokensOf(story)).toBe(Math.ceil(before * 1.15))
    expect(tokensOf(story.and(weighing(asks('search'), weight)))).toBe(10_500)
  })

  test('of a provider that counts nothing has three bytes in a token (meter 3)', () => {
    const estimated = { input: 20_000, output: 0, bytes: 60_000, estimated: true } as const
    const story = given(roomyAgent(), created, admitted)
      .and(weighing(asks('search'), estimated))
      .and(completes(0, 'x'.repeat(878)))
    expect(tokensOf(story)).toBe(20_000 + Math.ceil(1_000 / 3))
  })

  test('is unknown before the first count', () => {
    expect(tokensOf(given(roomyAgent(), created, admitted))).toBe(0)
  })
})

test.each([
  ['few bytes in a token', 1_000, 10_000, 150],
  ['many', 1_000_000, 10_000, 600],
  ['the usual', 40_000, 10_000, 400],
])('the bytes of a token are bounded: %s', (_, bytes, inputTokens, expected) => {
  expect(bptOf(bytes, { inputTokens })).toBe(expected)
})

describe('an overflow teaches the window (meter 4)', () => {
  const room = { tokens: 90_000, cuts: [cutAt(2, 1, { results: 9, cleared: 50_000 })] }

  test('that the provider names', () => {
    const story = reading().and(completes(0)).and(overflows(room, 64_000))
    expect(story.state.context.room?.window).toBe(64_000)
  })

  test('or nine tenths of what was sent', () => {
    const story = reading().and(completes(0)).and(overflows(room))
    expect(story.state.context.room?.window).toBe(81_000)
  })

  test('for this model alone', () => {
    const agent = roomyAgent({}, { fallbackModels: [modelNamed('b')], modelRetries: { max: 0 } })
    const story = reading(agent).and(completes(0)).and(overflows(room)).and(overflows(room))
    expect(story.state.context).toMatchObject({ model: 1, room: { window: 0 } })
  })
})

test.each([
  // The room is 80,000: by default 40 % of it.
  ['by default', {}, 32_000],
  ['where a mark is lower, two thirds of it', { prune: { at: 0.3 } }, 16_000],
  ['of the lower of two', { prune: { at: 0.2 }, compact: { at: 0.3 } }, 32_000 / 3],
])('places are told before they are needed: %s', (_, context, from) => {
  const agent = roomyAgent(context)
  const about = { model: agent.model, learned: 0 }
  expect(isNearRelief(agent, about, Math.ceil(from))).toBe(true)
  expect(isNearRelief(agent, about, Math.ceil(from) - 1)).toBe(false)
})

describe('marks', () => {
  const model = modelNamed('m')
  const config = ContextConfig.parse({})

  test('of a window: the room is what is left beside the answer', () => {
    const marks = marksOf(config, { ...model, contextWindow: 200_000 }, 0)
    expect(marks).toEqual({
      room: 191_808,
      prune: 115_084,
      minTokens: 28_771,
      compact: 153_446,
      keep: 19_180,
    })
  })

  test('the answer takes no more than a fifth', () => {
    expect(marksOf(config, { ...model, contextWindow: 32_000 }, 0).room).toBe(25_600)
  })

  test('a small room is not pruned unless the agent says so', () => {
    const small = { ...model, contextWindow: 32_000 }
    expect(marksOf(config, small, 0).prune).toBeNull()
    expect(marksOf(ContextConfig.parse({ prune: { at: 0.5 } }), small, 0).prune).toBe(12_800)
  })

  test('without a window stand at `tokens`', () => {
    expect(marksOf(config, model, 0)).toEqual({
      room: 125_000,
      prune: 75_000,
      minTokens: 18_750,
      compact: 100_000,
      keep: 12_500,
    })
  })

  test('a window that was learned counts if it is smaller than the configured one', () => {
    expect(windowOf({ ...model, contextWindow: 100_000 }, 64_000)).toBe(64_000)
    expect(windowOf({ ...model, contextWindow: 50_000 }, 64_000)).toBe(50_000)
    expect(windowOf(model, 64_000)).toBe(64_000)
    expect(windowOf(model, 0)).toBeNull()
  })
})

test('an agent without a context has no meter, and the state that it had', () => {
  const story = given(agentWith(), created, admitted)
    .and(weighing(asks('search'), weight))
    .and(completes(0))
  expect(story.state.context.room).toBeNull()
  expect(persist(story.state)['context']).not.toHaveProperty('room')
  expect(JSON.stringify(persist(story.state))).not.toContain('V1')
})

test.each(['', 'plain', 'größer', '…', '漢字', '😀 and 👩‍👩‍👧', '\ud800', 'x\udc00y'])(
  'bytes of a text are those of its UTF-8: %j',
  (words) => {
    expect(bytesAsUtf8(words)).toBe(Buffer.byteLength(words))
  },
)
