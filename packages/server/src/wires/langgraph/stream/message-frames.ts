/** What a step did to the messages of a run, in the modes that show messages. */
import type { RunHead } from '@signalbox/engine'
import type { ChatMessage } from '../messages.ts'
import { lastChunk, removal, textChunk } from './chunks.ts'
import { type StreamFrame, messageMetadata } from './frame.ts'
import { chatEvent, toolEvent } from './lang-chain-events.ts'
import { sameLengths, type Lengths } from './position.ts'

/** A message that is new, other than before, or gone. */
export interface Change {
  readonly id: string
  /** As it was shown after the step before; undefined if it was not. */
  readonly before: ChatMessage | undefined
  readonly now: ChatMessage | undefined
  /** What a client has of the text of this very attempt, and of one that does not count any more. */
  readonly live: Lengths | null
  readonly stale: Lengths | null
}

/** A frame, or the place where one could have been: every client counts the same places. */
export type FramePlace = StreamFrame | null

interface About {
  readonly head: RunHead
  readonly step: number
}

/** The places of one change; their number depends on nothing but the log. */
export function messageFrames(change: Change, about: About): readonly FramePlace[] {
  const { now, before } = change
  if (now && now.type !== 'ai' && now.type !== 'tool') return []
  const node = (now ?? before)?.type === 'tool' ? 'tools' : 'model'
  const metadata = messageMetadata(about.head, { node, step: about.step })
  const [said, ended] = eventPlaces(change, about)
  return [...tuplePlaces(change, metadata), said, ...wholePlaces(change, metadata), ended]
}

/** A whole message comes behind the state that has it, as LangGraph's server sends it. */
export const completePlace = ({ now }: Change): FramePlace =>
  now?.type === 'ai' || now?.type === 'tool'
    ? { mode: 'messages', event: 'messages/complete', data: () => [now] }
    : null

function tuplePlaces(change: Change, metadata: object): readonly FramePlace[] {
  const { id, before, now, live, stale } = change
  const goesOn = before !== undefined && now !== undefined && continues(before, now)
  const isGone = goesOn ? false : before !== undefined || had(stale, 'tuple')
  const isWithdrawn = isGone || (!now && had(live, 'tuple'))
  const frame = (message: object): StreamFrame => ({
    mode: 'messages-tuple',
    event: 'messages',
    data: () => [message, metadata],
  })
  return [isWithdrawn ? frame(removal(id)) : null, next()]

  function next(): FramePlace {
    if (now?.type === 'tool') return frame(now)
    if (now?.type !== 'ai') return null
    if (!goesOn) return frame(lastChunk(now, now.content.slice(isGone ? 0 : (live?.tuple ?? 0))))
    const more = now.content.slice(before.content.length)
    return more === '' ? null : frame(textChunk(id, more))
  }
}

const had = (lengths: Lengths | null, kind: 'tuple' | 'partial'): boolean =>
  (lengths?.[kind] ?? 0) > 0

/** Is it the same message with more text? Then a piece can say so. */
function continues(before: ChatMessage, now: ChatMessage): boolean {
  if (before.type !== 'ai' || now.type !== 'ai') return false
  const rest = ({ tool_calls, usage_metadata, response_metadata }: typeof now) =>
    JSON.stringify([tool_calls, usage_metadata, response_metadata])
  return now.content.startsWith(before.content) && rest(before) === rest(now)
}

function wholePlaces(change: Change, metadata: object): readonly FramePlace[] {
  const { id, before, now, live, stale } = change
  const seen = Math.max(live?.metadata ?? 0, stale?.metadata ?? 0) > 0
  const isNew = now !== undefined && before === undefined && !seen
  const isWithdrawn = !now && (had(live, 'partial') || had(stale, 'partial'))
  const data = () => ({ [id]: { metadata } })
  return [
    isNew ? { mode: 'messages', event: 'messages/metadata', data } : null,
    isWithdrawn ? { mode: 'messages', event: 'messages/partial', data: () => [removal(id)] } : null,
    isPart(change) ? { mode: 'messages', event: 'messages/partial', data: () => [now] } : null,
  ]
}

/** Has a client less of what the model said than the whole message? Then it gets the rest first: the last part is the message. */
const isPart = ({ before, now, live }: Change): boolean =>
  now?.type === 'ai' &&
  (before !== undefined ||
    now.tool_calls.length > 0 ||
    now.content === '' ||
    live?.partial !== now.content.length)

function eventPlaces(
  { id, before, now, live }: Change,
  { head, step }: About,
): readonly [FramePlace, FramePlace] {
  if (!now || before) return [null, null]
  if (now.type === 'tool') {
    const data = () => ({ output: now })
    return [
      null,
      { mode: 'events', ...toolEvent(head, now.name, { name: 'on_tool_end', step, data }) },
    ]
  }
  if (now.type !== 'ai') return [null, null]
  const rest = now.content.slice((live ?? sameLengths(0)).events)
  const chat = (name: string, data: () => unknown): StreamFrame => ({
    mode: 'events',
    ...chatEvent(head, { name, step, data }),
  })
  return [
    rest === '' ? null : chat('on_chat_model_stream', () => ({ chunk: textChunk(id, rest) })),
    chat('on_chat_model_end', () => ({ output: now })),
  ]
}
