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

/** What does not hold. `run_row`: the row of the run is gone, or is not what the first event of the run says. */
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

/** What the first event of a run says of it; null where that is gone, or says nothing. */
export interface Pinned {
  readonly definitionHash: string
  readonly agent: unknown
  readonly machineVersion: unknown
}

export interface RunCheck {
  add(event: StoredEvent): void
  readonly events: number
  readonly pinned: Pinned | null
  /** What is named and was not looked at yet. */
  named(): readonly NamedContent[]
  /** What is stored there; null: nothing. */
  look(key: string, stored: Stored | null): void
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
  const open = new Map<string, Content>()
  const seen = new Set<string>()
  const broken: Broken[] = []
  let pinned: Pinned | null = null
  const name = (contents: readonly NamedContent[], seq: number): void => {
    for (const { key, as } of contents)
      if (!seen.has(key) && !open.has(key)) open.set(key, { seq, as })
  }
  return {
    add(event) {
      chain.add(event)
      pinned ??= pinnedIn(event)
      name(contentsOf(event), event.seq)
    },
    get events() {
      return chain.events
    },
    get pinned() {
      return pinned
    },
    named: () => [...open].map(([key, { as }]) => ({ key, as })),
    look(key, stored) {
      const content = open.get(key)
      if (!content) return
      open.delete(key)
      seen.add(key)
      const part = wrongWith(key, stored)
      if (part) broken.push({ run_id, seq: content.seq, part, blob: key })
      else if (stored && content.as === 'manifest') name(filesOfManifest(stored.bytes), content.seq)
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

function pinnedIn({ type, payload }: StoredEvent): Pinned | null {
  const { definitionHash, agent, machineVersion } = payload
  if (type !== 'run.created' || typeof definitionHash !== 'string') return null
  return { definitionHash, agent, machineVersion }
}
