/**
 * What may be learned of a run: the words of its user, and its last answer beside them. What was refused, stopped or taken back teaches nobody
 * anything, and nothing else that stands in a conversation is the user's.
 *
 * M1 Only a run that completed, works for somebody whose memory it was created with, and is neither a rerun nor a child nor deleted.
 * M2 Words are numbered by the event that holds them, and stand for themselves: no files, no results, no thoughts, no summaries, no memory.
 * M3 An answer is shown to understand the words. It is no source.
 */
import { limits } from '../limits.ts'
import type { ContentPart, UserMessage } from '../message.ts'
import type { Outcome } from '../outcome.ts'
import type { Moment } from '../room-measure.ts'
import { textHead, textTail } from '../text/clip.ts'
import type { ModelTurn } from '../turn.ts'

/** How a run ended, and what it was. */
export interface LearnedRun {
  readonly outcome: Outcome | null
  /** Was it created to be learned from, into this memory? */
  readonly learn: boolean
  readonly isRerun: boolean
  readonly isChild: boolean
  readonly isHidden: boolean
}

/** May it be learned from (M1)? */
export const mayBeLearned = (run: LearnedRun): boolean =>
  run.outcome === 'completed' && run.learn && !run.isRerun && !run.isChild && !run.isHidden

/** An event of a run that says something, as far as learning asks. */
export type LearnedEvent =
  | {
      readonly type: 'words'
      readonly at: Moment
      /** Milliseconds since the epoch. */
      readonly said: number
      readonly messages: readonly Pick<UserMessage, 'role' | 'parts'>[]
    }
  | { readonly type: 'turn'; readonly at: Moment; readonly turn: ModelTurn }

/** The words of one event of a user. */
export interface LearnedWords {
  readonly at: Moment
  readonly said: number
  readonly text: string
}

/** What one run said. */
export interface LearnedTalk {
  readonly words: readonly LearnedWords[]
  /** Empty where there is none. */
  readonly answer: string
}

/** The words of a run that may be learned from, and its last answer that closed positively and calls nothing. */
export function talkOf(events: readonly LearnedEvent[]): LearnedTalk {
  const words = events.flatMap((event) => {
    if (event.type !== 'words') return []
    const text = clipped(saidBy(event.messages), limits.learnWordCharsMax)
    return text === '' ? [] : [{ at: event.at, said: event.said, text }]
  })
  const last = events.findLast(
    (event) => event.type === 'turn' && event.turn.verdict === 'complete',
  )
  const answer = last?.type === 'turn' ? answerIn(last.turn) : ''
  return { words, answer: clipped(answer, limits.learnAnswerCharsMax) }
}

const saidBy = (messages: readonly Pick<UserMessage, 'role' | 'parts'>[]): string =>
  messages
    .filter(({ role }) => role === 'user')
    .flatMap(({ parts }) => parts.map(textOf))
    .join('\n')
    .trim()

/** Nothing of an image is learned, not even its name. */
function textOf(part: ContentPart): string {
  if (part.type === 'image') return ''
  return part.type === 'text' ? part.text : part.preview
}

const answerIn = ({ message }: ModelTurn): string =>
  message.parts
    .flatMap((part) => (part.type === 'text' || part.type === 'blob' ? [textOf(part)] : []))
    .join('\n')
    .trim()

function clipped(text: string, chars: number): string {
  if (text.length <= chars) return text
  const half = Math.floor(chars / 2)
  return `${textHead(text, half)}\n[…]\n${textTail(text, half)}`
}
