/**
 * Paths that calls gave to files, and users ask for (context-systems §6): tools keep names as a model writes them, users' names are in NFC. Would
 * catch: a file that is listed and can be neither read nor deleted, an edit beside the file that was meant, two files that look like one.
 */
import type { Script } from '@signalbox/models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Writes a file at each line that it is told. */
const writing: Script = (prompt) => {
  const last = prompt.at(-1)
  if (last?.role !== 'user') return { text: 'Done.' }
  const [text = ''] = last.parts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  if (text.startsWith('Look.')) return { text: 'Yes.' }
  const paths = text.split('\n')
  return {
    calls: paths.map((path) => ({ name: 'write_file', args: { path, content: 'by a call' } })),
  }
}

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { clerk: { model: { provider: 'scripted', model: 'writing' }, tools: ['workspace'] } },
    scripts: { writing },
  })
})

afterAll(async () => {
  await box?.stop()
})

/** A thread whose calls left files at these paths. */
async function threadWith(...paths: readonly string[]): Promise<string> {
  const { body } = await call(box.api, 'POST', '/threads', { body: {} })
  await run(body.thread_id, paths.join('\n'))
  expect(await listed(body.thread_id)).toEqual(paths)
  return body.thread_id
}

const run = (threadId: string, prompt: string, files: readonly string[] = []) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: { assistant_id: 'clerk', input: { prompt, files } },
  })

const listed = async (threadId: string): Promise<string[]> => {
  const { body } = await call(box.api, 'GET', `/threads/${threadId}/files`)
  return body.map((file: { path: string }) => file.path)
}

async function at(method: string, threadId: string, path: string, body?: string) {
  const address = `${box.api}/threads/${threadId}/files/${encodeURIComponent(path)}`
  const answer = await fetch(address, { method, ...(body === undefined ? {} : { body }) })
  return { status: answer.status, text: await answer.text() }
}

it.each([
  ['a separator of lines', 'work/a\u2028b.txt'],
  ['a separator of paragraphs', 'work/a\u2029b.txt'],
  ['marks that change the direction', 'work/a\u202eb.txt'],
  ['percent signs', 'work/100% %2F%2e.txt'],
  ['another form', 'work/Cafe\u0301.txt'],
  ['what addresses are made of', 'work/a&b=c#d;e.txt'],
])('a file whose name has %s is read and deleted where it is', async (_, path) => {
  const threadId = await threadWith(path)
  expect(await at('GET', threadId, path)).toEqual({ status: 200, text: 'by a call' })
  expect((await at('DELETE', threadId, path)).status).toBe(204)
  expect(await listed(threadId)).toEqual([])
})

it('a file in another form is written where it is read, and no second one beside it', async () => {
  const path = 'work/Cafe\u0301.txt'
  const threadId = await threadWith(path)
  expect((await at('PUT', threadId, path, 'by hand')).status).toBe(200)
  expect(await at('GET', threadId, path)).toEqual({ status: 200, text: 'by hand' })
  expect(await listed(threadId)).toEqual([path])
})

it('an upload whose name nobody would tell from that of a file gets a number', async () => {
  const path = 'uploads/Cafe\u0301.txt'
  const threadId = await threadWith(path)
  const form = new FormData()
  form.append('files', new Blob(['given']), 'Caf\u00e9.txt')
  const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, { method: 'POST', body: form })
  const [{ upload_id }] = await sent.json()
  await run(threadId, 'Look.', [upload_id])
  expect(await listed(threadId)).toEqual([path, 'uploads/Caf\u00e9 (2).txt'])
})
