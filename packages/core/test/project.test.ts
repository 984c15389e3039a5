/** The projection from events to a prompt: what the model reads (I23, I24). */
import { describe, expect, test } from 'vitest'
import { type FoldableEvent, project, resultOf } from '../src/index.ts'
import { cut } from './support/facts.ts'
import { answered, asked, completed, event, said, text } from './support/log.ts'
import { lines, promptOf } from './support/prompt.ts'

/** A prompt that a provider would take, in short. */
const told = (...events: readonly FoldableEvent[]): readonly string[] => promptOf(events)

test('instructions come first, blank ones are none', () => {
  expect(project('Be brief.', [said(['hello'])])[0]).toEqual({ role: 'system', text: 'Be brief.' })
  expect(project(' \n', [said(['hello'])])[0]).toMatchObject({ role: 'user' })
})

const created = (...input: readonly (readonly ['user' | 'system', string])[]): FoldableEvent =>
  event('run.created', {
    agent: 'a',
    definitionHash: 'h',
    machine: 'run',
    machineVersion: 1,
    input: input.map(([role, words], n) => ({ id: `u${n}`, role, parts: [text(words)] })),
    metadata: {},
  })
const marked = (...texts: readonly string[]) =>
  ['Instructions of this conversation, given by its client:', ...texts].join('\n\n')

describe('system messages of a client', () => {
  test('are instructions behind those of the agent, and say whose they are', () => {
    const prompt = project('Be brief.', [created(['system', 'Speak French.'], ['user', 'hello'])])
    expect(prompt).toEqual([
      { role: 'system', text: `Be brief.\n\n${marked('Speak French.')}` },
      { role: 'user', parts: [text('hello')] },
    ])
  })

  test('stay for the runs that follow, each text once', () => {
    const events = [
      created(['system', 'Speak French.'], ['user', 'hello']),
      answered('m1', [text('salut')]),
      created(['system', 'Speak French.'], ['system', 'Be kind.'], ['user', 'thanks']),
    ]
    expect(told(...events)).toEqual([
      `system: ${marked('Speak French.', 'Be kind.')}`,
      'user: hello',
      'assistant: salut',
      'user: thanks',
    ])
  })

  test('leave a user to speak', () => {
    expect(told(created(['system', 'Speak French.']))).toEqual([
      `system: ${marked('Speak French.')}`,
      'user: (no input)',
    ])
  })
})

test('a conversation over two runs', () => {
  expect(
    told(
      said(['hello']),
      answered('m1', [asked('a'), asked('b', 'write')]),
      completed('b'),
      completed('a'),
      answered('m2', [text('done')]),
      said(['thanks']),
    ),
  ).toEqual([
    'user: hello',
    'assistant: tool_call a|tool_call b',
    'result a search: result of a',
    'result b write: result of b',
    'assistant: done',
    'user: thanks',
  ])
})

test('a run without words of its own goes on from those of a user, or has none', () => {
  expect(told(said(['hello']), said())).toEqual(['user: hello'])
  expect(told(said(['hello']), answered('m1', [text('hi')]), said())).toEqual([
    'user: hello',
    'assistant: hi',
    'user: (no input)',
  ])
})

/** What a call that this event is about comes to. */
const one = (last: FoldableEvent) => told(said(['x']), answered('m1', [asked('a')]), last).at(-1)

