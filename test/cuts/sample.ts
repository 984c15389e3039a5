/** Which of all plays a run takes. */
import {
  allStreams,
  closes,
  cutsOf,
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
  const plays = full ? streams.flatMap(playsOf) : sampledPlays(streams, stride, number % stride)
  return { streams: streams.length, plays }
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
