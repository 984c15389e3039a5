/**
 * P7 of the page, for memories. Would catch: a memory that depends on the order in which workers finish, one that grows when it is folded again, an id
 * that comes back, an item of a person that a model changes, and an item that outlives everything it was made of.
 */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  type DropReason,
  emptyMemory,
  foldMemory,
  itemsOf,
  judgeMemory,
  type Memory,
  type MemoryChange,
  type MemoryDraft,
  type MemoryEvent,
  MemoryChanges,
  type Moment,
  withoutSourceless,
} from '../../src/index.ts'
import { benchOf, firstDay, type Known, moment, said } from './scene.ts'

const ids = fc.constantFrom('a', 'b', 'c', 'd')
const by = fc.constantFrom('model' as const, 'person' as const)
const source: fc.Arbitrary<Moment> = fc.record({
  runId: fc.constantFrom('r1', 'r2', 'r3'),
  seq: fc.integer({ min: 1, max: 4 }),
})
const sources = fc.uniqueArray(source, {
  minLength: 1,
  maxLength: 3,
  selector: ({ runId, seq }) => `${runId}:${seq}`,
})

const text = fc.record({
  id: ids,
  key: fc.string({ minLength: 1, maxLength: 3 }),
  bytes: fc.nat(300),
  kind: fc.constantFrom('preference' as const, 'correction' as const),
  sources,
  confidence: fc.double({ min: 0, max: 1, noNaN: true }),
  since: fc.nat(1000),
  by,
})

const change: fc.Arbitrary<MemoryChange> = fc.oneof(
  text.map((about) => ({ op: 'add' as const, ...about })),
  text.map((about) => ({ op: 'revise' as const, ...about })),
  fc.record({ op: fc.constant('confirm' as const), id: ids, sources, at: fc.nat(1000) }),
  fc.record({
    op: fc.constant('drop' as const),
    id: ids,
    reason: fc.constantFrom<DropReason>('forgotten', 'capacity', 'erased', 'person'),
  }),
  fc.record({ op: fc.constant('reset' as const), at: fc.nat(1000) }),
)

const history: fc.Arbitrary<readonly MemoryEvent[]> = fc
  .array(fc.array(change, { minLength: 1, maxLength: 4 }), { maxLength: 12 })
  .map((all) => all.map((changes, n) => ({ at: moment(n + 1), changes })))

const shape = (memory: Memory) => ({
  items: itemsOf(memory),
  gone: [...memory.gone].toSorted(),
  forgottenUntil: memory.forgottenUntil,
})

test('the same events make the same memory, however they are split, and change nothing a second time', () => {
  fc.assert(
    fc.property(history, fc.nat(12), (events, cut) => {
      const whole = foldMemory(emptyMemory, events)
      const split = foldMemory(foldMemory(emptyMemory, events.slice(0, cut)), events.slice(cut))
      expect(shape(split)).toEqual(shape(whole))
      expect(shape(foldMemory(whole, events))).toEqual(shape(whole))
    }),
    { numRuns: 300 },
  )
})

test('an id that is gone does not come back, and what a person wrote is changed by persons and erasures alone', () => {
  fc.assert(
    fc.property(history, history, (before, after) => {
      const first = foldMemory(emptyMemory, before)
      const second = foldMemory(first, after)
      for (const id of first.gone) expect(second.items.has(id)).toBe(false)
      const ofPersons = after.flatMap(({ changes }) => changes).filter(isOfPersons)
      for (const [id, item] of first.items) {
        if (item.by !== 'person' || ofPersons.some((each) => !('id' in each) || each.id === id))
          continue
        expect(second.items.get(id)?.key).toBe(item.key)
      }
    }),
    { numRuns: 300 },
  )
})

const idsOf = (memory: Memory) => itemsOf(memory).map(({ id }) => id)

const isOfPersons = (each: MemoryChange): boolean =>
  each.op === 'reset' ||
  (each.op === 'drop'
    ? each.reason === 'person' || each.reason === 'erased'
    : 'by' in each && each.by === 'person')

/** A draft, as an event holds it. */
const stored = (draft: MemoryDraft): MemoryChange => {
  if (draft.op !== 'add' && draft.op !== 'revise') return draft
  const { text: words, ...rest } = draft
  return { ...rest, key: `key of ${words}` }
}

