/**
 * Memories of those whom runs work for, in the register: each has a thread of its own, whose runs change it. It stands in no listing, and no
 * client creates a run on it.
 */
import type { JsonObject, Moment, Outcome, PinnedRange } from '@signalbox/core'
import type { RunRef, StoredEvent, ThreadRef } from './register.ts'

/** The thread of a memory. */
export interface MemoryThread extends ThreadRef {
  /** Whose memory it is: `scope`, and as far as there are any `subject` and `agent`. */
  readonly about: JsonObject
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** 32 bytes, hex: keys its content. */
  readonly contentKey: string
}

/** How a run that learned ended, and from what. */
export interface Learning {
  readonly runId: string
  readonly outcome: Outcome
  /** Milliseconds since the epoch. */
  readonly endedAt: number
}

/** A run, as whoever learns from it asks. */
export interface RunStanding {
  readonly runId: string
  readonly threadId: string
  readonly place: number | null
  /** Null: it has not ended. */
  readonly outcome: Outcome | null
  /** Was it, or its thread, deleted for its users? */
  readonly isHidden: boolean
}

/** The part of the register that is about memories. */
export interface MemoryPort {
  /** Makes the thread of a memory if it is not there. False: the id is that of another thread. */
  ensureMemory(thread: MemoryThread): Promise<boolean>
  /** Is nothing of this thread to be remembered: neither learned nor shown? Of the thread of a memory: is it paused? False where there is no such thread. */
  isMemoryOff(thread: ThreadRef): Promise<boolean>
  /** Says whether anything is. */
  setMemory(thread: ThreadRef, isOff: boolean): Promise<'ok' | 'no_thread'>
  /**
   * The events of a memory that change it, in order: first events of its runs, and results of the calls of whoever learned. Up to a moment; null:
   * all there are. A register may answer others besides.
   */
  memoryEvents(memory: ThreadRef, through: Moment | null): Promise<readonly StoredEvent[]>
  /** What the newest learning from a thread that completed has learned from; null: there was none. */
  learnedFrom(memory: ThreadRef, threadId: string): Promise<PinnedRange | null>
  /** The newest runs of a memory that learned and have ended, the newest first. */
  learnings(memory: ThreadRef, limit: number): Promise<readonly Learning[]>
  /** Is a run of the thread of this one under way that is newer and will be learned from into the same memory? */
  learnsLater(run: RunRef & ThreadRef, memoryThreadId: string): Promise<boolean>
  /** Runs of one tenant, in any order. Of those that are not there, nothing. */
  standings(tenantId: string, runIds: readonly string[]): Promise<readonly RunStanding[]>
  /** Of these events, those of which something is left: not erased, nor of a run that is deleted for its users or was rolled back. */
  standing(tenantId: string, moments: readonly Moment[]): Promise<readonly Moment[]>
  /** Blobs of one thread by their keys. Of those that are not there, nothing. */
  blobs(thread: ThreadRef, keys: readonly string[]): Promise<ReadonlyMap<string, Uint8Array>>
  /**
   * Destroys the key of the content of a memory, and the content with it: another key, 32 bytes as hex, stands in its place. Answers how many texts
   * were removed; null: there is no such memory.
   */
  eraseMemory(memory: ThreadRef, contentKey: string): Promise<number | null>
  /** The threads of memories whose `about` holds all of this, oldest first, at most `limits.pageMax`. */
  memories(tenantId: string, about: JsonObject): Promise<readonly MemoryThread[]>
}
