/** Streams made from a recorded one, and what may come of each. */
import type { Event } from '../../packages/models/test/support/wire-bytes.ts'
import { type Frame, frameOf } from './frames.ts'
import type { Recorded } from './recorded.ts'

/**
 * What may be executed, once the last word has come: `same` what the recording executes, `none` nothing, `either` one of these two
 * (the wire does not say), `second` one of them until the stream goes on, and nothing of the whole. `names`: calls of the recording's
 * names or nothing, since a piece that comes twice cannot be told from one that was written twice. `unexecuted`: calls that are
 * answered with an error, at most.
 */
export type Rule = 'same' | 'none' | 'either' | 'second' | 'names' | 'unexecuted'

export interface Derived {
  readonly name: string
  readonly frames: readonly Frame[]
  readonly rule: Rule
  /** The recording's own events in other bytes. */
  readonly isSpelling?: boolean
}

export const as = (name: string, rule: Rule, frames: readonly Frame[]): Derived => ({
  name,
  rule,
  frames,
})

/** Other frames in the place of one. */
export const inPlaceOf = (
  frames: readonly Frame[],
  index: number,
  ...others: readonly Frame[]
): readonly Frame[] => [...frames.slice(0, index), ...others, ...frames.slice(index + 1)]

export const before = (
  frames: readonly Frame[],
  index: number,
  ...others: readonly Frame[]
): readonly Frame[] => [...frames.slice(0, index), ...others, ...frames.slice(index)]

/** Each frame of those at these places a second time, right behind the first. */
export const doubled = (
  frames: readonly Frame[],
  which: (index: number) => boolean = () => true,
): readonly Frame[] => frames.flatMap((frame, index) => (which(index) ? [frame, frame] : [frame]))

/** The event with other values: the function gets each key and value, the innermost first. */
export const changed = (event: Event, change: (key: string, value: unknown) => unknown): Event =>
  JSON.parse(JSON.stringify(event), (key: string, value: unknown) => change(key, value))

/** The event with more fields at its top. */
export const withFields = (event: Event, more: object): Event => ({ ...event, ...more })

export const eventOf = ({ event }: Frame): Event | undefined =>
  event === null || event === 'done' ? undefined : event

/** Places of the frames whose event says so. */
export const placesOf = (
  frames: readonly Frame[],
  says: (text: string, event: Event) => boolean,
): readonly number[] =>
  frames.flatMap((frame, index) => {
    const event = eventOf(frame)
    return event !== undefined && says(JSON.stringify(event), event) ? [index] : []
  })

/** The items without those at these places. */
export const without = (frames: readonly Frame[], places: readonly number[]): readonly Frame[] =>
  frames.filter((_, index) => !places.includes(index))

/** The frames of the calls after the frame at `terminal`, and none before it. */
export function moved(
  frames: readonly Frame[],
  calls: readonly number[],
  terminal: number,
): readonly Frame[] {
  const taken = frames.filter((_, index) => calls.includes(index))
  const rest = without(frames, calls)
  const place = rest.indexOf(frames[terminal] ?? { bytes: new Uint8Array(), event: null })
  return before(rest, place + 1, ...taken)
}

/**
 * The recording without what takes time and tests nothing: of a long run of frames that only think, one at each end stays, and of a long
 * signature its beginning.
 */
export function shortened({ wire, frames }: Recorded): readonly Frame[] {
  const isThought = frames.map((frame) =>
    /"reasoning_content":"[^"]/.test(JSON.stringify(eventOf(frame))),
  )
  return frames
    .filter((_, index) => ![-1, 0, 1].every((by) => isThought[index + by] === true))
    .map((frame) => {
      const event = eventOf(frame)
      if (!event || !/"thoughtSignature":".{100}/.test(JSON.stringify(event))) return frame
      return frameOf(wire, changed(event, shortSignature))
    })
}

const shortSignature = (key: string, value: unknown): unknown =>
  key === 'thoughtSignature' && typeof value === 'string' ? value.slice(0, 40) : value
