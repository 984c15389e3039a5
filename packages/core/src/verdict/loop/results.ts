/**
 * The results of the sets: they tell progress from repetition.
 *
 * P1 The order in which results arrive says nothing, nor does the order of the calls: they are summed up.
 * P2 A set that gave something else than before makes its earlier askings none, and the warnings about it too.
 * P3 Only what reads can stagnate: a write that answers "ok" every time has done something. Where `news` counts, sets that
 *    gave nothing at all stagnate as well.
 * P4 What gave nothing (it failed, or was denied) is no news.
 */
import type { LoopConfig } from './config.ts'
import type { LoopState } from './state.ts'
import { blank, type WindowEntry, type News, noResults, readWindow, writeWindow } from './window.ts'

/** The result of one call. */
export interface TakenResult {
  /** Digest of what the call gave (hex, at least eight characters), the same for the same result; empty if it gave nothing. */
  readonly digest: string
  /** Does the tool only read? */
  readonly reads: boolean
}

/** The newest set, unless all its results are in. */
function openEntry(window: readonly WindowEntry[]): WindowEntry | null {
  const newest = window.at(-1)
  return newest && newest.results === noResults ? newest : null
}

/** Takes in one result of the newest set. Once that is closed, nothing changes. */
export function takeResult(state: LoopState, { digest, reads }: TakenResult): LoopState {
  if (!openEntry(readWindow(state.window))) return state
  const { taken } = state
  const sum = ((taken?.sum ?? 0) + numberOf(digest)) >>> 0
  return { ...state, taken: { sum, reads: reads && (taken?.reads ?? true) } }
}

const numberOf = (digest: string): number => Number.parseInt(digest.slice(0, 8), 16) || 0

/** All results of the newest set are in. Closing it twice is closing it once. */
export function closeSet(config: LoopConfig, state: LoopState): LoopState {
  const entries = readWindow(state.window)
  const open = openEntry(entries)
  if (!open) return state
  const results = (state.taken?.sum ?? 0).toString(16).padStart(8, '0').slice(0, 4)
  const before = entries.slice(0, -1)
  const changed =
    config.progress && before.some((entry) => isOtherResult(entry, { ...open, results }))
  const kept = changed ? before.map((entry) => (entry.set === open.set ? blank : entry)) : before
  const told = changed ? { identical: false, cycle: false } : {}
  return {
    ...state,
    window: writeWindow([
      ...kept,
      { ...open, ...told, results, news: newsOf(config, { state, before, open, results }) },
    ]),
    taken: null,
    stagnant: config.stagnation && stagnantWith(config, state, open.set),
  }
}

const isOtherResult = (entry: WindowEntry, { set, results }: WindowEntry): boolean =>
  set !== blank.set && entry.set === set && entry.results !== noResults && entry.results !== results

/** The news that the set which closes has brought. */
function newsOf(
  config: LoopConfig,
  at: {
    readonly state: LoopState
    readonly before: readonly WindowEntry[]
    readonly open: WindowEntry
    readonly results: string
  },
): News {
  if (!config.news) return 'none'
  // Whoever waits or scrolls lets something else come.
  if (at.open.set === blank.set) return 'results'
  const { sum, reads } = at.state.taken ?? { sum: 0, reads: true }
  if (sum === 0) return 'none'
  if (at.before.every(({ results }) => results !== at.results)) return 'results'
  return !reads && at.before.every(({ set }) => set !== at.open.set) ? 'work' : 'none'
}

/** The row of sets that gave the same, this one included. The same set again is no further one; a set that does more than read ends it (P3). */
function stagnantWith(
  { news }: LoopConfig,
  { taken, stagnant }: LoopState,
  set: string,
): LoopState['stagnant'] {
  if (!taken || !(taken.reads || (news && taken.sum === 0))) return null
  const { sum } = taken
  if (stagnant?.sum !== sum) return { sets: 1, set, sum, warned: false }
  return stagnant.set === set ? stagnant : { ...stagnant, sets: stagnant.sets + 1, set }
}