test('the calls of one turn may end in any order', () => {
  const talk = said(
    'I like apples, pears and plums. I have 2 cats. I no longer like cherries.',
    'I like apples very much. I have 3 cats.',
  )
  const known: readonly Known[] = [
    { id: 'i1', text: 'Likes cherries.' },
    { id: 'i2', text: 'Has 2 cats.' },
    { id: 'i3', text: 'Likes apples.' },
  ]
  const item = { kind: 'preference', confidence: 0.9 }
  const calls = fc.constantFrom<{ readonly tool: string; readonly args: object }>(
    { tool: 'remember', args: { ...item, text: 'Likes pears.', from: [1] } },
    { tool: 'remember', args: { ...item, text: 'Likes plums.', from: [1] } },
    { tool: 'remember', args: { ...item, text: 'Likes apples.', from: [2] } },
    { tool: 'remember', args: { ...item, text: 'The user likes apples.', from: [1] } },
    { tool: 'remember', args: { ...item, text: 'Has 3 cats.', from: [2] } },
    { tool: 'revise', args: { id: 'i1', text: 'No longer likes cherries.', from: [1] } },
    { tool: 'revise', args: { id: 'i3', text: 'Likes apples and pears.', from: [1] } },
    { tool: 'forget', args: { id: 'i1', reason: 'no longer' } },
    { tool: 'forget', args: { id: 'i2', reason: 'changed' } },
  )
  const turn = fc.array(calls, { minLength: 1, maxLength: 8 })
  fc.assert(
    fc.property(turn, fc.infiniteStream(fc.nat()), (asked, luck) => {
      const bench = benchOf(talk, known)
      const verdicts = judgeMemory(
        bench,
        asked.map((each, n) => ({ callId: `c_${n}`, ...each })),
      )
      const ended = verdicts.flatMap(({ changes }) =>
        changes.length === 0 ? [] : [changes.map(stored)],
      )
      const inOrder = (all: typeof ended) =>
        all.map((changes, n) => ({ at: moment(50 + n), changes }))
      const events = inOrder(ended)
      const shuffled = ended
        .map((changes) => ({ changes, at: luck.next().value ?? 0 }))
        .toSorted((a, b) => a.at - b.at)
        .map(({ changes }) => changes)
      const whenever = ({ items, ...rest }: ReturnType<typeof shape>) => ({
        ...rest,
        items: items.map(({ at: _, ...about }) => about),
      })
      expect(whenever(shape(foldMemory(bench.memory, inOrder(shuffled))))).toEqual(
        whenever(shape(foldMemory(bench.memory, events))),
      )
      const texts = itemsOf(foldMemory(bench.memory, events)).map(({ key }) => key)
      expect(new Set(texts).size).toBe(texts.length)
    }),
    { numRuns: 300 },
  )
})

test('every change that the rules draft is one that an event may hold', () => {
  const [verdict] = judgeMemory(benchOf(said('I like pears.')), [
    {
      callId: 'c_1',
      tool: 'remember',
      args: { text: 'Likes pears.', kind: 'preference', from: [1], confidence: 1 },
    },
  ])
  const changes = verdict?.changes.map(stored)
  expect(MemoryChanges.parse(changes)).toEqual(changes)
})

test('an event that was erased says nothing, and an item goes with the last of its sources', () => {
  const add: MemoryChange = {
    op: 'add',
    id: 'a',
    key: 'k',
    bytes: 5,
    kind: 'preference',
    sources: [{ runId: 'r1', seq: 1 }],
    confidence: 0.9,
    since: firstDay,
    by: 'model',
  }
  const person: MemoryChange = { ...add, id: 'p', by: 'person', sources: [] }
  const confirm: MemoryChange = {
    op: 'confirm',
    id: 'a',
    sources: [{ runId: 'r2', seq: 1 }],
    at: firstDay,
  }
  const events = [
    { at: moment(1), changes: [add, person] },
    { at: moment(2), changes: [confirm] },
  ]
  // The event that made it was erased.
  expect(idsOf(foldMemory(emptyMemory, [{ at: moment(1), changes: [] }, events[1]!]))).toEqual([])
  const memory = foldMemory(emptyMemory, events)
  // What it was made of was.
  expect(idsOf(withoutSourceless(memory, ({ runId }) => runId === 'r1'))).toEqual(['a', 'p'])
  expect(idsOf(withoutSourceless(memory, ({ runId }) => runId === 'r2'))).toEqual(['a', 'p'])
  expect(idsOf(withoutSourceless(memory, () => true))).toEqual(['p'])
})
