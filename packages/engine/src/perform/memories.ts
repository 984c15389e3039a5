/**
 * Memories as performers read them: the fold over what the runs of a memory changed, with the texts that are left.
 *
 * R1 Up to a moment, a memory is always the same, but for what was erased since.
 * R2 Nothing is kept between reads: a text that was erased is gone with the next request.
 */
import {
  emptyMemory,
  factSchemas,
  foldMemory,
  itemsOf,
  type Memory,
  type MemoryChange,
  type MemoryEvent,
  type MemoryItem,
  type Moment,
  nameOfShown,
  payloadOf,
  type SaidItem,
  shownAs,
  withoutSourceless,
} from '@signalbox/core'
import type { Clock, Register, StoredEvent, ThreadRef } from '../ports.ts'

export interface MemoriesDeps {
  readonly register: Pick<Register, 'memoryEvents' | 'blobs' | 'standing' | 'isMemoryOff'>
  readonly clock: Pick<Clock, 'now'>
}

/** A memory as it was at a moment. */
export interface KnownMemory {
  readonly memory: Memory
  /** The newest event that is in it; null: there is none. */
  readonly at: Moment | null
  /** Texts of its items by their ids, as far as they are left. */
  readonly texts: ReadonlyMap<string, string>
}

/** The items that may be shown. */
export interface ShownMemory {
  readonly at: Moment | null
  readonly items: readonly SaidItem[]
  /** Items of which nothing is left of what they were made of. */
  readonly withheld: number
}

/** The text of an item in a certain state. */
export interface ItemText {
  readonly kind: string
  readonly since: number
  readonly text: string
}

export interface Memories {
  /** Up to a moment; null: all there is. */
  read(memory: ThreadRef, through: Moment | null): Promise<KnownMemory>
  /** What may be shown of it now: nothing while it is paused. */
  shown(memory: ThreadRef): Promise<ShownMemory>
  /** The texts of items in the states that they had up to a moment, by `nameOfShown`. Of what was erased, nothing. */
  texts(
    memory: ThreadRef,
    through: Moment,
    names: ReadonlySet<string>,
  ): Promise<ReadonlyMap<string, ItemText>>
}

export function createMemories(deps: MemoriesDeps): Memories {
  const { register, clock } = deps
  const textsOf = async (
    memory: ThreadRef,
    keys: readonly string[],
  ): Promise<ReadonlyMap<string, string>> => {
    const blobs = await register.blobs(memory, [...new Set(keys)])
    return new Map([...blobs].map(([key, bytes]) => [key, Buffer.from(bytes).toString('utf8')]))
  }
  const read: Memories['read'] = async (thread, through) => {
    const events = memoryEventsOf(await register.memoryEvents(thread, through))
    const memory = foldMemory(emptyMemory, events)
    const items = itemsOf(memory)
    const texts = await textsOf(
      thread,
      items.map(({ key }) => key),
    )
    return { memory, at: events.at(-1)?.at ?? null, texts: byId(items, texts) }
  }
  return {
    read,
    async shown(thread) {
      if (await register.isMemoryOff(thread)) return { at: null, items: [], withheld: 0 }
      const { memory, at, texts } = await read(thread, null)
      const now = clock.now()
      const current = {
        ...memory,
        items: new Map([...memory.items].filter(([, item]) => !isOver(item, now))),
      }
      const sources = [...current.items.values()].flatMap(({ sources: own, confirmedBy }) => [
        ...own,
        ...confirmedBy,
      ])
      const standing = sources.length === 0 ? [] : await register.standing(thread.tenantId, sources)
      const left = new Set(standing.map(nameOf))
      const kept = withoutSourceless(current, (source) => !left.has(nameOf(source)))
      const items = itemsOf(kept).flatMap((item): SaidItem[] => {
        const text = texts.get(item.id)
        return text === undefined ? [] : [{ item, text }]
      })
      return { at, items, withheld: current.items.size - items.length }
    },
    async texts(thread, through, names) {
      const states = memoryEventsOf(await register.memoryEvents(thread, through))
        .flatMap(({ changes }) => changes)
        .filter(isText)
        .filter((change) => names.has(nameOfShown(shownAs(change))))
      const texts = await textsOf(
        thread,
        states.map(({ key }) => key),
      )
      return new Map(
        states.flatMap((change): [string, ItemText][] => {
          const { kind, since, key } = change
          const text = texts.get(key)
          return text === undefined ? [] : [[nameOfShown(shownAs(change)), { kind, since, text }]]
        }),
      )
    },
  }
}

const isText = (
  change: MemoryChange,
): change is Extract<MemoryChange, { readonly op: 'add' | 'revise' }> =>
  change.op === 'add' || change.op === 'revise'

const isOver = ({ until }: MemoryItem, now: number): boolean => until !== undefined && until < now

const nameOf = ({ runId, seq }: Moment): string => `${runId}:${seq}`

const byId = (
  items: readonly MemoryItem[],
  texts: ReadonlyMap<string, string>,
): ReadonlyMap<string, string> =>
  new Map(
    items.flatMap(({ id, key }): [string, string][] => {
      const text = texts.get(key)
      return text === undefined ? [] : [[id, text]]
    }),
  )

/** The changes that stored events say; of one that was erased, none. */
export const memoryEventsOf = (events: readonly StoredEvent[]): readonly MemoryEvent[] =>
  events.flatMap((event): MemoryEvent[] => {
    const { runId, seq } = event
    const changes = changesOf(event)
    return changes.length === 0 ? [] : [{ at: { runId, seq }, changes }]
  })

function changesOf(event: StoredEvent): readonly MemoryChange[] {
  if (event.salt === '') return []
  if (event.type === 'tool.completed')
    return payloadOf(factSchemas['tool.completed'], event).memory ?? []
  if (event.type === 'run.created')
    return payloadOf(factSchemas['run.created'], event).edit?.memory ?? []
  return []
}
