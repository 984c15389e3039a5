/** The room of a run as one short text, for its cached state. Numbers are written to base 36; what cannot be read back throws. */
import { emptyRoom, type PrunePlace, type RoomState } from '../verdict/context/room.ts'
import { unreadable, wordsOf } from './compact.ts'

/** The numbers, in the order in which they are written. */
const numbers = ['last', 'out', 'bytes', 'bpt', 'model', 'window'] as const satisfies readonly (
  keyof RoomState
)[]

/** The numbers, then a place to prune to, if there is one. The run it is in is left out where that is this one. */
export function packRoom(room: RoomState, run: string): string {
  const counts = numbers.map((name) => room[name].toString(36)).join('.')
  return room.prune ? `${counts} ${packPlace(room.prune, run)}` : counts
}

function packPlace({ runId, seq, results, inputs, cleared }: PrunePlace, run: string): string {
  const counts = [seq, results, inputs, cleared].map((count) => count.toString(36))
  return [...counts, ...(runId === run ? [] : [encodeURIComponent(runId)])].join('.')
}

/** Reads `packRoom` back. */
export function unpackRoom(text: string, run: string): RoomState {
  const [counts = '', place, ...more] = wordsOf(text)
  const read = digits(counts.split('.'), text)
  if (more.length > 0 || read.length !== numbers.length) return unreadable(text)
  const named = Object.fromEntries(numbers.map((name, n) => [name, read[n] ?? 0]))
  return { ...emptyRoom, ...named, prune: place === undefined ? null : unpackPlace(place, run) }
}

function unpackPlace(text: string, run: string): PrunePlace {
  const [seq = '', results = '', inputs = '', cleared = '', ...rest] = text.split('.')
  const read = digits([seq, results, inputs, cleared], text)
  const runId = rest.length === 0 ? run : decodeURIComponent(rest.join('.'))
  return {
    runId,
    seq: read[0] ?? 0,
    results: read[1] ?? 0,
    inputs: read[2] ?? 0,
    cleared: read[3] ?? 0,
  }
}

const digits = (words: readonly string[], text: string): readonly number[] =>
  words.map((word) => (/^[0-9a-z]+$/.test(word) ? Number.parseInt(word, 36) : unreadable(text)))
