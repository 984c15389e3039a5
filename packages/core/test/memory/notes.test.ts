/**
 * Notes about the user in a request. Would catch: a block that moves, one that is shown twice, one that a summary loses or numbers anew, and a prompt
 * that depends on whether its pin was read from the log or given before the call.
 */
import { describe, expect, test } from 'vitest'
import {
  createProjection,
  type FoldableEvent,
  notesIn,
  type PinnedMemory,
  project,
  type Prompt,
} from '../../src/index.ts'
import { answered, asked, event, text } from '../support/log.ts'
import { compactedEvent, numbered, resultOf } from '../support/room.ts'

const pin = (
  [...notes]: readonly (readonly [number, string])[],
  more: Partial<PinnedMemory> = {},
): PinnedMemory => ({
  threadId: 'memory',
  at: { runId: 'm1', seq: 4 },
  notes: notes.map(([n, id]) => ({ n, id, k: 'k' })),
  gone: [],
  last: Math.max(0, ...notes.map(([n]) => n)),
  tokens: 10,
  bytes: 30,
  digest: 'd',
  withheld: 0,
  ...more,
})

const begun = (words: string | null): FoldableEvent =>
  event('run.created', {
    agent: 'a',
    definitionHash: 'h',
    machine: 'run',
    machineVersion: 1,
    input: words === null ? [] : [{ id: `u_${words}`, role: 'user', parts: [text(words)] }],
    metadata: {},
  })

const pinning = (answer: FoldableEvent, memory: PinnedMemory): FoldableEvent => ({
  ...answer,
  payload: JSON.parse(JSON.stringify({ ...answer.payload, pinned: { memory } })),
})

/** Each message in short; a block as the numbers that it shows, and those that do not hold any more. */
const shown = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message) => {
    if (message.role === 'system' || message.role === 'tool') return []
    const parts = message.parts.map((part) => {
      if (part.type === 'text') return part.text.startsWith('What follows') ? 'summary' : part.text
      const notes = part.type === 'blob' ? notesIn(part) : null
      if (!notes) return part.type
      const numbers = notes.notes.map(({ n, id }) => `${n}${id}`).join(' ')
      return `[${notes.first ? 'first ' : ''}${numbers}${notes.gone.length > 0 ? ` not ${notes.gone.join(' ')}` : ''}]`
    })
    return [`${message.role}: ${parts.join('|')}`]
  })

const first = pin(
  [
    [1, 'a'],
    [2, 'b'],
  ],
  { first: true },
)
const one = numbered('r1', [begun('hello'), pinning(answered('m1', [text('hi')]), first)])
const second = pin([[3, 'c']], { gone: [1] })
const two = numbered('r2', [begun('more'), pinning(answered('m2', [text('ok')]), second)])

