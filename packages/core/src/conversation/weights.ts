/**
 * The weights of the entries of a conversation, and what a rule would take off them. Asked for with every answer of the model, so the sums go on
 * from the first entry that has changed.
 *
 * M1 A weight holds as long as the entry, the results of its calls, the rule, and whether its run is an earlier one, are what they were.
 * M2 Content is never changed, only replaced: its size is measured once.
 */
import { imageBytesIn } from '../image/weight.ts'
import { bytesAsJson } from '../text/utf8.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import { isClearable, lineBytes, shortened } from './clear.ts'
import type { Conversation } from './conversation.ts'
import { EntryReader } from './entry-reader.ts'
import type { CallAnswer, Entry } from './write.ts'

/** Sizes in bytes of JSON. */
interface Weight {
  /** With the results of its calls. */
  readonly kept: number
  /** Results that the rule clears, and the bytes that they lose. */
  readonly results: number
  readonly cleared: number
  /** Messages that it shortens, and the bytes that they lose. */
  readonly inputs: number
  readonly shortened: number
}

const nothing: Weight = { kept: 0, results: 0, cleared: 0, inputs: 0, shortened: 0 }

const plus = (a: Weight, b: Weight): Weight => ({
  kept: a.kept + b.kept,
  results: a.results + b.results,
  cleared: a.cleared + b.cleared,
  inputs: a.inputs + b.inputs,
  shortened: a.shortened + b.shortened,
})

/** Of one conversation. */
export class Weights {
  readonly #conversation: Conversation
  /** From the first time on that somebody asks. */
  #reading: EntryReader | null = null
  #rule = ''
  #run = 0
  /** Of all entries before each, and of all. */
  readonly #sums: Weight[] = [nothing]
  readonly #sizes = new WeakMap<object, number>()

  constructor(conversation: Conversation) {
    this.#conversation = conversation
  }

  /** Weighs what is new by this rule. */
  bringUp(rule: ClearRule): void {
    const { entries } = this.#conversation
    const reading = (this.#reading ??= new EntryReader(this.#conversation))
    const first = Math.min(reading.resume(), this.#sameBefore(rule))
    reading.backTo(first)
    this.#sums.length = first + 1
    for (const entry of entries.all.slice(first)) {
      const weight = this.#measure(entry, rule)
      this.#sums.push(plus(this.#sums.at(-1) ?? nothing, weight))
      reading.read(entry)
    }
  }

  /** The weight of all entries before this one, or, of what is no entry, of all. */
  before(at: number): Weight {
    return this.#sums[at] ?? this.#sums.at(-1) ?? nothing
  }

  /** So many entries are weighed by the same rule, as of the same sort of run. */
  #sameBefore(rule: ClearRule): number {
    const [words, run] = [JSON.stringify(rule), this.#run]
    const isSame = words === this.#rule
    const { entries, runs } = this.#conversation
    this.#rule = words
    this.#run = runs.current
    if (!isSame) return 0
    if (run === runs.current) return entries.all.length
    // Those of the run that was at hand are of an earlier one now.
    return entries.all.findLastIndex(({ at }) => at.run < run) + 1
  }

  #measure(entry: Entry, rule: ClearRule): Weight {
    const { current } = this.#conversation.runs
    const short = shortened(entry, { rule, current })
    const { images } = this.#conversation
    const shown = entry.type === 'said' ? imageBytesIn(images.visible(entry.parts)) : 0
    const kept = this.#sizeOf(entry.parts) + elsewhere(entry.parts) + shown
    const own = short ? Math.max(0, kept - shown - bytesAsJson(short.parts)) : 0
    const weight = { kept, results: 0, cleared: 0, inputs: short ? 1 : 0, shortened: own }
    return entry.type === 'said' ? weight : this.#withResults(entry, weight, rule)
  }

  #withResults(entry: CallAnswer, weight: Weight, rule: ClearRule): Weight {
    const { results, cleared, images } = this.#conversation
    let { kept, results: count, cleared: lost } = weight
    for (const part of entry.parts) {
      const output = part.type === 'tool_call' ? results.get(part.id) : undefined
      if (part.type !== 'tool_call' || !output) continue
      const size = this.#sizeOf(output.content)
      kept += size + imageBytesIn(images.visible(output.content))
      if (cleared.has(part.id) || !isClearable(part, output, rule)) continue
      count += 1
      lost += Math.max(0, size - lineBytes(part, output, rule))
    }
    return { ...weight, kept, results: count, cleared: lost }
  }

  #sizeOf(value: object): number {
    const known = this.#sizes.get(value) ?? bytesAsJson(value)
    this.#sizes.set(value, known)
    return known
  }
}

/** Bytes of messages that stand elsewhere for their length, and are sent whole; results are not. */
export function elsewhere(parts: Entry['parts']): number {
  let bytes = 0
  for (const part of parts)
    if (part.type === 'blob') bytes += Math.max(0, part.bytes - bytesAsJson(part.preview))
  return bytes
}
