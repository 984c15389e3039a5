/**
 * The places between turns at which a conversation could be made lighter, and what that would bring. A turn is an answer of the model with
 * the results of its calls, and whatever was said behind it.
 */
import { limits } from '../limits.ts'
import { bytesAsJson } from '../text/utf8.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import { isClearable, lineBytes, shortened } from './clear.ts'
import type { Conversation } from './conversation.ts'
import type { SaidAt } from './place.ts'
import type { Entry } from './write.ts'

/** A place between turns. Sizes in bytes of JSON. */
export interface CutSize {
  /** The newest event before it. */
  readonly at: { readonly runId: string; readonly seq: number }
  /** Turns behind it. */
  readonly turns: number
  readonly keptBytes: number
  /** Before it: results that the rule clears, and messages that it shortens. */
  readonly results: number
  readonly clearedBytes: number
  readonly inputs: number
  readonly shortenedBytes: number
}

/** How many turns stay behind the places that are told. Fewer are told the further back they are. */
const told = [0, 1, 2, 3, 4, 6, 8, 12, 16, 24, 32] as const

/** Sizes that were measured. Entries, outputs and parts are never changed, only replaced. */
const sizes = new WeakMap<object, number>()

function sizeOf(value: object): number {
  const known = sizes.get(value) ?? bytesAsJson(value)
  sizes.set(value, known)
  return known
}

interface Gain {
  readonly kept: number
  readonly results: number
  readonly cleared: number
  readonly inputs: number
  readonly shortened: number
}

const nothing: Gain = { kept: 0, results: 0, cleared: 0, inputs: 0, shortened: 0 }

const plus = (a: Gain, b: Gain): Gain => ({
  kept: a.kept + b.kept,
  results: a.results + b.results,
  cleared: a.cleared + b.cleared,
  inputs: a.inputs + b.inputs,
  shortened: a.shortened + b.shortened,
})

/**
 * The places of a conversation, newest first; `wanted` is one that is told in any case: a number of turns. `end` is the newest event that
 * was taken.
 */
export function cutsOf(
  conversation: Conversation,
  {
    rule,
    wanted,
    end,
  }: { readonly rule: ClearRule; readonly wanted: number; readonly end: SaidAt },
): readonly CutSize[] {
  const gains = conversation.entries.all.map((entry) => gainOf(conversation, entry, rule))
  const total = gains.reduce(plus, nothing)
  const places = [...new Set([...told, wanted])].toSorted((a, b) => a - b)
  const cuts: CutSize[] = []
  let behind = nothing
  let turns = 0
  const tell = (at: SaidAt): void => {
    if (!places.includes(turns) || cuts.length >= limits.roomCutsMax) return
    cuts.push({
      at: { runId: conversation.runs.idOf(at.run), seq: at.seq },
      turns,
      keptBytes: behind.kept,
      results: total.results - behind.results,
      clearedBytes: total.cleared - behind.cleared,
      inputs: total.inputs - behind.inputs,
      shortenedBytes: total.shortened - behind.shortened,
    })
  }
  tell(end)
  const { all } = conversation.entries
  for (let n = all.length - 1; n >= 0 && cuts.length < limits.roomCutsMax; n -= 1) {
    const [entry, gain] = [all[n], gains[n]]
    if (!entry || !gain) continue
    behind = plus(behind, gain)
    // A correction is part of the attempt behind it, as is one that failed, and an answer that somebody wrote began no turn.
    if (entry.type !== 'answered' || entry.corrected || !entry.isTurn || !entry.closed) continue
    turns += 1
    tell({ run: entry.at.run, seq: entry.at.seq - 1 })
  }
  return cuts
}

function gainOf(conversation: Conversation, entry: Entry, rule: ClearRule): Gain {
  const current = conversation.runs.current
  const short = shortened(entry, { rule, current })
  const whole = sizeOf(entry.parts) + elsewhere(entry.parts)
  const words = short
    ? { inputs: 1, shortened: Math.max(0, whole - bytesAsJson(short.parts)) }
    : { inputs: 0, shortened: 0 }
  const own = { ...nothing, ...words, kept: whole }
  return entry.type === 'said' ? own : plus(own, resultsOf(conversation, entry, rule))
}

/** Messages that stand elsewhere for their length are sent whole; results are not. */
const elsewhere = (parts: Entry['parts']): number => {
  let bytes = 0
  for (const part of parts)
    if (part.type === 'blob') bytes += Math.max(0, part.bytes - bytesAsJson(part.preview))
  return bytes
}

function resultsOf(
  { results, cleared }: Conversation,
  { parts }: Extract<Entry, { readonly type: 'answered' }>,
  rule: ClearRule,
): Gain {
  let gain = nothing
  for (const part of parts) {
    const output = part.type === 'tool_call' ? results.get(part.id) : undefined
    if (part.type !== 'tool_call' || !output) continue
    const clears = !cleared.has(part.id) && isClearable(part, output, rule)
    const size = sizeOf(output.content)
    gain = plus(gain, {
      ...nothing,
      kept: size,
      results: clears ? 1 : 0,
      cleared: clears ? Math.max(0, size - lineBytes(part, output, rule)) : 0,
    })
  }
  return gain
}
