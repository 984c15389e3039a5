/**
 * The plan of a model over HTTP (context-systems §10, §17, §19 todo). Would catch: a list that needs a worker, a fork that has the list of
 * another moment, a rollback that leaves it, and a client that is not shown it.
 */
import type { Todo } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { parseConfig } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, letAllGo } from './support/hold.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const item = (text: string, status: Todo['status'] = 'pending'): Todo => ({ text, status })

const shown = (todos: readonly Todo[]) =>
  todos.map(({ text: content, status }) => ({ content, status }))

/** Writes the list that the words of a user hold, then answers. Reminded, it has everything done. */
const planning: Script = (prompt) => {
  const last = prompt.at(-1)
  const said =
    last?.role === 'user'
      ? last.parts.map((part) => (part.type === 'text' ? part.text : '')).join('\n')
      : ''
  if (said.includes('[TODO]'))
    return { calls: [{ name: 'write_todos', args: { todos: [item('all', 'completed')] } }] }
  if (!said.includes('[')) return { text: 'Done.' }
  const at = said.indexOf('[')
  const [how, list] = [said.slice(0, at), said.slice(at)]
  const write = { name: 'write_todos', args: { todos: JSON.parse(list) } }
  return { calls: how === 'hold' ? [write, { name: 'hold', args: {} }] : [write] }
}

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: {
      planner: {
        model: { provider: 'scripted', model: 'planning' },
        tools: ['hold'],
        todo: true,
      },
      plain: { model: { provider: 'scripted', model: 'planning' } },
      listed: {
        model: { provider: 'scripted', model: 'planning' },
        tools: ['hold'],
        todo: true,
        guardrails: { provider: { use: 'allowlist', allowedTools: ['hold'] } },
      },
    },
    tools: [hold],
    scripts: { planning },
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const get = async (path: string) => (await call(box.api, 'GET', path)).body

async function wait(thread: string, input: string, agent = 'planner') {
  const body = { assistant_id: agent, input }
  const answer = await call(box.api, 'POST', `/threads/${thread}/runs/wait`, { body })
  expect(answer.status).toBe(200)
  return answer.body
}

const open = [item('one', 'in_progress'), item('two')]
const ended = [item('all', 'completed')]

describe('a plan', () => {
  it('is written without a worker, followed up, and shown where clients look', async () => {
    const thread = 'todo-one'
    const values = await wait(thread, JSON.stringify(open))
    expect(values).toMatchObject({ outcome: 'completed', todos: shown(ended) })
    const { events } = await get(`/runs/${values.run.run_id}/events?limit=1000`)
    const types = events.map(({ type }: { type: string }) => type)
    expect(types).not.toContain('tool.completed')
    expect(types.filter((type: string) => type.startsWith('todo.'))).toEqual([
      'todo.written',
      'todo.reminded',
      'todo.written',
    ])
    expect((await get(`/threads/${thread}/state`)).values.todos).toEqual(shown(ended))
    expect((await get(`/threads/${thread}/todos`)).todos).toEqual(ended)
  })

  it('is that of the moment at each checkpoint, and in a fork', async () => {
    const thread = 'todo-fork'
    await wait(thread, JSON.stringify(ended))
    const before = await get(`/threads/${thread}/state`)
    await wait(thread, JSON.stringify([item('other', 'completed')]))
    const at = before.checkpoint.checkpoint_id
    expect((await get(`/threads/${thread}/todos?at=${at}`)).todos).toEqual(ended)
    const body = { assistant_id: 'planner', input: 'Go on.', checkpoint: before.checkpoint }
    const forked = await call(box.api, 'POST', `/threads/${thread}/runs/wait`, { body })
    expect(forked.body.todos).toEqual(shown(ended))
    expect((await get(`/threads/${thread}/todos`)).todos).toEqual(ended)
  })

  it('is taken back with the run that wrote it', async () => {
    const thread = 'todo-back'
    await wait(thread, JSON.stringify(ended))
    const todos = async () => (await get(`/threads/${thread}/todos`)).todos
    const input = `hold${JSON.stringify(open)}`
    const { body } = await call(box.api, 'POST', `/threads/${thread}/runs`, {
      body: { assistant_id: 'planner', input },
    })
    await eventually(async () => (await todos()).length === open.length)
    await call(box.api, 'POST', `/runs/${body.run_id}/cancel?action=rollback`)
    await eventually(async () => (await get(`/runs/${body.run_id}`)).outcome === 'rolled_back')
    expect(await todos()).toEqual(ended)
  })

  it('is none where the agent has none, and the model is told that there is no such tool', async () => {
    const values = await wait('todo-none', JSON.stringify(open), 'plain')
    expect(values).not.toHaveProperty('todos')
    expect(JSON.stringify(values.messages)).toContain('unknown_tool')
    expect((await get('/threads/todo-none/todos')).todos).toEqual([])
  })

  it('is allowed where the agent has one, by a list that does not name its tool', async () => {
    const values = await wait('todo-listed', JSON.stringify(ended), 'listed')
    expect(values.todos).toEqual(shown(ended))
  })

  it('of an unknown thread, or at a checkpoint that is none', async () => {
    expect(await call(box.api, 'GET', '/threads/nowhere/todos')).toMatchObject({
      status: 404,
      body: { code: 'unknown_thread' },
    })
    expect(await call(box.api, 'GET', '/threads/todo-one/todos?at=nothing')).toMatchObject({
      status: 422,
      body: { field: 'at' },
    })
  })
})

describe('a wrong configuration', () => {
  const agent = { model: { provider: 'scripted', model: 'm' } }
  it.each([
    ['no switch', { a: { ...agent, todo: 'yes' } }, 'agents.a.todo'],
    ['a name that is spelt wrongly', { a: { ...agent, todos: true } }, 'todo'],
  ])('%s', (_, agents, words) => {
    expect(() => parseConfig({ agents, scripts: { m: () => ({ text: '' }) } })).toThrow(words)
  })
})
