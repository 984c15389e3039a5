/**
 * Reading a conversation again and again, while it grows: a reader goes on from the first entry that is not what it was when it was read, the
 * results of its calls included.
 *
 * N1 Readers do not know of each other: what one has read is news to the others.
 */
import type { Entries, EntryChanges, ResultChanges, Results } from './entries.ts'
import type { Entry } from './write.ts'

/** Where one reader stands in a conversation. */
export class EntryReader {
  readonly #changes: EntryChanges
  readonly #results: ResultChanges
  /** By call: the first entry read that has it. */
  readonly #owners = new Map<string, number>()
  /** Of each entry read: the calls that it is the first to have. */
  readonly #calls: (readonly string[])[] = []

  constructor({ entries, results }: { readonly entries: Entries; readonly results: Results }) {
    this.#changes = entries.watch()
    this.#results = results.watch()
  }

  /** So many entries, from the first on, are as they were read: the reader goes on behind them. */
  resume(): number {
    let first = Math.min(this.#changes.take(), this.#calls.length)
    for (const call of this.#results.take())
      first = Math.min(first, this.#owners.get(call) ?? first)
    return this.backTo(first)
  }

  /** The next entry was read. */
  read({ parts }: Entry): void {
    const calls: string[] = []
    for (const part of parts) {
      if (part.type !== 'tool_call' || this.#owners.has(part.id)) continue
      this.#owners.set(part.id, this.#calls.length)
      calls.push(part.id)
    }
    this.#calls.push(calls)
  }

  /** Reads anew what is behind so many entries. */
  backTo(entries: number): number {
    for (let n = this.#calls.length; n > entries; n -= 1)
      for (const call of this.#calls.pop() ?? []) this.#owners.delete(call)
    return this.#calls.length
  }

  /** The changes since it was resumed were the reader's own, and are no news to it. */
  settle(): void {
    this.#changes.take()
    this.#results.take()
  }
}
