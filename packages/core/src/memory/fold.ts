/**
 * The memory of somebody: a fold over what the runs of its thread changed, as the files of a conversation are. So a rollback, a branch, and a
 * look at how it stood at a moment need no code here.
 *
 * K1 The same events in the same order make the same memory, on every machine; folded twice, they change nothing more.
 * K2 The changes of one turn may come in any order, for its calls run side by side: the memory is the same.
 * K3 An id is used once. What is gone stays gone, whatever is said of it later.
 * K4 What a person wrote is changed and removed by persons alone, and by an erasure.
 * K5 An item of a model lives as long as one of its sources.
 */
import { limits } from '../limits.ts'
import type { Moment } from '../room-measure.ts'
import type { MemoryChange } from './item.ts'

/** An item as it stands. */
export interface MemoryItem extends Omit<
  Extract<MemoryChange, { readonly op: 'add' }>,
  'op' | 'sources'
> {
  readonly sources: readonly Moment[]
  /** Words by which the user said it again, each once, and the moment of the newest. Milliseconds since the epoch. */
  readonly confirmedBy: readonly Moment[]
  readonly heard: number
  /** The event that gave it the text that it has. */
  readonly at: Moment
}

/** What is known of somebody. */
export interface Memory {
  readonly items: ReadonlyMap<string, MemoryItem>
  /** Ids that were used, and are not any more. */
  readonly gone: ReadonlySet<string>
  /** What was said up to here is not learned. Milliseconds since the epoch; 0: everything may be. */
  readonly forgottenUntil: number
  /** By run: its newest event that is folded. */
  readonly taken: ReadonlyMap<string, number>
}

/** Before the first event. */
export const emptyMemory: Memory = {
  items: new Map(),
  gone: new Set(),
  forgottenUntil: 0,
  taken: new Map(),
}

/** The changes that one event says; `at` names it. Of an event that was erased, none. */
export interface MemoryEvent {
  readonly at: Moment
  readonly changes: readonly MemoryChange[]
}

/** The memory after more events, in order. */
export function foldMemory(before: Memory, events: Iterable<MemoryEvent>): Memory {
  const items = new Map(before.items)
  const gone = new Set(before.gone)
  const taken = new Map(before.taken)
  let { forgottenUntil } = before
  for (const { at, changes } of events) {
    if (at.seq <= (taken.get(at.runId) ?? 0)) continue
    taken.set(at.runId, at.seq)
    for (const change of changes) {
      if (change.op === 'reset') {
        forgottenUntil = Math.max(forgottenUntil, change.at)
        for (const id of items.keys()) gone.add(id)
        items.clear()
      } else take({ items, gone }, at, change)
    }
  }
  return { items, gone, forgottenUntil, taken }
}

interface Growing {
  readonly items: Map<string, MemoryItem>
  readonly gone: Set<string>
}

function take(
  { items, gone }: Growing,
  at: Moment,
  change: Exclude<MemoryChange, { readonly op: 'reset' }>,
): void {
  const known = items.get(change.id)
  switch (change.op) {
    case 'add':
      if (!known && !gone.has(change.id)) items.set(change.id, itemOf(change, at))
      return
    case 'revise':
      if (known && mayChange(known, change.by)) items.set(change.id, itemOf(change, at))
      return
    case 'confirm':
      if (known) items.set(change.id, confirmed(known, change))
      return
    case 'drop':
      if (known?.by === 'person' && !ofPersons.includes(change.reason)) return
      items.delete(change.id)
      gone.add(change.id)
  }
}

const ofPersons: readonly string[] = ['person', 'erased']

const mayChange = ({ by }: MemoryItem, author: MemoryItem['by']): boolean =>
  by !== 'person' || author === 'person'

function itemOf(
  { op: _, ...said }: Extract<MemoryChange, { readonly op: 'add' | 'revise' }>,
  at: Moment,
): MemoryItem {
  return { ...said, confirmedBy: [], heard: said.since, at }
}

function confirmed(
  item: MemoryItem,
  { sources, at }: Extract<MemoryChange, { readonly op: 'confirm' }>,
): MemoryItem {
  const known = [...item.sources, ...item.confirmedBy]
  const news = sources.filter((source) => !known.some((each) => isSameMoment(each, source)))
  if (news.length === 0) return item
  const all = [...item.confirmedBy, ...news]
  // In an order of their own: two confirmations of one turn may come in either.
  const kept = all.toSorted(byMoment).slice(0, limits.memorySourcesMax)
  return { ...item, confirmedBy: kept, heard: Math.max(item.heard, at) }
}

const byMoment = (a: Moment, b: Moment): number =>
  a.runId === b.runId ? a.seq - b.seq : a.runId < b.runId ? -1 : 1

/** Is it the same event? */
export const isSameMoment = (a: Moment, b: Moment): boolean =>
  a.runId === b.runId && a.seq === b.seq

/** The items in an order of their own: oldest first, of one moment by id. */
export const itemsOf = ({ items }: Memory): readonly MemoryItem[] =>
  [...items.values()].toSorted((a, b) => a.since - b.since || (a.id < b.id ? -1 : 1))

/** The memory without items of models whose sources are all gone (K5): erased, deleted for their users, or rolled back. */
export function withoutSourceless(memory: Memory, isGone: (source: Moment) => boolean): Memory {
  const items = new Map(
    [...memory.items].filter(
      ([, { by, sources, confirmedBy }]) =>
        by === 'person' || [...sources, ...confirmedBy].some((source) => !isGone(source)),
    ),
  )
  return items.size === memory.items.size ? memory : { ...memory, items }
}
