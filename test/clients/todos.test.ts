/**
 * The plan of a model as other vendors' clients read it: LangGraph's `values.todos`, in the shape of deepagents, and the state of AG-UI. Would
 * catch: a page that has to read the log for it, and a client whose own state is lost with it.
 */
import type { Prompt } from '@signalbox/core'
import { Client } from 'langgraph-sdk-2'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { lastWords } from '../../packages/server/test/support/last-words.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { checkProtocol, RecordingAgent } from './support/ag-ui.ts'

const list = (status: string) => [
  { text: 'Read', status: 'completed' },
  { text: 'Write', status },
]
const shown = (status: string) =>
  list(status).map(({ text: content }, n) => ({
    content,
    status: n === 0 ? 'completed' : status,
  }))
const write = (status: string) => ({
  calls: [{ name: 'write_todos', args: { todos: list(status) } }],
})

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { agent: { model: { provider: 'scripted', model: 'm' }, todo: true } },
    scripts: {
      // Plans at the words of a user, and is done when it is reminded.
      m: (prompt: Prompt) => {
        if (prompt.at(-1)?.role !== 'user') return { text: 'So far.' }
        return lastWords(prompt).includes('[TODO]') ? write('completed') : write('in_progress')
      },
    },
  })
})
afterAll(() => box?.stop())

const input = { messages: [{ role: 'user', content: 'Make a report.' }] }

it('LangGraph: the values of a stream, of the thread and of its states', async () => {
  const client = new Client({ apiUrl: box.api })
  const { thread_id } = await client.threads.create()
  const seen: unknown[] = []
  for await (const { event, data } of client.runs.stream(thread_id, 'agent', {
    input,
    streamMode: 'values',
  }))
    if (event === 'values') seen.push(Reflect.get(Object(data), 'todos'))
  expect(seen).toContainEqual(shown('in_progress'))
  expect(seen.at(-1)).toEqual(shown('completed'))
  const state = await client.threads.getState(thread_id)
  expect(state.values).toMatchObject({ todos: shown('completed') })
  const history = await client.threads.getHistory(thread_id)
  const plans = history.map(({ values }) => Reflect.get(Object(values), 'todos'))
  expect(plans.at(0)).toEqual(shown('completed'))
  expect(plans).toContainEqual(shown('in_progress'))
  expect(plans.at(-1)).toBeUndefined()
})

it('AG-UI: the state, beside what the client has in it', async () => {
  const agent = new RecordingAgent(box.api, 'agent', crypto.randomUUID())
  agent.setState({ page: 3 })
  const { frames, error } = await agent.turn('Make a report.')
  expect(error).toBeNull()
  await checkProtocol(frames)
  expect(agent.state).toEqual({ page: 3, todos: shown('completed') })
  const snapshots = frames.filter(({ type }) => type === 'STATE_SNAPSHOT')
  expect(snapshots.map(({ snapshot }) => snapshot.todos)).toEqual([
    shown('in_progress'),
    shown('completed'),
  ])
})
