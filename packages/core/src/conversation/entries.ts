/**
 * The entries, in order, and the results of calls. Both tell each watcher what has changed since it asked last, so that no reader of a
 * conversation need compare it with what it was.
 */
import type { ToolOutput } from '../message.ts'
import type { CallAnswer, Entry } from './write.ts'

export const isCallAnswer = (entry: Entry | undefined): entry is CallAnswer =>
  entry?.type === 'answered'

/** The changes of entries that one watcher has not been told yet. */
export class EntryChanges {
  readonly #all: readonly Entry[]
  #unchanged = 0

  constructor(all: readonly Entry[]) {
    this.#all = all
  }

  /** An entry has changed. */
  note(at: number): void {
    this.#unchanged = Math.min(this.#unchanged, at)
  }

  /** So many entries, from the first on, are what they were when this was last asked. */
  take(): number {
    const unchanged = this.#unchanged
    this.#unchanged = this.#all.length
    return unchanged
  }
}

/** Entries of a conversation. */
export class Entries {
  readonly #all: Entry[] = []
  readonly #watchers: EntryChanges[] = []
  #hasImages = false
  /** Where the answer under an id stands that is not a correction. Null: to be looked up anew. */
  #places: Map<string, number> | null = new Map()

  get all(): readonly Entry[] {
    return this.#all
  }

  /** Has any image ever been among them? */
  get hasImages(): boolean {
    return this.#hasImages
  }

  /** The answer under this id that is not a correction, and where it stands. */
  answer(id: string): { readonly at: number; readonly answer: CallAnswer } | null {
    this.#places ??= placesOf(this.#all)
    const at = this.#places.get(id)
    const answer = at === undefined ? undefined : this.#all[at]
    return at !== undefined && isCallAnswer(answer) ? { at, answer } : null
  }

  push(...entries: readonly Entry[]): void {
    for (const entry of entries) {
      if (isCallAnswer(entry) && !entry.corrected) this.#places?.set(entry.id, this.#all.length)
      this.#hasImages ||= holdsImage(entry.parts)
      this.#all.push(entry)
    }
  }

  /** In the place of the answer under its id, or behind everything where there is none. */
  put(answer: CallAnswer): void {
    const found = this.answer(answer.id)
    if (found) this.replace(found.at, answer)
    else this.push(answer)
  }

  replace(at: number, entry: Entry): void {
    this.#all[at] = entry
    this.#change(at)
  }

  remove(at: number): void {
    this.#all.splice(at, 1)
    this.#change(at)
  }

  insert(at: number, entry: Entry): void {
    this.#all.splice(at, 0, entry)
    this.#change(at)
  }

  /** Forgets everything from there on. */
  cut(from: number): void {
    this.#all.splice(from)
    this.#change(from)
  }

  /** Puts entries in the place of the first `count`. */
  cutBefore(count: number, entries: readonly Entry[]): void {
    this.#hasImages ||= entries.some(({ parts }) => holdsImage(parts))
    this.#all.splice(0, count, ...entries)
    this.#change(0)
  }

  watch(): EntryChanges {
    const changes = new EntryChanges(this.#all)
    this.#watchers.push(changes)
    return changes
  }

  #change(at: number): void {
    for (const watcher of this.#watchers) watcher.note(at)
    this.#places = null
  }
}

const holdsImage = (parts: readonly { readonly type: string }[]): boolean =>
  parts.some(({ type }) => type === 'image')

/** Of two under one id, the later. */
const placesOf = (entries: readonly Entry[]): Map<string, number> =>
  new Map(
    entries.flatMap((entry, at): [string, number][] =>
      isCallAnswer(entry) && !entry.corrected ? [[entry.id, at]] : [],
    ),
  )

/** The changes of results that one watcher has not been told yet. */
export class ResultChanges {
  #changed = new Set<string>()

  /** The result of a call has come, or come anew. */
  note(callId: string): void {
    this.#changed.add(callId)
  }

  /** The calls whose results have come, or come anew, since this was last asked. */
  take(): ReadonlySet<string> {
    const changed = this.#changed
    this.#changed = new Set()
    return changed
  }
}

/** Results, by the ids of their calls. */
export class Results {
  readonly #outputs = new Map<string, ToolOutput>()
  readonly #watchers: ResultChanges[] = []
  readonly #remarks = new Map<string, readonly string[]>()
  #hasImages = false

  /** Has any image ever been among them? */
  get hasImages(): boolean {
    return this.#hasImages
  }

  get(callId: string): ToolOutput | undefined {
    return this.#outputs.get(callId)
  }

  has(callId: string): boolean {
    return this.#outputs.has(callId)
  }

  set(callId: string, output: ToolOutput): void {
    this.#outputs.set(callId, output)
    this.#hasImages ||= holdsImage(output.content)
    for (const watcher of this.#watchers) watcher.note(callId)
  }

  /** Lines of ours behind the result of a call, in the order in which they were said; each once. */
  remarksOn(callId: string): readonly string[] {
    return this.#remarks.get(callId) ?? []
  }

  remark(callId: string, text: string): void {
    const known = this.remarksOn(callId)
    if (known.includes(text)) return
    this.#remarks.set(callId, [...known, text])
    for (const watcher of this.#watchers) watcher.note(callId)
  }

  watch(): ResultChanges {
    const changes = new ResultChanges()
    this.#watchers.push(changes)
    return changes
  }
}