describe('calls without a result of their own', () => {
  test('denied', () => {
    const denial = { callId: 'a', tool: 'rm', code: 'oap.denied', message: 'No.' }
    expect(
      told(said(['x']), answered('m1', [asked('a', 'rm')]), event('call.denied', denial)),
    ).toContain('error a rm: Error: this call was not executed (oap.denied). No.')
  })

  test('of a run that ended before they settled', () => {
    expect(told(said(['x']), answered('m1', [asked('a')]), said(['y']))).toEqual([
      'user: x',
      'assistant: tool_call a',
      'error a search: Error: this call has no result; the run ended before it settled.',
      'user: y',
    ])
  })

  test('aborted, failed, unknown, resolved', () => {
    const about = { effectId: 'e', attempt: 1, callId: 'a' }
    expect(one(event('tool.aborted', { ...about, reason: 'cancelled' }))).toBe(
      'error a search: Error: this call was cancelled.',
    )
    const error = { code: 'timeout', message: 'x'.repeat(600) }
    expect(one(event('tool.failed', { ...about, error, durationMs: 1 }))).toBe(
      `error a search: Error: the tool failed (timeout). ${'x'.repeat(500)}…`,
    )
    expect(one(event('tool.unknown', { ...about, reason: 'worker_lost' }))).toMatch(
      /^error a search: Error: the outcome of this call is unknown/,
    )
    const resolved = { effectId: 'e', callId: 'a', note: 'seen' }
    expect(one(event('tool.resolved', { ...resolved, resolution: 'happened' }))).toBe(
      'result a search: An operator confirmed that this call happened. Note: seen',
    )
    expect(one(event('tool.resolved', { ...resolved, resolution: 'not_happened' }))).toBe(
      'error a search: Error: an operator confirmed that this call did not happen. Note: seen',
    )
  })

  test('a retry says nothing final; what the operator hands over is the result', () => {
    const fact = { seq: 1, at: 1, actor: 'o', type: 'tool.resolved' } as const
    const about = { effectId: 'e', callId: 'a' }
    expect(resultOf({ ...fact, payload: { ...about, resolution: 'retry' } })).toBeNull()
    const output = { content: [text('42')], isError: false }
    expect(resultOf({ ...fact, payload: { ...about, resolution: 'happened', output } })).toEqual({
      callId: 'a',
      output,
    })
  })
})

describe('turns that did not close positively', () => {
  test('are not moved behind a later turn by an answer that is told twice', () => {
    const empty = answered('m1', [])
    const broken = answered('m2', [text('half an ans')], cut('interrupted', 0))
    expect(told(said(['x']), empty, broken, empty)).toEqual(told(said(['x']), empty, broken))
  })

  test('keep their words, say what happened, and have no calls (I23)', () => {
    const prompt = project('', [
      said(['x']),
      answered('m1', [text('I will'), asked('a')], cut('safety')),
      said(['y']),
    ])
    expect(prompt.flatMap(lines)).toEqual([
      'user: x',
      'assistant: I will|[The provider stopped this answer for safety (finish_reason=content_filter, d). 1 tool call was not executed, because the arguments may be cut off. Rephrasing the request may help.]',
      'user: y',
    ])
    expect(JSON.stringify(prompt)).not.toContain('stolen')
  })

  test.each([
    [
      'length',
      '[The answer reached its length limit. 1 tool call was not executed, because the arguments may be cut off.]',
    ],
    [
      'refusal',
      '[The model refused. 1 tool call was not executed, because the arguments may be cut off.]',
    ],
    [
      'unknown_terminal',
      '[The provider ended this answer with an error. 1 tool call was not executed, because the arguments may be cut off.]',
    ],
  ] as const)('%s', (verdict, explanation) => {
    expect(told(said(['x']), answered('m1', [], cut(verdict)), said(['y']))).toEqual([
      'user: x',
      `assistant: ${explanation}`,
      'user: y',
    ])
  })

  test('a refusal is an answer in the words of the model', () => {
    const refused = answered('m1', [text('I would rather not.')], cut('refusal', 0))
    expect(told(said(['x']), refused, said(['y']))[1]).toBe('assistant: I would rather not.')
  })

  test('the value of evidence is a word of the provider; a long one is not repeated', () => {
    const evidence = [{ detector: 'd', field: 'reason', value: 'the content itself '.repeat(20) }]
    const prompt = told(
      said(['x']),
      answered('m1', [], { verdict: 'safety', evidence }),
      said(['y']),
    )
    expect(prompt[1]).toBe(
      'assistant: [The provider stopped this answer for safety (reason, d). It returned no content. Rephrasing the request may help.]',
    )
  })
})

describe('retries of a turn', () => {
  const broken = answered('m1', [text('half an ans')], cut('interrupted', 0))

  test('the request that retries does not show the failed attempt', () => {
    expect(told(said(['x']), broken)).toEqual(['user: x'])
  })

  test('the new attempt replaces it', () => {
    expect(told(said(['x']), broken, answered('m1', [text('an answer')]), said(['y']))).toEqual([
      'user: x',
      'assistant: an answer',
      'user: y',
    ])
  })

  test('what a run ended with stays, with its explanation', () => {
    expect(told(said(['x']), broken, said(['y']))[1]).toBe(
      "assistant: half an ans|[The provider's stream broke off.]",
    )
  })

  test('an attempt that is written twice, or again after a closed one, changes nothing', () => {
    const done = answered('m1', [asked('a')])
    const once = told(said(['x']), done, completed('a'))
    expect(told(said(['x']), broken, broken, done, completed('a'), done, broken)).toEqual(once)
  })
})

