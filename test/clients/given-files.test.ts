/**
 * Files in messages, sent by the clients of three vendors: what a user attaches is a file of the conversation. Would catch: a file that is
 * dropped without a word, one that a repeated message brings twice, an address that is fetched, an upload that stays.
 */
import { randomUUID } from 'node:crypto'
import { type Message, Role, type SendMessageRequest } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory, RestTransportFactory } from '@a2a-js/sdk/client'
import type { Script } from '@signalbox/models'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { call } from '../../packages/server/test/support/http.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { RecordingAgent } from './support/ag-ui.ts'
import { openPage, readMessage } from './support/ai-sdk-chat.ts'

const model = { provider: 'scripted', model: 'reader' } as const

/** Says what the model was shown. */
const shown: Script = (prompt) => ({ text: `I was shown: ${JSON.stringify(prompt.at(-1))}` })

let database: TestDatabase
let box: TestSignalbox
let sql: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    { agents: { reader: { model, tools: ['workspace'] } }, scripts: { reader: shown } },
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

const content = 'item,sold\nbell,12\n'
const listed = '- sales.csv (path uploads/sales.csv, text/plain; charset=utf-8, 18 bytes)'

/** The files of a thread, and what stands in the first one. */
async function filesOf(threadId: string) {
  const { body } = await call(box.api, 'GET', `/threads/${threadId}/files`)
  const paths: string[] = body.map((file: { path: string }) => file.path)
  const at = `${box.api}/threads/${threadId}/files/${encodeURIComponent(paths[0] ?? '')}`
  return { paths, text: paths.length === 0 ? null : await (await fetch(at)).text() }
}

const uploadsLeft = async (): Promise<number> => {
  const { rows } = await sql.query('select count(*)::int as n from signalbox.upload_part')
  return rows[0].n
}

const runsOf = async (threadId: string): Promise<number> =>
  (await call(box.api, 'GET', `/threads/${threadId}/runs`)).body.length

const part = (said: Message['parts'][number]['content'], filename = '') => ({
  content: said,
  metadata: undefined,
  filename,
  mediaType: 'application/x-whatever',
})
const saying = (parts: Message['parts'], about: Partial<Message> = {}): SendMessageRequest => ({
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
    ...about,
  },
})

describe.each([
  ['JSON-RPC', new JsonRpcTransportFactory()],
  ['HTTP+JSON', new RestTransportFactory()],
])('on A2A over %s', (_, transport) => {
  const client = () =>
    new ClientFactory({ transports: [transport] }).createFromUrl(`${box.api}/a2a/reader/`)
  const words = part({ $case: 'text', value: 'Read it.' })
  const file = part({ $case: 'raw', value: Buffer.from(content) }, 'sales.csv')

  it('a raw part is a file of the context, once however often it is sent', async () => {
    const request = saying([words, file])
    const sender = await client()
    const task = await sender.sendMessage(request)
    const again = await sender.sendMessage(request)
    if (!('contextId' in task && 'status' in task) || !('status' in again))
      throw new Error('no task')
    expect(again.id).toBe(task.id)
    expect(JSON.stringify(task)).toContain(listed)
    expect(await filesOf(task.contextId)).toEqual({ paths: ['uploads/sales.csv'], text: content })
    expect(await uploadsLeft()).toBe(0)
    // The next message of the context brings another of the name.
    await sender.sendMessage(saying([words, file], { contextId: task.contextId }))
    expect((await filesOf(task.contextId)).paths).toEqual([
      'uploads/sales (2).csv',
      'uploads/sales.csv',
    ])
  })

  it('what is not in the message is not fetched, and a name is looked at', async () => {
    const sender = await client()
    const elsewhere = part({ $case: 'url', value: `${box.api}/threads` }, 'a.txt')
    await expect(sender.sendMessage(saying([words, elsewhere]))).rejects.toThrow(/nothing is fetch/)
    const device = part({ $case: 'raw', value: Buffer.from('x') }, 'CON')
    await expect(sender.sendMessage(saying([words, device]))).rejects.toThrow(/parts\[1\]/)
    await expect(sender.sendMessage(saying([file]))).rejects.toThrow(/text that is not blank/)
  })

  it('a message that was sent means its files as well', async () => {
    const sender = await client()
    const about = { messageId: randomUUID() }
    await sender.sendMessage(saying([words, file], about))
    const other = part({ $case: 'raw', value: Buffer.from('other') }, 'sales.csv')
    await expect(sender.sendMessage(saying([words, other], about))).rejects.toThrow(
      /was used for another request/,
    )
    expect(await uploadsLeft()).toBe(0)
  })
})

