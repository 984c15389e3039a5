/**
 * The pairing validator (I24), against the checklist of providers' rules and the histories that are known to break
 * them: dangling calls, reused ids, displaced, orphan and empty results.
 */
import { expect, test } from 'vitest'
import {
  type AssistantPart,
  checkPairing,
  createPairing,
  type Prompt,
  type ToolResult,
} from '../src/index.ts'

const user = (text = 'hello'): Prompt[number] => ({ role: 'user', parts: [{ type: 'text', text }] })
const system: Prompt[number] = { role: 'system', text: 'Be brief.' }
const call = (id: string, name = 'search'): AssistantPart => ({
  type: 'tool_call',
  id,
  name,
  args: {},
  argsHash: 'h',
})
const says = (...parts: readonly AssistantPart[]): Prompt[number] => ({
  role: 'assistant',
  id: 'm',
  parts,
})
const text = (words: string): AssistantPart => ({ type: 'text', text: words })
const result = (callId: string, toolName = 'search', words = 'ok'): ToolResult => ({
  callId,
  toolName,
  output: { content: [{ type: 'text', text: words }], isError: false },
})
const results = (...all: readonly ToolResult[]): Prompt[number] => ({ role: 'tool', results: all })
const empty: ToolResult = {
  callId: 'a',
  toolName: 'search',
  output: { content: [], isError: false },
}

const rulesOf = (prompt: Prompt) => checkPairing(prompt).map(({ rule }) => rule)

const good: Readonly<Record<string, Prompt>> = {
  'a question': [user()],
  'a system message first': [system, user()],
  'two system messages at the start': [system, system, user()],
  'a call and its result': [user(), says(call('a')), results(result('a'))],
  'identical parallel calls under ids of their own': [
    user(),
    says(call('a'), call('b')),
    results(result('a'), result('b')),
  ],
  'words before the calls, a warning after the results': [
    user(),
    says(text('let me see'), call('a')),
    results(result('a')),
    user('[LOOP DETECTED]'),
  ],
  'several turns': [
    user(),
    says(call('a')),
    results(result('a')),
    says(call('b')),
    results(result('b')),
    says(text('done')),
    user('thanks'),
  ],
  "a provider's own tool needs no result of ours": [
    user(),
    says({ type: 'provider_tool', id: 'p', name: 'web_search', call: {} }, text('found')),
    user('go on'),
  ],
}

test.each(Object.entries(good))('passes: %s', (_, prompt) => {
  expect(checkPairing(prompt)).toEqual([])
})

const bad: readonly (readonly [string, readonly string[], Prompt])[] = [
  ['nothing at all', ['user_first', 'last_role'], []],
  ['only a system message', ['user_first', 'last_role'], [system]],
  ['an assistant speaks first', ['user_first'], [says(text('hi')), user()]],
  ['an orphan tool message leads', ['user_first', 'orphan_result'], [results(result('a'))]],
  ['a system message in the middle', ['system_first'], [user(), system, says(text('x')), user()]],
  [
    'a dangling call: the user speaks instead of a result',
    ['result_adjacent'],
    [user(), says(call('a')), user()],
  ],
  ['a dangling call at the end', ['result_adjacent', 'last_role'], [user(), says(call('a'))]],
  [
    'results that are not adjacent',
    ['result_adjacent', 'orphan_result'],
    [user(), says(call('a')), user('wait'), results(result('a'))],
  ],
  [
    'a warning between call and result',
    ['result_adjacent', 'orphan_result'],
    [user(), says(call('a')), user('[LOOP DETECTED]'), results(result('a')), user()],
  ],
  [
    'one of two parallel calls has no result',
    ['result_order'],
    [user(), says(call('a'), call('b')), results(result('a'))],
  ],
  [
    'a result for no call',
    ['result_order'],
    [user(), says(call('a')), results(result('a'), result('z'))],
  ],
  [
    'a duplicate result',
    ['result_order'],
    [user(), says(call('a')), results(result('a'), result('a'))],
  ],
  [
    'results in another order than the calls',
    ['result_order'],
    [user(), says(call('a'), call('b')), results(result('b'), result('a'))],
  ],
  [
    'a result under another tool name',
    ['result_order'],
    [user(), says(call('a')), results(result('a', 'write'))],
  ],
  [
    'the results of a turn in two messages',
    ['result_order', 'alternation', 'orphan_result'],
    [user(), says(call('a'), call('b')), results(result('a')), results(result('b'))],
  ],
  [
    'an orphan result after an answer without calls',
    ['orphan_result'],
    [user(), says(text('x')), results(result('a'))],
  ],
  [
    'an id twice in one message',
    ['unique_call_id'],
    [user(), says(call('a'), call('a')), results(result('a'), result('a'))],
  ],
  [
    'an id reused in a later turn',
    ['unique_call_id'],
    [user(), says(call('a')), results(result('a')), says(call('a')), results(result('a'))],
  ],
  ['an empty id', ['call_id'], [user(), says(call('')), results(result(''))]],
  ['an id with a space', ['call_id'], [user(), says(call('a b')), results(result('a b'))]],
  [
    'an id longer than 64',
    ['call_id'],
    [user(), says(call('a'.repeat(65))), results(result('a'.repeat(65)))],
  ],
  ['an empty tool name', ['call_name'], [user(), says(call('a', '')), results(result('a', ''))]],
  [
    'a tool name with a dot',
    ['call_name'],
    [user(), says(call('a', 'fs.read')), results(result('a', 'fs.read'))],
  ],
  ['an assistant message without parts', ['empty_message'], [user(), says(), user()]],
  ['an assistant message of spaces', ['empty_message'], [user(), says(text(' \n')), user()]],
  ['a user message without parts', ['empty_message'], [{ role: 'user', parts: [] }]],
  ['a user message of spaces', ['empty_message'], [user('  ')]],
  ['an empty result', ['empty_result'], [user(), says(call('a')), results(empty)]],
  [
    'a result of spaces',
    ['empty_result'],
    [user(), says(call('a')), results(result('a', 'search', ' '))],
  ],
  ['an answer as the last word', ['last_role'], [user(), says(text('x'))]],
  ['two user messages in a row', ['alternation'], [user(), user()]],
  ['two answers in a row', ['alternation'], [user(), says(text('a')), says(text('b')), user()]],
]

test.each(bad)('flags: %s', (_, rules, prompt) => {
  expect(rulesOf(prompt)).toEqual(rules)
})

test('a violation says where it is', () => {
  expect(checkPairing([system, user(), says(call('a')), user()])).toEqual([
    { at: 2, rule: 'result_adjacent' },
  ])
  expect(checkPairing([])).toEqual([
    { at: 0, rule: 'user_first' },
    { at: 0, rule: 'last_role' },
  ])
})

const turns = (...ids: readonly string[]): Prompt =>
  ids.flatMap((id) => [says(call(id)), results(result(id))])

test.each<readonly [string, Prompt, number]>([
  ['loses a result', [user(), ...turns('a'), says(call('b')), user('go on')], 3],
  ['is cut, and has a result without its call', [user('summed up'), results(result('d'))], 0],
  ['is cut, and says a call again', [user('summed up'), ...turns('c', 'd')], 0],
  ['has a call twice', [user(), ...turns('a', 'b', 'a')], 5],
])('a conversation that %s is checked from its first message that has changed', (_, next, kept) => {
  const check = createPairing()
  expect(check([user(), ...turns('a', 'b', 'c', 'd', 'e')], 0)).toEqual([])
  expect(check(next, kept)).toEqual(checkPairing(next))
})
