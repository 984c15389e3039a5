/**
 * The request for a summary of a conversation: behind the request of the turn, so that the provider has its beginning
 * cached, or with the part written out as one text.
 *
 * B1 Behind the request of the turn, nothing differs from it but the task at its end: tools, settings and beginning are the same bytes.
 * B2 A turn that may not be kept is shown to nobody who sums up: the beginning ends before the first one, and what is left of the part is
 *    written out without it.
 */
import type { AgentDefinition, Clips, ConversationPart, Prompt, ToolSpec } from '@signalbox/core'
import { limits, withoutMiddle } from '@signalbox/core'
import { jsonBytes } from './measure.ts'
import { requestLength } from './reservation.ts'

/** A request for a summary. */
export interface SummaryRequest {
  readonly how: 'shared' | 'serialised'
  readonly prompt: Prompt
  readonly tools: readonly ToolSpec[]
}

/** Whose summary it is. */
interface SummaryTask {
  readonly agent: AgentDefinition
  /** Instructions of the operator, or of the caller that asked by hand, on what to keep. */
  readonly instructions: string | undefined
}

const headings = [
  'What the user wants, in their own words',
  'Constraints',
  'Decided and done',
  'Files, by path',
  'Numbers, ids, names',
  'What failed and must not be repeated',
  'Next step',
]

/** The task, with what is added to it. */
function taskOf({ instructions: own }: Pick<SummaryTask, 'instructions'>): string {
  return [
    'This conversation is about to be shortened. Sum up all of it so far, so that somebody who reads nothing but your summary can go on with the work.',
    'An earlier summary is part of it: take over what still counts.',
    `Use these headings, and leave out those without content:\n${headings.map((each) => `## ${each}`).join('\n')}`,
    'Answer with the summary alone. Call no tools. Do not go on with the work.',
    ...(own === undefined ? [] : [own]),
  ].join('\n\n')
}

/** Bytes of a task to which nothing is added. */
export const taskBytes = jsonBytes(taskOf({ instructions: undefined }))

/** The request of the turn, as far as it may be shown, with the task as the last words of a user. */
export function sharedRequest(
  prompt: Prompt,
  part: Pick<ConversationPart, 'clean' | 'rest'>,
  asked: SummaryTask,
): SummaryRequest {
  const shown = cleanPrompt(prompt, part)
  const rest = part.rest(longest)
  const said = rest === '' ? '' : `What was said after that, written out:\n\n${rest}\n\n`
  const task = { type: 'text' as const, text: `${said}${taskOf(asked)}` }
  const last = shown.at(-1)
  // Adjacent messages of a user are one.
  const whole: Prompt =
    last?.role === 'user'
      ? [...shown.slice(0, -1), { role: 'user', parts: [...last.parts, task] }]
      : [...shown, { role: 'user', parts: [task] }]
  return { how: 'shared', prompt: whole, tools: asked.agent.tools }
}

/** The longest that is written out of long texts. */
const longest: Clips = { results: limits.clippedResultCharsMax, words: Infinity }

/** The lengths of long texts that are written out: the longest that fits, in this order. What was said is shortened last. */
const clips: readonly Clips[] = [
  longest,
  { results: 500, words: Infinity },
  { results: 100, words: Infinity },
  { results: 100, words: 4_000 },
  { results: 100, words: 1_000 },
  { results: 100, words: 200 },
]

/** The messages before the first turn that may not be kept. */
function cleanPrompt(prompt: Prompt, { clean }: Pick<ConversationPart, 'clean'>): Prompt {
  if (clean === null) return prompt
  const systems = prompt[0]?.role === 'system' ? 1 : 0
  return prompt.slice(0, systems + clean)
}

/** The part as one text before the task, in a request of at most so many bytes: where nothing else helps, its middle is left out. */
export function serialisedRequest(
  part: ConversationPart,
  asked: SummaryTask,
  bytesMax: number,
): SummaryRequest {
  const task = taskOf(asked)
  const requestOf = (text: string): SummaryRequest => {
    const said = `The conversation:\n\n${text}\n\n${task}`
    const prompt: Prompt = [{ role: 'user', parts: [{ type: 'text', text: said }] }]
    return { how: 'serialised', prompt, tools: [] }
  }
  let text = ''
  for (const each of clips) {
    text = part.text(each)
    const request = requestOf(text)
    if (requestLength(request) <= bytesMax) return request
  }
  const over = requestLength(requestOf(text)) - bytesMax
  // Each character is a byte at least.
  return requestOf(withoutMiddle(text, Math.max(leastChars, text.length - over - noteChars)))
}

/** The characters that are sent in any case, and what it takes to say that something is left out. */
const leastChars = 400
const noteChars = 60
