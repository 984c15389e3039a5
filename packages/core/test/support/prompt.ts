/** Prompts in short: what the model reads, a line per message or result. */
import { expect } from 'vitest'
import { checkPairing, type FoldableEvent, type Prompt, project } from '../../src/index.ts'

/** The prompt these events make, which must be one that a provider takes. */
export function promptOf(events: readonly FoldableEvent[]): readonly string[] {
  const prompt = project('', events)
  expect(checkPairing(prompt)).toEqual([])
  return prompt.flatMap(lines)
}

/** A message, a line per result if it holds results. */
export function lines(message: Prompt[number]): readonly string[] {
  if (message.role === 'system') return [`system: ${message.text}`]
  if (message.role === 'tool')
    return message.results.map(
      ({ callId, toolName, output }) =>
        `${output.isError ? 'error' : 'result'} ${callId} ${toolName}: ${output.content.map(words).join('|')}`,
    )
  return [`${message.role}: ${message.parts.map(words).join('|')}`]
}

const words = (part: { readonly type: string; readonly text?: string; readonly id?: string }) =>
  part.text ?? `${part.type} ${part.id ?? ''}`
