/**
 * The last word of each wire, by the tables of the providers' documentation: before its last byte nothing may execute. A second
 * opinion: no line of it is shared with the product's observer.
 */
import type { Wire } from '../../packages/models/src/observer/wires.ts'
import { fields, list } from '../../packages/models/src/read.ts'
import type { Frame } from './frames.ts'

/** How many frames must have come whole before anything may execute; more than there are, if nothing ever may. */
export function framesUntilLastWord(wire: Wire, frames: readonly Frame[]): number {
  // Of Converse, stop and metadata come in either order; of the others, one after the other.
  const isOrdered = wire !== 'converse'
  let until = 0
  for (const word of wanting[wire]) {
    const from = isOrdered ? until : 0
    const found = frames.findIndex((frame, index) => index >= from && word(frame))
    if (found === -1) return Number.POSITIVE_INFINITY
    until = Math.max(until, found)
  }
  return until + 1
}

type Word = (frame: Frame) => boolean

const of =
  (says: (event: Readonly<Record<string, unknown>>) => boolean): Word =>
  ({ event }) =>
    event !== null && event !== 'done' && says(event)

const wanting: Readonly<Record<Wire, readonly Word[]>> = {
  chat: [
    of(({ choices }) =>
      list(choices).some((it) => typeof fields(it)?.['finish_reason'] === 'string'),
    ),
    ({ event }) => event === 'done',
  ],
  messages: [
    of((event) => typeof fields(event['delta'])?.['stop_reason'] === 'string'),
    of(({ type }) => type === 'message_stop'),
  ],
  responses: [
    of(({ type }) => /^response\.(completed|failed|incomplete|done)$/.test(String(type))),
  ],
  gemini: [
    of(
      ({ candidates, promptFeedback }) =>
        promptFeedback !== undefined ||
        list(candidates).some((it) => typeof fields(it)?.['finishReason'] === 'string'),
    ),
  ],
  converse: [of((event) => 'messageStop' in event), of((event) => 'metadata' in event)],
}
