import type { Prompt } from '@signalbox/core'

/** What a user said last, as the model reads it. */
export function lastWords(prompt: Prompt): string {
  const said = prompt.findLast(({ role }) => role === 'user')
  const last = said?.role === 'user' ? said.parts.at(-1) : undefined
  return last?.type === 'text' ? last.text : ''
}