describe('loop warnings', () => {
  const warned = event('loop.warned', {
    set: 's',
    tools: ['search', 'search'],
    count: 3,
    text: '[LOOP DETECTED] Stop.',
  })
  const looping = [said(['x']), answered('m1', [asked('a')]), warned, completed('a')]
  const warning = 'user: [LOOP DETECTED] Stop.'

  test('come after the results of the turn that was warned about', () => {
    expect(told(...looping).at(-1)).toBe(warning)
    expect(told(...looping)).toHaveLength(4)
  })

  test('are read by every attempt of the next turn', () => {
    expect(told(...looping, answered('m2', [], cut('interrupted', 0))).at(-1)).toBe(warning)
  })

  test('are read once, though they were given twice', () => {
    expect(told(...looping, warned).at(-1)).toBe(warning)
  })

  test('are gone when that turn was answered, and in the next run', () => {
    const next = told(...looping, answered('m2', [asked('b')]), completed('b'))
    expect(next.join('\n')).not.toContain('LOOP')
    expect(told(...looping, said(['y'])).join('\n')).not.toContain('LOOP')
  })
})

test('an answer that goes on where another was cut is one with it, under the id of the later', () => {
  const prompt = project('', [
    said(['x']),
    answered('m1', [text('half')], cut('length', 0)),
    event('turn.continued', { turn: 1, messageId: 'm1', text: 'Go on.' }),
    answered('m2', [asked('a')]),
    completed('a'),
  ])
  expect(prompt.map((message) => ('id' in message ? message.id : message.role))).toEqual([
    'user',
    'm2',
    'tool',
  ])
})

describe('what providers refuse is not written', () => {
  test('empty parts, empty messages and empty results', () => {
    expect(
      told(
        said(['x', ' ']),
        answered('m1', [text(''), asked('a')]),
        completed('a', [text(''), text(' \n')]),
        answered('m2', [text(' ')]),
        said(['y']),
        answered('m3', [{ type: 'reasoning', text: 'hm' }]),
        said(['z']),
      ),
    ).toEqual(['user: x', 'assistant: tool_call a', 'result a search: (no output)', 'user: y|z'])
  })

  test('a run without words begins with a user all the same', () => {
    expect(told(said())).toEqual(['user: (no input)'])
    expect(told(said(['x']), answered('m1', [text('hi')]), said([' ']))).toEqual([
      'user: x',
      'assistant: hi',
      'user: (no input)',
    ])
  })

  test('a name that is none goes out as `unknown_tool`, with its result', () => {
    const denial = { callId: 'a', tool: '', code: 'unknown_tool', message: 'No.' }
    expect(
      told(said(['x']), answered('m1', [asked('a', '')]), event('call.denied', denial)).at(-1),
    ).toBe('error a unknown_tool: Error: this call was not executed (unknown_tool). No.')
  })

  test('ids that repeat, within a turn or over runs, or are none, go out as ids of their own', () => {
    const prompt = told(
      said(['x']),
      answered('m1', [asked('call_0'), asked('call_0')]),
      completed('call_0'),
      answered('m2', [text('ok')]),
      said(['y']),
      answered('m3', [asked('call_0'), asked('')]),
    )
    expect(prompt.filter((line) => line.startsWith('assistant'))).toEqual([
      'assistant: tool_call call_0|tool_call call_0_2',
      'assistant: ok',
      'assistant: tool_call call_0_3|tool_call call',
    ])
  })

  test('thinking with a signature is kept, though it has no words', () => {
    const signed = { type: 'reasoning' as const, text: '', meta: { anthropic: { signature: 's' } } }
    const prompt = project('', [said(['x']), answered('m1', [signed, asked('a')]), completed('a')])
    expect(prompt[1]).toMatchObject({ parts: [signed, { type: 'tool_call' }] })
  })

  test('user messages that meet become one', () => {
    expect(told(said(['x'], ['y']))).toEqual(['user: x|y'])
  })
})
