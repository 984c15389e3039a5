/** What detectors may be configured to, and that a configuration changes labels, never what executes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { validateDetectors } from '../src/index.ts'
import { askStream, callsOf } from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, goodEnding, terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

describe('validateDetectors', () => {
  test.each([
    undefined,
    [{ use: 'openai-compatible', finishReasons: ['content_filter', 'sensitive'] }],
    ['anthropic', 'gemini', 'glm', 'bedrock', 'azure', 'alibaba'].map((use) => ({ use })),
  ])('accepts %j', (configs) => {
    expect(validateDetectors(configs)).toBeNull()
  })

  test.each([
    [[], /empty/],
    [[{ use: 'openai' }], /no detector "openai".*openai-compatible/],
    [[{ use: 'glm', finishReasons: [] }], /finishReasons of "glm" is empty/],
    [[{ use: 'glm', finishReasons: ['sensitive', ' '] }], /empty text/],
    [[{ use: 'glm', finishReasons: ['Tool_Calls'] }], /"Tool_Calls".*good answer/],
  ])('refuses %j', (configs, message) => {
    expect(validateDetectors(configs)).toMatch(message)
  })
})

describe('a configured list replaces the labels of the built-in ones', () => {
  const filtered = [...built.chat.wholeCall, ...terminal('chat', 'sensitive')]
  const provider = 'openai-compatible'

  test('a reason that is named is safety', async () => {
    const detectors = [{ use: 'openai-compatible', finishReasons: ['SENSITIVE'] }]
    const { turn } = await askStream(loopback, { provider, detectors }, filtered)
    expect(turn.evidence).toEqual([
      { detector: 'openai-compatible', field: 'finish_reason', value: 'sensitive' },
    ])
    expect(turn.verdict).toBe('safety')
  })

  test('a reason that is not named has no label, and executes nothing all the same', async () => {
    const detectors = [{ use: 'openai-compatible', finishReasons: ['content_filter'] }]
    const { turn } = await askStream(loopback, { provider, detectors }, filtered)
    expect(turn).toMatchObject({ verdict: 'unknown_terminal', evidence: [] })
    expect(callsOf(turn)).toEqual([])
    expect(turn.suppressed).toHaveLength(1)
  })

  test('a filter flag without its detector has no label, and executes nothing all the same', async () => {
    const flag = {
      choices: [],
      prompt_filter_results: [{ content_filter_results: { hate: { filtered: true } } }],
    }
    const events = [flag, ...built.chat.wholeCall, ...goodEnding('chat')]
    const { turn } = await askStream(loopback, { provider, detectors: [{ use: 'glm' }] }, events)
    expect(turn).toMatchObject({ verdict: 'unknown_terminal', evidence: [] })
    expect(callsOf(turn)).toEqual([])
  })
})
