/**
 * Titles as LangGraph's own client reads them: in the metadata of threads, and in their values. Would catch: a page whose list of threads
 * shows ids, and a title that a page has kept and that is gone.
 */
import type { Prompt } from '@signalbox/core'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { lastWords } from '../../packages/server/test/support/last-words.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

let box: TestSignalbox
let client: Client

beforeAll(async () => {
  box = await startTest({
    agents: { agent: { model: { provider: 'scripted', model: 'm' }, title: {} } },
    scripts: {
      m: (prompt: Prompt) => ({
        text: lastWords(prompt).startsWith('Name the') ? 'Sales of the south' : 'Here it is.',
      }),
    },
  })
  client = new Client({ apiUrl: box.api })
})
afterAll(() => box?.stop())

const input = { messages: [{ role: 'user', content: '# Write a report\nof the quarter' }] }

/** Values are whatever JSON came. */
const titleIn = (values: unknown): unknown =>
  typeof values === 'object' && values !== null ? Reflect.get(values, 'title') : undefined

const titled = (threadId: string, title: string) =>
  eventually(async () => {
    const thread = await client.threads.get(threadId)
    return titleIn(thread.metadata) === title ? thread : undefined
  })

it('are in the metadata and the values of a thread, its state, and the search', async () => {
  const { thread_id } = await client.threads.create()
  await client.runs.wait(thread_id, 'agent', { input })
  const thread = await titled(thread_id, 'Sales of the south')
  expect(titleIn(thread.values)).toBe('Sales of the south')
  expect(titleIn((await client.threads.getState(thread_id)).values)).toBe('Sales of the south')
  const [found] = await client.threads.search({ limit: 1 })
  expect(found?.thread_id).toBe(thread_id)
  expect(titleIn(found?.metadata)).toBe('Sales of the south')
  expect(titleIn(found?.values)).toBe('Sales of the south')
  const copy = await client.threads.copy(thread_id)
  expect(titleIn(Object(copy).metadata)).toBe('Sales of the south')
})

it('that a page keeps in the metadata stand, and those of a person before them', async () => {
  const { thread_id } = await client.threads.create({ metadata: { title: 'Of the page' } })
  await client.runs.wait(thread_id, 'agent', { input })
  await titled(thread_id, 'Of the page')
  await client.threads.update(thread_id, { metadata: { title: 'Renamed by the page' } })
  await titled(thread_id, 'Renamed by the page')
  await call(box.api, 'PATCH', `/threads/${thread_id}`, { body: { title: 'Mine' } })
  expect(titleIn((await titled(thread_id, 'Mine')).metadata)).toBe('Mine')
})
