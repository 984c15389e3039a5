/** The room of a run as one short text, for its cached state. Numbers are written to base 36; what cannot be read back throws. */
import {
  type CutPlace,
  emptyRoom,
  type ImagesPlace,
  type PrunePlace,
  type RoomState,
} from '../verdict/context/room.ts'
import { unreadable, wordsOf } from './compact.ts'

/** The numbers, in the order in which they are written. */
const numbers = [
  'last',
  'out',
  'bytes',
  'bpt',
  'model',
  'window',
  'compactions',
  'failures',
  'compacted',
  'spent',
] as const satisfies readonly (keyof RoomState)[]

/**
 * The numbers, then `P` with a place to prune to, `C` with one to cut at and `I` with images that give way, if there are any. Of a place in this
 * run the run is left out.
 */
export function packRoom(room: RoomState, run: string): string {
  const counts = numbers.map((name) => room[name].toString(36)).join('.')
  const prune = room.prune ? [`P${packPlace(room.prune, run)}`] : []
  const cut = room.cut ? [`C${packCut(room.cut, run)}`] : []
  const images = room.images ? [`I${packImages(room.images, run)}`] : []
  return [counts, ...prune, ...cut, ...images].join(' ')
}

const packRun = (runId: string, run: string): readonly string[] =>
  runId === run ? [] : [encodeURIComponent(runId)]

function packPlace({ runId, seq, results, inputs, cleared }: PrunePlace, run: string): string {
  const counts = [seq, results, inputs, cleared].map((count) => count.toString(36))
  return [...counts, ...packRun(runId, run)].join('.')
}

function packImages({ runId, seq, count, tokens }: ImagesPlace, run: string): string {
  const counts = [seq, count, tokens].map((each) => each.toString(36))
  return [...counts, ...packRun(runId, run)].join('.')
}

const packCut = ({ runId, seq }: CutPlace, run: string): string =>
  [seq.toString(36), ...packRun(runId, run)].join('.')

/** Reads `packRoom` back. */
export function unpackRoom(text: string, run: string): RoomState {
  const [counts = '', ...places] = wordsOf(text)
  const read = digits(counts.split('.'), text)
  const prune = places.find((place) => place.startsWith('P'))
  const cut = places.find((place) => place.startsWith('C'))
  const images = places.find((place) => place.startsWith('I'))
  const known = [prune, cut, images].filter((place) => place !== undefined).length
  if (known !== places.length || read.length !== numbers.length) return unreadable(text)
  const named = Object.fromEntries(numbers.map((name, n) => [name, read[n] ?? 0]))
  return {
    ...emptyRoom,
    ...named,
    prune: prune === undefined ? null : unpackPlace(prune.slice(1), run),
    cut: cut === undefined ? null : unpackCut(cut.slice(1), run),
    images: images === undefined ? null : unpackImages(images.slice(1), run),
  }
}

/** The run of a place: this one, unless it is named. */
const runIn = (rest: readonly string[], run: string): string =>
  rest.length === 0 ? run : decodeURIComponent(rest.join('.'))

function unpackImages(text: string, run: string): ImagesPlace {
  const [seq = '', count = '', tokens = '', ...rest] = text.split('.')
  const read = digits([seq, count, tokens], text)
  return { runId: runIn(rest, run), seq: read[0] ?? 0, count: read[1] ?? 0, tokens: read[2] ?? 0 }
}

function unpackCut(text: string, run: string): CutPlace {
  const [seq = '', ...rest] = text.split('.')
  return { runId: runIn(rest, run), seq: digits([seq], text)[0] ?? 0 }
}

function unpackPlace(text: string, run: string): PrunePlace {
  const [seq = '', results = '', inputs = '', cleared = '', ...rest] = text.split('.')
  const read = digits([seq, results, inputs, cleared], text)
  return {
    runId: runIn(rest, run),
    seq: read[0] ?? 0,
    results: read[1] ?? 0,
    inputs: read[2] ?? 0,
    cleared: read[3] ?? 0,
  }
}

const digits = (words: readonly string[], text: string): readonly number[] =>
  words.map((word) => (/^[0-9a-z]+$/.test(word) ? Number.parseInt(word, 36) : unreadable(text)))
