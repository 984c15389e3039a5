/**
 * Verifies one run, event by event: its chain, the definition that it pins, and the contents that its events name.
 * No event is kept, so that the memory this takes does not grow with the log.
 */
import type { StoredEvent } from '@signalbox/engine'
import { type ChainPart, createChainCheck } from '@signalbox/postgres'
import {
  contentsOf,
  filesOfManifest,
  isNamedContent,
  type NamedContent,
  type NamedAs,
} from './named-content.ts'
import { createRowCheck, type SaidOfRow } from './row-check.ts'

/** What does not hold. `run_row`: the row of the run is gone, or is not what the events of the run say. */
export type BrokenPart = ChainPart | 'run_row' | 'definition' | 'blob' | 'thread_key'

/** Where it does not hold. `run_id` is null for a definition that no run pins. */
export interface Broken {
  readonly run_id: string | null
  readonly seq: number
  readonly part: BrokenPart
  /** Of `definition`: its hash. */
  readonly definition?: string
  /** Of `blob` and `thread_key`: the key by which the event names it. */
  readonly blob?: string
}

/** What is stored under a key. `threadKey`: hex; null if the row of the thread is gone. */
export interface Stored {
  readonly bytes: Uint8Array
  readonly threadKey: string | null
}

export interface RunCheck {
  add(event: StoredEvent): void
  readonly events: number
  /** The row of the run, as its events have it. */
  readonly said: SaidOfRow
  /** What is named and was not looked at yet. */
  named(): readonly NamedContent[]
  /** The content stored there; null: none. Answers whether an event names it. */
  look(key: string, stored: Stored | null): boolean
  /** Everything that does not hold, the chain first. */
  end(head?: { readonly seq: number; readonly hash: string }): CheckedRun
}

export interface CheckedRun {
  readonly erased: number
  readonly broken: readonly Broken[]
}

interface Content {
  readonly seq: number
  readonly as: NamedAs
}

export function createRunCheck(run_id: string): RunCheck {
  const chain = createChainCheck()
  const row = createRowCheck()
  const open = new Map<string, Content>()
  const seen = new Map<string, Content>()
  const broken: Broken[] = []
  const name = (contents: readonly NamedContent[], seq: number): void => {
    for (const { key, as } of contents)
      if (!seen.has(key) && !open.has(key)) open.set(key, { seq, as })
  }
  return {
    add(event) {
      chain.add(event)
      row.add(event)
      name(contentsOf(event), event.seq)
    },
    get events() {
      return chain.events
    },
    said: row.said,
    named: () => [...open].map(([key, { as }]) => ({ key, as })),
    look(key, stored) {
      // A second version of what was seen is looked at as the first was.
      const content = open.get(key) ?? seen.get(key)
      if (!content) return false
      const isFirst = open.delete(key)
      seen.set(key, content)
      const part = wrongWith(key, stored)
      if (part) broken.push({ run_id, seq: content.seq, part, blob: key })
      else if (isFirst && stored && content.as === 'manifest')
        name(filesOfManifest(stored.bytes), content.seq)
      return true
    },
    end(head) {
      const report = chain.end(head)
      if (report.ok) return { erased: report.erased.length, broken }
      return { erased: 0, broken: [{ run_id, seq: report.seq, part: report.part }, ...broken] }
    },
  }
}

function wrongWith(key: string, stored: Stored | null): 'blob' | 'thread_key' | null {
  if (stored?.threadKey === null) return 'thread_key'
  return stored && isNamedContent(key, stored.bytes, stored.threadKey) ? null : 'blob'
}