describe('on A2A 0.3', () => {
  it.each([
    [
      '/a2a/reader',
      (message: object) => ({ jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }),
      [
        { kind: 'text', text: 'Read it.' },
        { kind: 'file', file: { bytes: btoa(content), name: 'sales.csv', mimeType: 'text/csv' } },
      ],
      'parts',
    ],
    [
      '/a2a/reader/v1/message:send',
      (message: object) => ({ message, configuration: { blocking: true } }),
      [
        { text: 'Read it.' },
        { file: { fileWithBytes: btoa(content), name: 'sales.csv', mimeType: 'text/csv' } },
      ],
      'content',
    ],
  ])('%s takes a file with its bytes', async (path, request, parts, field) => {
    const contextId = randomUUID()
    const role = field === 'parts' ? 'user' : 'ROLE_USER'
    const message = { messageId: randomUUID(), contextId, role, [field]: parts }
    const { status, body } = await call(box.api, 'POST', path, { body: request(message) })
    expect([status, JSON.stringify(body)]).toEqual([200, expect.stringContaining(listed)])
    expect(await filesOf(contextId)).toEqual({ paths: ['uploads/sales.csv'], text: content })
  })
})

const post = (body: object) =>
  fetch(`${box.api}/chat/reader`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  })

describe('on the AI SDK', () => {
  const url = `data:text/csv;base64,${btoa(content)}`
  const file = { type: 'file', mediaType: 'text/csv', filename: 'sales.csv', url } as const
  const text = { type: 'text', text: 'Read it.' } as const
  it('a page sends a file with its message', async () => {
    const page = openPage(box.api, 'reader', { id: randomUUID() })
    await page.chat.sendMessage({ text: text.text, files: [file] })
    expect(page.error()).toBeUndefined()
    expect(JSON.stringify(page.answer())).toContain(listed)
    const { threadId } = Object(page.answer().metadata)
    expect(await filesOf(threadId)).toEqual({ paths: ['uploads/sales.csv'], text: content })
    expect(await uploadsLeft()).toBe(0)
    // A file that the page sends along again is not given again.
    await page.chat.sendMessage({ text: 'And now?' })
    expect((await filesOf(threadId)).paths).toEqual(['uploads/sales.csv'])
    // Another answer to a message is given what the message brought.
    await page.chat.regenerate()
    expect((await filesOf(threadId)).paths).toEqual(['uploads/sales.csv'])
  })

  it('the same message is one run, with other files it is another; an edit brings what it says', async () => {
    const id = randomUUID()
    const one = { id: 'm1', role: 'user', parts: [text, file] }
    const before = await readMessage(await post({ id, messages: [one] }))
    const again = await readMessage(await post({ id, messages: [one] }))
    expect(again.id).toBe(before.id)
    const { threadId } = Object(before.metadata)
    expect(await runsOf(threadId)).toBe(1)
    const other = { ...file, url: 'data:text/csv,other' }
    const changed = { ...one, parts: [text, other] }
    expect(await (await post({ id, messages: [changed] })).json()).toMatchObject({
      code: 'idempotency_conflict',
    })
    const edit = { id, messages: [changed], messageId: 'm1' }
    const edited = await readMessage(await post(edit))
    const repeated = await readMessage(await post(edit))
    expect(repeated.id).toBe(edited.id)
    const next = Object(edited.metadata).threadId
    expect(await filesOf(next)).toEqual({ paths: ['uploads/sales.csv'], text: 'other' })
    expect(await uploadsLeft()).toBe(0)
  })

  it('is refused by field where a file is none', async () => {
    const id = randomUUID()
    const wrong = [
      [{ ...file, url: 'https://example.com/a' }, 'not_available', 'messages[0].parts[1].url'],
      [{ ...file, url: 'data:;base64,!' }, 'not_available', 'messages[0].parts[1].url'],
      [{ ...file, filename: '../..' }, 'bad_file_name', 'messages[0].parts[1].filename'],
    ] as const
    for (const [given, code, field] of wrong) {
      const answer = await post({ id, messages: [{ id: 'm', role: 'user', parts: [text, given] }] })
      expect(await answer.json()).toMatchObject({ code, field })
    }
  })
})

it('on AG-UI parts with what is in them are files; what stands elsewhere is named', async () => {
  const threadId = randomUUID()
  const agent = new RecordingAgent(box.api, 'reader', threadId)
  agent.addMessage({
    id: randomUUID(),
    role: 'user',
    content: [
      { type: 'text', text: 'Read it.' },
      { type: 'document', source: { type: 'data', value: btoa(content), mimeType: 'text/csv' } },
      { type: 'image', source: { type: 'url', value: `${box.api}/threads` } },
    ],
  })
  await agent.runAgent()
  expect(JSON.stringify(agent.messages.at(-1))).toContain(
    'file.txt (path uploads/file.txt, text/plain; charset=utf-8, 18 bytes)',
  )
  expect(agent.raw).toContain('"contentParts":["image"]')
  expect(await filesOf(threadId)).toEqual({ paths: ['uploads/file.txt'], text: content })
  expect(await uploadsLeft()).toBe(0)
})
