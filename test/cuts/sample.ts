/** Which of all plays a run takes. */
import {
  allStreams,
  closes,
  cutsOf,
  overSockets,
  type Play,
  playsOf,
  recordedName,
  type Stream,
} from './plan.ts'

export interface Choice {
  readonly full: boolean
  /** Part of the names of the streams. */
  readonly only: string
  /** What draws the cuts of a sample. */
  readonly number: number
  /** Cuts that are drawn. */
  readonly count: number
}

export interface Chosen {
  readonly streams: number
  readonly plays: Iterable<Play>
}

export function chosenPlays({ full, only, number, count }: Choice): Chosen {
  const streams = allStreams().filter(({ name }) => name.includes(only))
  const all = streams.reduce((sum, stream) => sum + cutsOf(stream), 0)
  const stride = Math.max(1, Math.ceil(all / count))
  const recorded = streams.filter(({ derived }) => derived.name === recordedName)
  const plays = full ? every(streams) : sampledPlays(streams, stride, number % stride)
  return {
    streams: streams.length,
    plays: both(
      plays,
      recorded.flatMap((stream) => socketPlays(stream, full ? 64 : 1, number)),
    ),
  }
}

function* both(plays: Iterable<Play>, more: readonly Play[]): Generator<Play> {
  yield* plays
  yield* more
}

function* every(streams: readonly Stream[]): Generator<Play> {
  for (const stream of streams) yield* playsOf(stream)
}

/** The last bytes of a recording, and some of the others. */
function socketPlays(stream: Stream, some: number, number: number): readonly Play[] {
  const { bytes, ends } = stream
  const drawn = Array.from({ length: some }, (_, at) => (number + at * 7919) % bytes.length)
  const last = ends.slice(-1).flatMap((end) => [end - 1, end])
  return overSockets(stream, [...new Set([...last, ...drawn])])
}

/** Always the same: every stream whole, and the bytes about the last word of a recording. Then one cut in each stride. */
function* sampledPlays(
  streams: readonly Stream[],
  stride: number,
  offset: number,
): Generator<Play> {
  let seen = 0
  for (const stream of streams) {
    const cuts = new Set([stream.bytes.length, ...lastBytes(stream)])
    const own = cutsOf(stream)
    const first = (stride - ((seen - offset) % stride)) % stride
    for (let at = first; at < own; at += stride) cuts.add(stream.bytes.length - at * stream.stride)
    seen += own
    for (const cut of cuts) for (const close of closes) yield { stream, cut, close }
  }
}

/** The bytes about each of the last three borders of a recording's frames. */
function lastBytes({ derived, ends, bytes }: Stream): readonly number[] {
  if (derived.name !== recordedName) return []
  return ends
    .slice(-4)
    .flatMap((end) => [end - 2, end - 1, end, end + 1])
    .filter((cut) => cut >= 0 && cut <= bytes.length)
}
