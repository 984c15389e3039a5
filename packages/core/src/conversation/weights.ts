/**
 * What the entries of a conversation weigh, and what a rule would take off them. Asked for with every answer of the model, so each entry is
 * measured once, and again only when something of it has changed.
 *
 * M1 A weight holds as long as the entry, the results of its calls and the rule are what they were. None of them is ever changed, only
 *    replaced.
 */
import type { ToolOutput } from '../message.ts'
import { bytesAsJson } from '../text/utf8.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import { isClearable, lineBytes, shortened } from './clear.ts'
import type { Conversation } from './conversation.ts'
import type { CallAnswer, Entry } from './write.ts'

/** Sizes in bytes of JSON. */
export interface Weight {
  /** With the results of its calls. */
  readonly kept: number
  /** Results that the rule clears, and the bytes that they lose. */
  readonly results: number
  readonly cleared: number
  /** Messages that it shortens, and the bytes that they lose. */
  readonly inputs: number
  readonly shortened: number
}

/** A weight, and what it was measured by. */
interface Measured {
  readonly weight: Weight
  /** Was the entry of a run before the one at hand? */
  readonly isOld: boolean
  /** Of its calls, in order. */
  readonly outputs: readonly (ToolOutput | undefined)[]
}

/** Of one conversation. */
export class Weights {
  #rule = ''
  #known = new WeakMap<Entry, Measured>()
  readonly #sizes = new WeakMap<object, number>()

  /** Of all entries, in order. */
  of(conversation: Conversation, rule: ClearRule): readonly Weight[] {
    const words = JSON.stringify(rule)
    if (words !== this.#rule) this.#known = new WeakMap()
    this.#rule = words
    return conversation.entries.all.map((entry) => this.#weightOf(conversation, entry, rule))
  }

  #weightOf(conversation: Conversation, entry: Entry, rule: ClearRule): Weight {
    const known = this.#known.get(entry)
    if (known && holds(known, entry, conversation)) return known.weight
    const { results, runs } = conversation
    const weight = this.#measure(conversation, entry, rule)
    const isOld = entry.at.run < runs.current
    const outputs = callIdsOf(entry).map((id) => results.get(id))
    this.#known.set(entry, { weight, isOld, outputs })
    return weight
  }

  #measure(conversation: Conversation, entry: Entry, rule: ClearRule): Weight {
    const { current } = conversation.runs
    const short = shortened(entry, { rule, current })
    const kept = this.#sizeOf(entry.parts) + elsewhere(entry.parts)
    const own = short ? Math.max(0, kept - bytesAsJson(short.parts)) : 0
    const weight = { kept, results: 0, cleared: 0, inputs: short ? 1 : 0, shortened: own }
    return entry.type === 'said' ? weight : this.#withResults(conversation, { entry, weight, rule })
  }

  #withResults(
    { results, cleared }: Conversation,
    {
      entry,
      weight,
      rule,
    }: { readonly entry: CallAnswer; readonly weight: Weight; readonly rule: ClearRule },
  ): Weight {
    let { kept, results: count, cleared: lost } = weight
    for (const part of entry.parts) {
      const output = part.type === 'tool_call' ? results.get(part.id) : undefined
      if (part.type !== 'tool_call' || !output) continue
      const size = this.#sizeOf(output.content)
      kept += size
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

const callIdsOf = ({ parts }: Entry): readonly string[] =>
  parts.flatMap((part) => (part.type === 'tool_call' ? [part.id] : []))

/** Is the weight still that of the entry? */
function holds(
  { isOld, outputs }: Measured,
  entry: Entry,
  { results, runs }: Conversation,
): boolean {
  if (isOld !== entry.at.run < runs.current) return false
  let n = 0
  for (const part of entry.parts) {
    if (part.type !== 'tool_call') continue
    if (outputs[n] !== results.get(part.id)) return false
    n += 1
  }
  return true
}

/** Messages that stand elsewhere for their length are sent whole; results are not. */
function elsewhere(parts: Entry['parts']): number {
  let bytes = 0
  for (const part of parts)
    if (part.type === 'blob') bytes += Math.max(0, part.bytes - bytesAsJson(part.preview))
  return bytes
}
