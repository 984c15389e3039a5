/** A run that reads more than its model can hold. */
import type { Prompt } from '@signalbox/core'
import { defineTool } from '@signalbox/tools'
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { RunEvent } from '../run-event.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'archivist'
const pages = 12
/** Five pages would fill it. */
const contextWindow = 8_000
/** Stands on the first page alone. */
const shelf = '4711'

const reading = 'read_page'

const readPage = defineTool({
  name: reading,
  description: 'Reads a page of the archive.',
  effect: 'read',
  input: z.object({ page: z.number().int().min(1).max(pages) }),
  run: ({ page }) =>
    `Page ${page}. ${page === 1 ? `The deed is on shelf ${shelf}. ` : ''}${'Nothing of note. '.repeat(350)}`,
})

/** The newest page that the prompt has a call for; 0 before the first. */
const lastPage = (prompt: Prompt): number =>
  Math.max(
    0,
    ...prompt.flatMap((message) =>
      message.role === 'assistant'
        ? message.parts.flatMap((part) =>
            part.type === 'tool_call' ? [Number(part.args['page'])] : [],
          )
        : [],
    ),
  )

/** The model knows what its prompt says, and nothing else. */
const knownShelf = (prompt: Prompt): string =>
  /shelf (\d+)/.exec(JSON.stringify(prompt))?.[1] ?? 'nobody knows which'

const isSummary = (prompt: Prompt): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

export const longScene: Scene = {
  title: 'The run reads more than the window of its model holds',
  why: 'What is old is summed up, in the log and not over it: the run goes on with what counts, and nothing is lost.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl, contextWindow },
      instructions: 'You look through archives.',
      tools: [reading],
      context: {},
    },
  }),
  tools: [readPage],
  scripts: {
    [agent]: (prompt) => {
      if (isSummary(prompt))
        return {
          text: `Pages 1 to ${lastPage(prompt)} are read. The deed is on shelf ${knownShelf(prompt)}.`,
        }
      const page = lastPage(prompt) + 1
      return page <= pages
        ? { calls: [{ name: reading, args: { page } }] }
        : { text: `The deed is on shelf ${knownShelf(prompt)}.` }
    },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const run = await stage.run({ agent, input: 'Where is the deed? Read all pages.' }).ended
  stage.print.outcome(run.outcome)
  expect(run.outcome === 'completed', `the outcome is ${run.outcome}, not completed`)
  const summaries = run.events.filter(isOf('context.compacted')).length
  expect(summaries >= 3, `it was summed up ${summaries} times, not three or more`)
  const sizes = run.events.flatMap(inputOf)
  const largest = Math.max(...sizes)
  expect(largest <= contextWindow, `a request of ${largest} tokens is over the window`)
  stage.print.met(
    `summed up ${summaries} times: no request was over ${largest} of ${contextWindow} tokens`,
  )
  expect(run.said.includes(shelf), 'the model does not know any more what stood on page 1')
  stage.print.met('what stood on page 1 went from summary to summary: the model still knows it')
  const log = await stage.get(`/runs/${run.runId}/events?limit=1000`)
  const kept = Array.from({ length: pages }, (_, n) => `Page ${n + 1}. `)
  expect(
    kept.every((words) => log.includes(words)),
    'a page that was read is not in the log any more',
  )
  stage.print.met(`and all ${pages} pages stand in the log as they were read`)
}

const isOf =
  (wanted: string) =>
  (event: RunEvent): boolean =>
    event.type === wanted

const Counted = z.object({ turn: z.object({ usage: z.object({ inputTokens: z.number() }) }) })

/** The input of an answer, as the provider counted it. */
function inputOf({ type, payload }: RunEvent): readonly number[] {
  if (type !== 'model.completed') return []
  return [Counted.parse(payload).turn.usage.inputTokens]
}
