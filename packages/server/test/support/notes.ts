/** A tool that leaves a trace, and scripted models that call it. */
import { partWords, type Prompt } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'

/** What was noted, by the id of the run. */
export const noted = new Map<string, string[]>()

export const note = defineTool({
  name: 'note',
  description: 'Notes a text.',
  input: z.object({ text: z.string() }),
  run: ({ text }, { runId }) => {
    noted.set(runId, [...(noted.get(runId) ?? []), text])
    return `noted ${text}`
  },
})

/** The text of the last tool results of a prompt. */
export const lastResults = (prompt: Prompt): string =>
  prompt
    .findLast((message) => message.role === 'tool')
    ?.results.flatMap(({ output }) => output.content)
    .map(partWords)
    .join('\n') ?? ''

/** Calls `note` with the same text, so often, and says then what the last call answered. */
export const noting =
  (times: number, text = 'milk'): Script =>
  (prompt, turn) =>
    turn < times
      ? { calls: [{ name: 'note', args: { text } }] }
      : { text: `I read: ${lastResults(prompt)}` }
