/**
 * Images in messages, sent and read by the clients of four vendors: what a user attaches is shown to a model that sees, and what a tool shows has
 * an address. Would catch: an image that only one wire brings in, one whose bytes stand in a message, an address that is fetched, a page that
 * cannot say again what it was shown.
 */
import { createHash, randomUUID } from 'node:crypto'
import { type Message, Role, type SendMessageRequest } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import type { Prompt } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import { Client } from 'langgraph-sdk-2'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../../packages/core/test/support/images.ts'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { lastWords } from '../../packages/server/test/support/last-words.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { checkProtocol, RecordingAgent } from './support/ag-ui.ts'
import { openPage } from './support/ai-sdk-chat.ts'

const keysIn = (prompt: Prompt): readonly string[] =>
  prompt.flatMap((message) =>
    message.role === 'user'
      ? message.parts.flatMap((part) => (part.type === 'image' ? [part.key] : []))
      : [],
  )

/** Looks at the first file if it is told to, and says then by their digests which images it was shown. */
const seeing: Script = (prompt, turn) => {
  const path = /\(path (uploads\/[^,]*),/.exec(JSON.stringify(prompt))?.[1] ?? ''
  if (turn === 0 && lastWords(prompt).includes('again'))
    return { calls: [{ name: 'view_image', args: { path } }] }
  return { text: `I see: ${keysIn(prompt).join(' ') || 'nothing'}.` }
}

let database: TestDatabase
let box: TestSignalbox
let sql: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: {
        seer: {
          model: { provider: 'scripted', model: 'seeing', vision: true },
          tools: ['workspace'],
        },
      },
      scripts: { seeing },
    },
    { env: { DATABASE_URL: database.adminUrl } },
  )
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
})

afterAll(async () => {
  await sql?.end()
  await box?.stop()
  await database?.drop()
})

const bytes = png(6, 4, 7)
const data = Buffer.from(bytes).toString('base64')
const url = `data:image/png;base64,${data}`
const seen = `I see: ${createHash('sha256').update(bytes).digest('hex')}.`
const address = expect.stringMatching(/^\/threads\/[\w%:.-]+\/images\/[0-9a-f]{64}$/)

/** What stands at an address that a message shows. */
async function contentAt(path: string): Promise<Uint8Array> {
  const answer = await fetch(`${box.api}${path}`)
  expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
  return new Uint8Array(await answer.arrayBuffer())
}

async function expectNothingLeft(): Promise<void> {
  const { rows } = await sql.query('select count(*)::int as n from signalbox.upload_part')
  expect(rows[0].n).toBe(0)
}

const part = (said: Message['parts'][number]['content'], filename = '') => ({
  content: said,
  metadata: undefined,
  filename,
  mediaType: 'image/png',
})
const saying = (parts: Message['parts']): SendMessageRequest => ({
  tenant: '',
  configuration: {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately: false,
  },
  metadata: undefined,
  message: {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
  },
})