describe('the block', () => {
  test('of the first run stands at the top, that of a later one before its words', () => {
    expect(shown(project('', [...one, ...two]))).toEqual([
      'user: [first 1a 2b]|hello',
      'assistant: hi',
      'user: [3c not 1]|more',
      'assistant: ok',
    ])
  })

  test('is the same before its call, from the pin that is given, and behind it, from the fact', () => {
    const projection = createProjection('')
    for (const each of one.slice(0, 1)) projection.take(each)
    projection.pin(first)
    const before = projection.prompt()
    expect(shown(before)).toEqual(['user: [first 1a 2b]|hello'])
    for (const each of one.slice(1)) projection.take(each)
    const after = projection.prompt()
    expect(after.slice(0, before.length)).toEqual(before)
    expect(projection.pinned).toEqual(first)
    // P2: what was sent before is the beginning of what is sent next.
    expect(projection.kept).toBe(before.length)
    for (const each of two.slice(0, 1)) projection.take(each)
    expect(projection.pinned).toBeNull()
    projection.pin(second)
    expect(projection.prompt().slice(0, after.length)).toEqual(after)
    for (const each of two.slice(1)) projection.take(each)
    expect(projection.prompt()).toEqual(project('', [...one, ...two]))
  })

  test('of an attempt that was lost gives way to that of the one that counts', () => {
    const projection = createProjection('')
    for (const each of one.slice(0, 1)) projection.take(each)
    projection.pin(pin([[1, 'lost']], { first: true }))
    expect(shown(projection.prompt())).toEqual(['user: [first 1lost]|hello'])
    projection.pin(pin([]))
    expect(shown(projection.prompt())).toEqual(['user: hello'])
    projection.pin(pin([[1, 'lost']], { first: true }))
    for (const each of one.slice(1)) projection.take(each)
    expect(projection.prompt()).toEqual(project('', one))
  })

  test('stays where a refusal makes the conversation forget the words of its run', () => {
    const refused = event('turn.cut', {
      turn: 1,
      messageId: 'm1',
      verdict: 'refusal',
      calls: [],
      explanation: '',
      context: 'drop-turn',
    })
    const next = numbered('r2', [begun('more'), pinning(answered('m2', [text('ok')]), second)])
    expect(shown(project('', [...one, refused, ...next]))).toEqual([
      'user: [first 1a 2b]|[3c not 1]|more',
      'assistant: ok',
    ])
  })

  test('names all that is shown and holds', () => {
    const projection = createProjection('')
    expect(projection.notes()).toBeNull()
    for (const each of [...one, ...two]) projection.take(each)
    expect(projection.notes()).toEqual({
      threadId: 'memory',
      at: { runId: 'm1', seq: 4 },
      notes: [
        { n: 2, id: 'b', k: 'k' },
        { n: 3, id: 'c', k: 'k' },
      ],
      gone: [],
      last: 3,
      first: true,
      bytes: 60,
    })
  })
})

describe('a summary', () => {
  const three = numbered('r3', [
    begun('and now?'),
    pinning(answered('m3', [asked('c3')]), pin([[4, 'd']])),
    resultOf('c3', 'found'),
    answered('m4', [asked('c4')]),
    resultOf('c4', 'more'),
  ])
  const whole = [...one, ...two, ...three]
  /** The end of the second run. */
  const place = { runId: 'r2', seq: 2 }

  const cut = (): readonly FoldableEvent[] => {
    const projection = createProjection('')
    for (const each of whole) projection.take(each)
    const { memory } = projection.part(place)
    if (!memory) throw new Error('there are notes before the place')
    expect(memory.notes.map(({ n }) => n)).toEqual([2, 3])
    const fact = compactedEvent(place, { memory })
    return numbered('r3', [...three, fact])
  }

  test('stands before the notes that it takes over, and those of later runs stay', () => {
    expect(shown(project('', [...one, ...two, ...cut()]))[0]).toMatch(
      /^user: summary.*\|\[first 2b 3c\]\|\[4d\]\|and now\?$/,
    )
  })

  test('is read the same from the run on that it keeps, with the numbers that were given', () => {
    const log = cut()
    const later = numbered('r4', [
      begun('last'),
      pinning(answered('m5', [text('x')]), pin([[5, 'e']], { gone: [3] })),
    ])
    const all = project('', [...one, ...two, ...log, ...later])
    // The register answers the run of the place, and what is behind it.
    expect(project('', [...two, ...log, ...later])).toEqual(all)
    const projection = createProjection('')
    for (const each of [...two, ...log, ...later]) projection.take(each)
    expect(projection.notes()).toMatchObject({ notes: [{ n: 2 }, { n: 4 }, { n: 5 }], last: 5 })
  })

  test('is not made of notes: whoever sums up reads the conversation alone', () => {
    const projection = createProjection('')
    for (const each of whole) projection.take(each)
    const part = projection.part(place)
    expect(part.text({ results: 100, words: 1000 })).toBe(
      'user: hello\n\nassistant: hi\n\nuser: more\n\nassistant: ok',
    )
    expect(part.blobs).toEqual([])
  })
})
