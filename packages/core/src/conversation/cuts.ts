/**
 * The places between turns at which a conversation could be made lighter, and what that would bring. A turn is an answer of the model with
 * the results of its calls, and whatever was said behind it.
 */
import { limits } from '../limits.ts'
import type { ClearRule } from '../verdict/context/verdict.ts'
import type { Conversation } from './conversation.ts'
import type { SaidAt } from './place.ts'
import type { Weights } from './weights.ts'

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

/** A question about the places of a conversation. */
interface Asked {
  readonly rule: ClearRule
  /** A place that is told in any case: a number of turns. */
  readonly wanted: number
  /** The newest event that was taken. */
  readonly end: SaidAt
}

/** The places of a conversation, newest first. Behind the oldest that may be told, nobody looks. */
export function cutsOf(
  conversation: Conversation,
  weights: Weights,
  { rule, wanted, end }: Asked,
): readonly CutSize[] {
  weights.bringUp(rule)
  const { all } = conversation.entries
  const total = weights.before(all.length)
  const places = new Set<number>([...told, wanted])
  const oldest = Math.max(...places)
  const cuts: CutSize[] = []
  let turns = 0
  const tell = (at: SaidAt, entries: number): void => {
    if (!places.has(turns)) return
    const before = weights.before(entries)
    cuts.push({
      at: { runId: conversation.runs.idOf(at.run), seq: at.seq },
      turns,
      keptBytes: total.kept - before.kept,
      results: before.results,
      clearedBytes: before.cleared,
      inputs: before.inputs,
      shortenedBytes: before.shortened,
    })
  }
  tell(end, all.length)
  const isMore = (): boolean => turns < oldest && cuts.length < limits.roomCutsMax
  for (let n = all.length - 1; n >= 0 && isMore(); n -= 1) {
    const entry = all[n]
    // A correction is part of the attempt behind it, as is one that failed, and an answer that somebody wrote began no turn.
    if (entry?.type !== 'answered' || entry.corrected || !entry.isTurn || !entry.closed) continue
    turns += 1
    tell({ run: entry.at.run, seq: entry.at.seq - 1 }, n)
  }
  return cuts
}