describe('on A2A', () => {
  it.each([
    ['JSON-RPC', new JsonRpcTransportFactory()],
    ['HTTP+JSON', new RestTransportFactory()],
  ])(
    'over %s a raw part is shown, and stands at an address in the history',
    async (_, transport) => {
      const sender = await new ClientFactory({ transports: [transport] }).createFromUrl(
        `${box.api}/a2a/seer/`,
      )
      const words = part({ $case: 'text', value: 'Look.' })
      const image = part({ $case: 'raw', value: Buffer.from(bytes) }, 'a.png')
      const task = await sender.sendMessage(saying([words, image]))
      if (!('contextId' in task && 'status' in task)) throw new Error('no task')
      expect(JSON.stringify(task.artifacts)).toContain(seen)
      const [said] = task.history
      const shown = said?.parts.at(-1)
      expect(shown).toMatchObject({
        content: { $case: 'url', value: address },
        mediaType: 'image/png',
        filename: 'a.png',
      })
      const at = shown?.content?.$case === 'url' ? shown.content.value : ''
      expect(await contentAt(at)).toEqual(bytes)
      expect(JSON.stringify(task)).not.toContain(data)
      await expectNothingLeft()
    },
  )

  it.each([
    [
      '/a2a/seer',
      (message: object) => ({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
      [
        { kind: 'text', text: 'Look.' },
        { kind: 'file', file: { bytes: data, name: 'a.png', mimeType: 'image/png' } },
      ],
      'parts',
      { kind: 'file', file: { uri: address, mimeType: 'image/png', name: 'a.png' } },
    ],
    [
      '/a2a/seer/v1/message:send',
      (message: object) => ({ message, configuration: { blocking: true, historyLength: 9 } }),
      [{ text: 'Look.' }, { file: { fileWithBytes: data, name: 'a.png', mimeType: 'image/png' } }],
      'content',
      { file: { fileWithUri: address, mimeType: 'image/png', name: 'a.png' } },
    ],
  ])('0.3 at %s has its own forms of both', async (path, request, parts, field, shown) => {
    const role = field === 'parts' ? 'user' : 'ROLE_USER'
    const message = { messageId: randomUUID(), contextId: randomUUID(), role, [field]: parts }
    const { body } = await call(box.api, 'POST', path, { body: request(message) })
    expect(JSON.stringify(body)).toContain(seen)
    const task = body.result ?? body.task
    expect(task.history[0][field].at(-1)).toEqual(shown)
  })
})

it('the AI SDK: a page sends one as a file, and gets one that a tool showed as a file', async () => {
  const page = openPage(box.api, 'seer', { id: randomUUID() })
  const file = { type: 'file', mediaType: 'image/png', filename: 'a.png', url } as const
  await page.chat.sendMessage({ text: 'Look.', files: [file] })
  expect(page.error()).toBeUndefined()
  expect(page.answer().parts).toContainEqual(expect.objectContaining({ type: 'text', text: seen }))
  await page.chat.sendMessage({ text: 'Look again.' })
  expect(page.error()).toBeUndefined()
  const files = page.answer().parts.flatMap((each) => (each.type === 'file' ? [each] : []))
  expect(files).toMatchObject([{ mediaType: 'image/png', url: address }])
  expect(await contentAt(files[0]?.url ?? '')).toEqual(bytes)
  const types = page.chunks.map(({ type }) => type)
  expect(types.indexOf('file')).toBe(types.indexOf('tool-output-available') + 1)
  // A page sends its whole copy of the chat along: its files are no news.
  await page.chat.sendMessage({ text: 'And now?' })
  expect(page.error()).toBeUndefined()
  await expectNothingLeft()
})

it('AG-UI: a part brings one, results and snapshots show it at its address', async () => {
  const threadId = randomUUID()
  const agent = new RecordingAgent(box.api, 'seer', threadId)
  agent.addMessage({
    id: randomUUID(),
    role: 'user',
    content: [
      { type: 'text', text: 'Look.' },
      { type: 'image', source: { type: 'data', value: data, mimeType: 'image/png' } },
    ],
  })
  expect((await agent.turn(null)).error).toBeNull()
  expect(JSON.stringify(agent.messages.at(-1))).toContain(seen)
  const { frames, error } = await agent.turn('Look again.')
  expect(error).toBeNull()
  await checkProtocol(frames)
  const [result] = frames.filter(({ type }) => type === 'TOOL_CALL_RESULT')
  const image = { type: 'image', source: { type: 'url', value: address } }
  expect(result.content).toEqual([image])
  expect(await contentAt(result.content[0].source.value)).toEqual(bytes)
  // Another client has sent nothing of it: it is shown the thread as it is.
  const other = new RecordingAgent(box.api, 'seer', threadId)
  const later = await other.turn('And now?')
  expect(later.error).toBeNull()
  await checkProtocol(later.frames)
  const [snapshot] = later.frames.filter(({ type }) => type === 'MESSAGES_SNAPSHOT')
  expect(snapshot.messages[0]).toMatchObject({
    role: 'user',
    content: [{ type: 'text', text: 'Look.' }, image],
  })
  expect(snapshot.messages.find(({ role }: { role: string }) => role === 'tool').content).toEqual([
    image,
  ])
  expect(later.frames.map((frame) => JSON.stringify(frame)).join('')).not.toContain(data)
})

describe('on LangGraph', () => {
  const client = () => new Client({ apiUrl: box.api })
  const text = { type: 'text', text: 'Look.' }
  type Blocks = readonly object[]
  const wait = async (content: Blocks | string, threadId?: string) => {
    const at = threadId ?? (await client().threads.create()).thread_id
    const { status, body } = await call(box.api, 'POST', `/threads/${at}/runs/wait`, {
      body: { assistant_id: 'seer', input: { messages: [{ role: 'user', content }] } },
    })
    return { status, body, threadId: at }
  }

  it.each<readonly [string, object, string]>([
    ["OpenAI's address", { type: 'image_url', image_url: { url } }, 'file.png'],
    ["OpenAI's address as a text", { type: 'image_url', image_url: url }, 'file.png'],
    [
      'a standard block of LangChain 1',
      { type: 'image', data, mimeType: 'image/png', metadata: { name: 'b.png' } },
      'b.png',
    ],
    ["its Python's", { type: 'image', base64: data, mime_type: 'image/png' }, 'file.png'],
    [
      'a standard block of LangChain 0.3',
      { type: 'image', source_type: 'base64', data, mime_type: 'image/png' },
      'file.png',
    ],
    [
      "Anthropic's block",
      { type: 'image', source: { type: 'base64', media_type: 'image/png', data } },
      'file.png',
    ],
    ["OpenAI's file", { type: 'file', file: { file_data: url, filename: 'c.png' } }, 'c.png'],
    ['a file', { type: 'file', data, filename: 'd.png' }, 'd.png'],
  ])('%s is an image of the message', async (_, block, name) => {
    const { body, threadId } = await wait([text, block])
    expect(body.messages.at(-1).content).toBe(seen)
    expect(body.messages[0].content).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'image_url', image_url: { url: address } },
    ])
    expect(await contentAt(body.messages[0].content[1].image_url.url)).toEqual(bytes)
    const { body: files } = await call(box.api, 'GET', `/threads/${threadId}/files`)
    expect(files.map((file: { path: string }) => file.path)).toEqual([`uploads/${name}`])
    await expectNothingLeft()
  })

  it('a result shows its image at an address, in states and on streams', async () => {
    const { threadId } = await wait([text, { type: 'image_url', image_url: { url } }])
    const results: unknown[] = []
    for await (const { event, data: frame } of client().runs.stream(threadId, 'seer', {
      input: { messages: [{ role: 'user', content: 'Look again.' }] },
      streamMode: ['values', 'messages-tuple'],
    }))
      if (event === 'messages' && Reflect.get(Object(frame)[0], 'type') === 'tool')
        results.push(Reflect.get(Object(frame)[0], 'content'))
    expect(results).toEqual([[{ type: 'image_url', image_url: { url: address } }]])
    const { values } = await client().threads.getState<{ messages: object[] }>(threadId)
    expect(JSON.stringify(values)).not.toContain(data)
    expect(values.messages).toContainEqual(
      expect.objectContaining({ type: 'tool', content: results[0] }),
    )
  })

  it('a client that says all of the conversation again brings nothing twice', async () => {
    const { threadId, body } = await wait([text, { type: 'image_url', image_url: { url } }])
    const said = [...body.messages, { role: 'user', content: 'And now?' }]
    const again = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
      body: { assistant_id: 'seer', input: { messages: said } },
    })
    expect([again.status, again.body.messages.at(-1).content]).toEqual([200, seen])
    const { body: files } = await call(box.api, 'GET', `/threads/${threadId}/files`)
    expect(files).toHaveLength(1)
  })

  it('a request that is repeated with its key is one run; with another image it is another request', async () => {
    const { thread_id: threadId } = await client().threads.create()
    const key = randomUUID()
    const send = (block: object) =>
      call(box.api, 'POST', `/threads/${threadId}/runs`, {
        headers: { 'idempotency-key': key },
        body: {
          assistant_id: 'seer',
          input: { messages: [{ role: 'user', content: [text, block] }] },
        },
      })
    const first = await send({ type: 'image', data })
    const second = await send({ type: 'image', data })
    expect(second.body.run_id).toBe(first.body.run_id)
    const other = await send({ type: 'image', data: Buffer.from(png(3, 3)).toString('base64') })
    expect([other.status, other.body.code]).toEqual([409, 'idempotency_conflict'])
    await expectNothingLeft()
  })

  it.each<readonly [string, Blocks, number, string, string]>([
    [
      'an image that is elsewhere',
      [text, { type: 'image_url', image_url: { url: 'http://127.0.0.1:1/a.png' } }],
      422,
      'not_available',
      'input.messages[0].content[1]',
    ],
    [
      'one that only its vendor knows',
      [text, { type: 'file', file: { file_id: 'file-1' } }],
      422,
      'not_available',
      'input.messages[0].content[1]',
    ],
    [
      'what is no base64',
      [text, { type: 'image', data: '!' }],
      422,
      'not_available',
      'input.messages[0].content[1]',
    ],
    [
      'a name that is none',
      [text, { type: 'image', data, filename: '..' }],
      422,
      'bad_file_name',
      'input.messages[0].content[1].filename',
    ],
    [
      'an image without words',
      [{ type: 'image', data }],
      422,
      'invalid_request',
      'input.messages[0].content',
    ],
    [
      'a part of another type',
      [text, { type: 'audio', data }],
      422,
      'invalid_request',
      'input.messages[0].content[1].type',
    ],
  ])('%s is refused by name', async (_, content, status, code, field) => {
    const answer = await wait(content)
    expect([answer.status, answer.body]).toMatchObject([status, { code, field }])
    expect(answer.body.detail).not.toContain(data)
    await expectNothingLeft()
  })

  it('what was said before a new thread began is text alone, and so is what is said to a run that goes on', async () => {
    const image = { type: 'image', data }
    const before = await call(box.api, 'POST', '/runs/wait', {
      body: {
        assistant_id: 'seer',
        input: {
          messages: [
            { role: 'user', content: [text, image] },
            { role: 'assistant', content: 'I looked.' },
            { role: 'user', content: 'And now?' },
          ],
        },
      },
    })
    expect([before.status, before.body]).toMatchObject([
      422,
      { code: 'invalid_request', field: 'input.messages[0].content[1]' },
    ])
    const { body } = await wait('Look.')
    const said = await call(box.api, 'POST', `/runs/${body.run.run_id}/input`, {
      body: { messages: [{ role: 'user', content: [text, image] }] },
    })
    expect(said.body.code).toBe('invalid_request')
  })
})
