/**
 * What a model is asked for when a conversation is to be summed up: behind the request of the turn, so that the provider has its beginning
 * cached, or with the part written out as one text.
 *
 * B1 Behind the request of the turn, nothing differs from it but the task at its end: tools, settings and beginning are the same bytes.
 * B2 A turn that may not be kept is shown to nobody who sums up: the beginning ends before the first one, and what is left of the part is
 *    written out without it.
 */
import type { AgentDefinition, ConversationPart, Prompt, ToolSpec } from '@signalbox/core'
import { limits } from '@signalbox/core'
import { jsonBytes } from './measure.ts'

/** A request for a summary. */
export interface SummaryRequest {
  readonly how: 'shared' | 'serialised'
  readonly prompt: Prompt
  readonly tools: readonly ToolSpec[]
}

/** Whose summary it is. */
interface SummaryTask {
  readonly agent: AgentDefinition
  /** What the operator, or whoever asked by hand, wants kept. */
  readonly instructions: string | undefined
}

const headings = [
  'What the user wants, in his own words',
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
  const rest = part.rest(limits.clippedResultCharsMax)
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

/** The messages before the first turn that may not be kept. */
function cleanPrompt(prompt: Prompt, { clean }: Pick<ConversationPart, 'clean'>): Prompt {
  if (clean === null) return prompt
  const systems = prompt[0]?.role === 'system' ? 1 : 0
  return prompt.slice(0, systems + clean)
}

/** Characters of a result that are written out: the longest that fits, in this order. */
const clips = [limits.clippedResultCharsMax, 500, 100] as const

/** The part as one text before the task. `chars` is what fits the model; one that is longer all the same is sent as short as it gets. */
export function serialisedRequest(
  part: ConversationPart,
  asked: SummaryTask,
  chars: number,
): SummaryRequest {
  const texts = clips.map((clip) => () => part.text(clip))
  let text = ''
  for (const write of texts) {
    text = write()
    if (text.length <= chars) break
  }
  const said = `The conversation:\n\n${text}\n\n${taskOf(asked)}`
  return {
    how: 'serialised',
    prompt: [{ role: 'user', parts: [{ type: 'text', text: said }] }],
    tools: [],
  }
}
