/**
 * Every play: a stream, cut at a byte, through a provider, closed cleanly or reset. A derived stream begins as others do, byte for
 * byte; a cut in a beginning that was planned already is the same play, and is planned once.
 */
import type { Provider } from '../../packages/models/test/support/call.ts'
import type { Derived } from './derived.ts'
import { as, shortened } from './derived.ts'
import { derivedChat } from './derive-chat.ts'
import { derivedOthers } from './derive-others.ts'
import { finishedStreams } from './finished.ts'
import { bytesOf, endsOf, type Frame } from './frames.ts'
import { framesUntilLastWord } from './last-word.ts'
import { providersOn, type Recorded, recordedStreams } from './recorded.ts'
import { saidBy } from './said.ts'
import { closeOf, type Framing, framingNames } from './sockets.ts'
import { spelt, strange } from './spellings.ts'

/** A stream in bytes, with all that an oracle needs. */
export interface Stream {
  readonly name: string
  readonly of: Recorded
  readonly derived: Derived
  readonly bytes: Uint8Array
  /** Where each frame ends. */
  readonly ends: readonly number[]
  /** So many frames must have come. */
  readonly untilLastWord: number
  /** So many frames at the beginning are the recording's own. */
  readonly ownFrames: number
  readonly provider: Provider
  /** The first cut that no earlier stream has. */
  readonly from: number
  /** One byte in so many is a cut of a full run; the last one always is. */
  readonly stride: number
}

/** `reset` is no end; of `either` nobody can tell whether it is one. */
export type Close = 'clean' | 'reset' | 'either'

/** One cut. */
export interface Play {
  readonly stream: Stream
  /** So many bytes come. */
  readonly cut: number
  readonly close: Close
  /** The way of a real connection, where it goes over one. */
  readonly framing?: Framing
}

export function allStreams(): readonly Stream[] {
  const recorded = recordedStreams()
  return [...recorded, ...finishedStreams(recorded)].flatMap((each) =>
    providersOn[each.wire].flatMap((provider) => streamsOf(each, provider)),
  )
}

function streamsOf(of: Recorded, provider: Provider): readonly Stream[] {
  const planned: Uint8Array[] = []
  const isEnding = of.verdict === 'complete'
  const short = shortened(of)
  const made: readonly (readonly [Recorded, Derived])[] = [
    [of, as(recordedName, 'same', of.frames)],
    ...derivedFrom({ ...of, frames: short, said: saidBy(of.wire, short) }, isEnding),
  ]
  return made.map(([base, derived]) => {
    const bytes = bytesOf(derived.frames)
    const from = Math.max(0, ...planned.map((other) => commonBytes(other, bytes) + 1))
    planned.push(bytes)
    return {
      name: `${of.name}, ${derived.name}, ${provider}`,
      of: base,
      derived,
      bytes,
      ends: endsOf(derived.frames),
      untilLastWord: framesUntilLastWord(of.wire, derived.frames),
      ownFrames: commonFrames(base.frames, derived.frames),
      provider,
      from,
      stride: strideOf(derived, provider),
    }
  })
}

/**
 * Every byte, but of what is played through another provider with the same code: `azure` calls OpenAI's package, and one reader of
 * events serves all packages.
 */
function strideOf({ name, isSpelling }: Derived, provider: Provider): number {
  if (name === recordedName) return 1
  if (provider === 'azure') return 31
  return isSpelling === true && provider === 'openai' ? 31 : 1
}

export const recordedName = 'as recorded'

function derivedFrom(base: Recorded, isEnding: boolean): readonly (readonly [Recorded, Derived])[] {
  const { wire, frames, canaries } = base
  const spellings = wire === 'converse' ? [] : spelt(frames)
  const odd = wire === 'converse' || !isEnding ? [] : strange(frames, canaries[0] ?? '')
  const signals = wire === 'chat' ? derivedChat(frames) : derivedOthers(wire, frames)
  return [...spellings, ...odd, ...(isEnding ? signals : [])].map((each) => [base, each])
}

function commonBytes(one: Uint8Array, other: Uint8Array): number {
  const length = Math.min(one.length, other.length)
  for (let at = 0; at < length; at += 1) if (one[at] !== other[at]) return at
  return length
}

function commonFrames(own: readonly Frame[], made: readonly Frame[]): number {
  const differs = made.findIndex((frame, at) => {
    const mine = own[at]
    return !mine || JSON.stringify(mine.event) !== JSON.stringify(frame.event)
  })
  return differs === -1 ? made.length : differs
}

/** The plays of a stream at each of its own bytes. Whole, it is always played. */
export function playsOf(stream: Stream): readonly Play[] {
  const { bytes, stride } = stream
  return Array.from({ length: cutsOf(stream) }, (_, at) => bytes.length - at * stride).flatMap(
    (cut) => closes.map((close): Play => ({ stream, cut, close })),
  )
}

/** How many cuts a full run plays of it. */
export const cutsOf = ({ bytes, from, stride }: Stream): number =>
  Math.max(1, Math.ceil((bytes.length - from + 1) / stride))

export const closes: readonly Close[] = ['clean', 'reset']

/** The same cuts over real connections, in every way in which one ends. */
export const overSockets = (stream: Stream, cuts: readonly number[]): readonly Play[] =>
  cuts.flatMap((cut) =>
    framingNames.map((framing) => ({ stream, cut, close: closeOf(framing), framing })),
  )
