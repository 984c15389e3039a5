/** A plan that the model leaves half done, is reminded of, and finishes. */
import { z } from 'zod'
import { expect } from '../expect.ts'
import type { Scene, Stage } from '../scene.ts'

const agent = 'planner'
const threadId = 'plan'

const list = (second: 'in_progress' | 'completed') => [
  { text: 'Read the figures', status: 'completed' },
  { text: 'Write the report', status: second },
]
const write = (second: 'in_progress' | 'completed') => ({
  calls: [{ name: 'write_todos', args: { todos: list(second) } }],
})

const Todos = z.looseObject({
  todos: z.array(z.object({ text: z.string(), status: z.string() })),
})

export const planScene: Scene = {
  title: 'A plan that is finished',
  why: 'A model that says it is done while its own list says otherwise is told so, at most twice, and never after a stop.',
  agents: (modelUrl) => ({
    [agent]: {
      model: { provider: 'openai-compatible', model: agent, baseURL: modelUrl },
      instructions: 'You write reports.',
      todo: true,
    },
  }),
  scripts: {
    [agent]: (prompt, turn) => {
      if (JSON.stringify(prompt.at(-1)).includes('[TODO]')) return write('completed')
      return turn === 0
        ? write('in_progress')
        : { text: 'Here is the report.', delayMs: 15, chunkSize: 6 }
    },
  },
  play,
}

async function play(stage: Stage): Promise<void> {
  const { print } = stage
  const run = stage.run({ agent, input: 'Report the sales.', threadId })
  const { outcome, events } = await run.ended
  print.outcome(outcome)
  expect(outcome === 'completed', `the outcome is ${outcome}, not completed`)
  const reminders = events.filter(({ type }) => type === 'todo.reminded')
  expect(reminders.length === 1, `${reminders.length} reminders, not one`)
  print.met('the model said that it was done with an item open, and was told so once')
  const { todos } = Todos.parse(JSON.parse(await stage.get(`/threads/${threadId}/todos`)))
  const open = todos.filter(({ status }) => status !== 'completed')
  expect(todos.length === 2 && open.length === 0, 'the plan was not finished')
  print.met(
    'its list is finished, and stands in the log: no job, no worker, one event for each version',
  )
}
