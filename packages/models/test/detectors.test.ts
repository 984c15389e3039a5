/** What detectors may be configured to, and that a configuration changes labels, never what executes. */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import {
  createModels,
  type DetectorEvidence,
  type SafetyDetector,
  validateDetectors,
} from '../src/index.ts'
import { wireOf } from '../src/observer/wires.ts'
import {
  askStream,
  callsOf,
  env,
  jsonReply,
  providers,
  request,
  streamReply,
  type Asked,
} from './support/call.ts'
import { type Loopback, startLoopback } from './support/loopback.ts'
import { built, canary, goodEnding, terminal } from './support/wire-events.ts'

let loopback: Loopback
beforeAll(async () => {
  loopback = await startLoopback()
})
afterAll(() => loopback.close())

const detect = () => false
/** What a module may export. */
const found: Readonly<Record<string, unknown>> = {
  './own.ts#good': { name: 'own', detect },
  './own.ts#same': { name: 'own', detect },
  './own.ts#nameless': { detect },
  './own.ts#blank': { name: ' ', detect },
  './own.ts#idle': { name: 'idle' },
  './own.ts#list': [{ name: 'own', detect }],
  './own.ts#impostor': { name: 'glm', detect },
}

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
    [[{ use: 'glm' }, { use: 'gemini' }, { use: 'glm' }], /"glm" is there twice/],
    [[{ use: './own.ts#gone' }], /no detector ".\/own.ts#gone".*Known: .*.\/own.ts#good/],
    [[{ use: 'toString' }], /no detector "toString"/],
    [[{ use: './own.ts#nameless' }], /"\.\/own\.ts#nameless" must be an object with a name/],
    [[{ use: './own.ts#blank' }], /must be an object with a name/],
    [[{ use: './own.ts#idle' }], /a function detect/],
    [[{ use: './own.ts#list' }], /must be an object/],
    [[{ use: './own.ts#impostor' }], /the name of a built-in/],
    [[{ use: './own.ts#good' }, { use: './own.ts#same' }], /"own" is there twice/],
    [[{ use: './own.ts#good', finishReasons: ['x'] }], /finishReasons.*ignored/],
  ])('refuses %j', (configs, message) => {
    expect(validateDetectors(configs, found)).toMatch(message)
  })

  test('accepts detectors of the configuration, also as instances of a class', () => {
    class Own {
      readonly name = 'other'
      detect(): boolean {
        return false
      }
    }
    const custom = { ...found, './own.ts#instance': new Own() }
    const configs = [{ use: './own.ts#good' }, { use: './own.ts#instance' }, { use: 'glm' }]
    expect(validateDetectors(configs, custom)).toBeNull()
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

const reply = (provider: Asked['provider'], reason: string) => {
  const wire = wireOf(provider)
  const events = [...built[wire].open, ...built[wire].wholeCall, ...terminal(wire, reason)]
  return loopback.reply(streamReply(wire, events))
}
const claims = (value: string): SafetyDetector => ({
  name: 'own',
  detect: (evidence) => evidence.value === value,
})

describe('a detector of the configuration', () => {
  const own = './own.ts#own'
  const faults: unknown[] = []

  async function askWith(detector: SafetyDetector, asked: Asked) {
    faults.length = 0
    const models = createModels({
      env,
      detectors: { [own]: detector },
      log: { warn: (message, about) => void faults.push({ message, ...about }) },
    })
    const detectors = asked.detectors ?? [{ use: own }]
    const sink = { delta: () => undefined }
    return models.call(request({ ...asked, detectors }), sink, new AbortController().signal)
  }
  test.each(providers)(
    '%s: stops a turn, with the field as the provider spelt it',
    async (provider) => {
      const detector = claims('House_Rule')
      const turn = await askWith(detector, { provider, baseURL: reply(provider, 'House_Rule') })
      expect(turn.verdict).toBe('safety')
      expect(turn.evidence).toMatchObject([{ detector: 'own', value: 'House_Rule' }])
      expect(callsOf(turn)).toEqual([])
    },
  )

  test('stops even a good ending', async () => {
    const provider = 'openai-compatible'
    const baseURL = reply(provider, 'tool_calls')
    const turn = await askWith(claims('tool_calls'), { provider, baseURL })
    expect(turn.verdict).toBe('safety')
    expect(turn.suppressed).toHaveLength(1)
  })

  test.each(providers)(
    '%s: sees fields of the provider, never text or arguments',
    async (provider) => {
      const seen: DetectorEvidence[] = []
      const detector = { name: 'own', detect: (it: DetectorEvidence) => seen.push(it) < 0 }
      await askWith(detector, { provider, baseURL: reply(provider, 'length') })
      expect(seen.map(({ value }) => value)).toContain('length')
      expect(JSON.stringify(seen)).not.toMatch(new RegExp(`${canary}|I write|write_file`))
    },
  )

  test('sees codes of an error, not its message', async () => {
    const seen: DetectorEvidence[] = []
    const detector = {
      name: 'own',
      detect(it: DetectorEvidence) {
        seen.push(it)
        return it.field === 'error.code' && it.value === 'house_rule'
      },
    }
    const error = { code: 'house_rule', type: 'policy', message: 'You said something.' }
    const baseURL = loopback.reply(jsonReply(400, { error }))
    const turn = await askWith(detector, { provider: 'openai-compatible', baseURL })
    expect(turn.verdict).toBe('safety')
    expect(turn.evidence).toEqual([{ detector: 'own', field: 'error.code', value: 'house_rule' }])
    expect(seen).toEqual([
      { provider: 'openai-compatible', kind: 'error', field: 'error.code', value: 'house_rule' },
    ])
  })

  test('is asked in the order of the list, the first match wins', async () => {
    const provider = 'openai-compatible'
    const ask = (detectors: Asked['detectors']) =>
      askWith(claims('content_filter'), {
        provider,
        baseURL: reply(provider, 'content_filter'),
        ...(detectors ? { detectors } : {}),
      })
    const first = await ask([{ use: own }, { use: 'openai-compatible' }])
    const second = await ask([{ use: 'azure' }, { use: 'openai-compatible' }, { use: own }])
    expect([first, second].map((turn) => turn.evidence[0]?.detector)).toEqual(['own', 'azure'])
  })

  test.each([
    [
      'throws',
      () => {
        throw new Error('broken')
      },
      'Error: broken',
    ],
    ['answers no boolean', () => JSON.parse('"yes"'), 'detect answered no boolean'],
  ])('that %s is told of once, and another one labels the stop', async (_how, faulty, error) => {
    const provider = 'openai-compatible'
    const twice = [...terminal('chat', 'content_filter'), ...terminal('chat', 'other')]
    const baseURL = loopback.reply(streamReply('chat', twice))
    const detectors = [{ use: own }, { use: 'openai-compatible' }]
    const turn = await askWith({ name: 'own', detect: faulty }, { provider, baseURL, detectors })
    expect(turn.verdict).toBe('safety')
    expect(turn.evidence).toMatchObject([{ detector: 'openai-compatible' }])
    expect(faults).toEqual([
      {
        message: 'a safety detector failed: nothing of the answer is executed',
        detector: 'own',
        field: 'finish_reason',
        error,
      },
    ])
  })

  test('a reason that is no text is shown as a word, and ends nothing well', async () => {
    const seen: DetectorEvidence[] = []
    const detector = { name: 'own', detect: (it: DetectorEvidence) => seen.push(it) < 0 }
    const events = [
      ...built.chat.wholeCall,
      { choices: [{ index: 0, delta: {}, finish_reason: 7 }] },
    ]
    const baseURL = loopback.reply(streamReply('chat', events))
    const turn = await askWith(detector, { provider: 'openai-compatible', baseURL })
    expect(seen).toContainEqual(expect.objectContaining({ kind: 'field', value: '7' }))
    expect(turn.verdict).not.toBe('complete')
    expect(callsOf(turn)).toEqual([])
  })
})
