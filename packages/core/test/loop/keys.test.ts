/** Row "Loop keys" of agent-governance.md §8, and §3.2: which calls are the same call. */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { Json } from '../../src/index.ts'
import { callKey, setKey } from '../../src/verdict/loop/keys.ts'

type Pair = readonly [what: string, tool: string, one: Json, other: Json]

const same: readonly Pair[] = [
  ['1) lines 1-50 and 51-100', 'read_file', lines(1, 50), lines(51, 100)],
  ['1) the first and the last line of a bucket', 'read_file', lines(1, 1), lines(200, 200)],
  ['1) no lines are line 1', 'read_file', { path: 'f' }, lines(1, 1)],
  ['1) no end is the start', 'read_file', { path: 'f', start_line: 401 }, lines(401, 401)],
  ['1) reversed order', 'read_file', lines(450, 10), lines(10, 450)],
  ['1) lines as text', 'read_file', lines('401', ' 650 '), lines(401, 650)],
  ['1) garbage is no line', 'read_file', lines('start', [7]), { path: 'f' }],
  ['1) a garbage end is the start', 'read_file', lines(401, 'end'), lines(401, 401)],
  ['1) lines before the first', 'read_file', lines(-3, 0), lines(1, 1)],
  ['1) fractions', 'read_file', lines(200.9, 200.9), lines(200, 200)],
  ['1) names of ours', 'read_file', { path: 'f', startLine: 201, lineCount: 200 }, lines(201, 400)],
  ['1) a description', 'read_file', { ...lines(1, 5), description: 'x' }, lines(1, 5)],
  [
    '2) write_file, keys in another order',
    'write_file',
    { path: 'f', content: 'a' },
    { content: 'a', path: 'f' },
  ],
  ['3) JSON text and object', 'search', '{"query": "x", "limit": 3}', { query: 'x' }],
  [
    '3) JSON text and object, nested',
    'other',
    '{"b":{"d":1,"c":[2]},"a":null}',
    { a: null, b: { c: [2], d: 1 } },
  ],
  [
    '3) JSON text and object, full arguments',
    'write_file',
    '{"content":"a","path":"f"}',
    { path: 'f', content: 'a' },
  ],
  ['3) JSON text and object, lines', 'read_file', '{"path":"f","start_line":7}', lines(9, 9)],
  ['3) JSON text that is no object, and its value', 'search', '[1, 2]', [1, 2]],
  ['no arguments and null', 'search', null, {}],
  [
    'limit, offset and description',
    'search',
    { query: 'x', limit: 1, offset: 0 },
    { query: 'x', description: 'y' },
  ],
  ['a named field that is null', 'search', { query: 'x', path: null }, { query: 'x' }],
]

const different: readonly Pair[] = [
  ['1) lines 1 and 401', 'read_file', lines(1, 1), lines(401, 401)],
  ['1) lines 200 and 201', 'read_file', lines(200, 200), lines(201, 201)],
  ['1) another end', 'read_file', lines(1, 200), lines(1, 201)],
  ['1) another file', 'read_file', { path: 'f' }, { path: 'g' }],
  ['1) files under another name', 'read_file', { file: 'f' }, { file: 'g' }],
  [
    '2) write_file, new content',
    'write_file',
    { path: 'f', content: 'a' },
    { path: 'f', content: 'b' },
  ],
  [
    '2) str_replace, new text',
    'str_replace',
    { path: 'f', old: 'a', new: 'b' },
    { path: 'f', old: 'a', new: 'c' },
  ],
  ['path', 'ls', { path: 'a' }, { path: 'b' }],
  ['url', 'fetch', { url: 'a' }, { url: 'b' }],
  ['query', 'search', { query: 'a' }, { query: 'b' }],
  ['command', 'bash', { command: 'a' }, { command: 'b' }],
  ['pattern', 'grep', { pattern: 'a', path: 'p' }, { pattern: 'b', path: 'p' }],
  ['glob', 'glob', { glob: 'a' }, { glob: 'b' }],
  ['cmd', 'sh', { cmd: 'a' }, { cmd: 'b' }],
  ['one more of these', 'grep', { pattern: 'a' }, { pattern: 'a', path: 'p' }],
  ['the same text in another field', 'search', { query: 'a' }, { path: 'a' }],
  ['none of these: all arguments', 'move', { x: 1, y: 2 }, { x: 1, y: 3 }],
  ['text that is no JSON', 'search', 'weather', 'news'],
  ['text that is no JSON, and none', 'search', '{"query": "x', {}],
  ['the order of a list', 'move', { steps: [1, 2] }, { steps: [2, 1] }],
  ['a number and its text', 'move', { x: 1 }, { x: '1' }],
]

function lines(start_line: Json, end_line: Json) {
  return { path: 'f', start_line, end_line }
}

describe('Loop keys', () => {
  test.each(same)('same: %s', (_, tool, one, other) => {
    expect(callKey(tool, one)).toBe(callKey(tool, other))
  })

  test.each(different)('different: %s', (_, tool, one, other) => {
    expect(callKey(tool, one)).not.toBe(callKey(tool, other))
  })

  test.each(['path', 'url', 'query', 'command', 'pattern', 'glob', 'cmd'])(
    '%s says what a call does, whatever else it carries',
    (field) => {
      expect(callKey('tool', { [field]: 'x', limit: 1 })).toBe(callKey('tool', { [field]: 'x' }))
    },
  )

  test('the key is canonical JSON of what counts', () => {
    expect(callKey('grep', { path: 'p', pattern: 'a', limit: 3 })).toBe(
      '{"path":"p","pattern":"a"}',
    )
    expect(callKey('write_file', { path: 'f', content: 'a"b' })).toBe(
      '{"content":"a\\"b","path":"f"}',
    )
  })

  test('a set is its calls, sorted, one per line; each as often as it was asked for', () => {
    const [b, a] = [
      { name: 'b', args: { x: 1 } },
      { name: 'a', args: { query: 'y' } },
    ]
    expect(setKey([b, a])).toBe('"a":{"query":"y"}\n"b":{"x":1}')
    expect(setKey([a, b])).toBe(setKey([b, a]))
    expect(setKey([a, a])).not.toBe(setKey([a]))
    expect(setKey([])).toBe('')
  })

  test('a call cannot pass for two, or for one of another tool', () => {
    const two = [
      { name: 'a', args: {} },
      { name: 'b', args: {} },
    ]
    expect(setKey([{ name: 'a":{}\n"b', args: {} }])).not.toBe(setKey(two))
    expect(setKey([{ name: 'a', args: '{}\n"b":{}' }])).not.toBe(setKey(two))
  })
})

const json = fc.jsonValue({ maxDepth: 3 }).map((value): Json => JSON.parse(JSON.stringify(value)))
const name = fc.constantFrom('read_file', 'write_file', 'str_replace', 'search', '__proto__')

test('every argument has a key, the same as its JSON text has, whatever the order of fields', () => {
  fc.assert(
    fc.property(name, fc.dictionary(fc.string(), json), (tool, args) => {
      const backwards = Object.fromEntries(Object.entries(args).toReversed())
      expect(callKey(tool, backwards)).toBe(callKey(tool, args))
      expect(callKey(tool, JSON.stringify(args))).toBe(callKey(tool, args))
    }),
  )
})

test('any text has a key, also one that is nested without end', () => {
  fc.assert(fc.property(name, fc.string(), (tool, text) => typeof callKey(tool, text) === 'string'))
  expect(callKey('move', `{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}`)).toMatch(/^\{"a":\[/)
})
