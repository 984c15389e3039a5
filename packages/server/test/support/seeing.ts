/**
 * A server whose models see images, or do not, over the HTTP of a provider that keeps each request. Scripts make the calls that their users name, a
 * call a line: `tool {json}`.
 */
import { fileURLToPath } from 'node:url'
import type { ImagePart, Prompt } from '@signalbox/core'
import type { Script } from '@signalbox/models'
import pg from 'pg'
import { expect } from 'vitest'
import { createTestDatabase } from '../../../postgres/test/support/database.ts'
import { type Answer, call } from './http.ts'
import { recordedProvider } from './recorded-provider.ts'
import { startTest, type TestSignalbox } from './signalbox.ts'

const imagesIn = (prompt: Prompt): readonly ImagePart[] =>
  prompt.flatMap((message) =>
    message.role === 'user' ? message.parts.filter((part) => part.type === 'image') : [],
  )

/** The first words of the last message of a user, without the list of its files. */
function orderIn(prompt: Prompt): string {
  const said = prompt.filter(({ role }, n) => role === 'user' && prompt[n - 1]?.role !== 'tool')
  const last = said.at(-1)
  const texts = last?.role === 'user' ? last.parts : []
  const [first] = texts.flatMap((part) => (part.type === 'text' ? [part.text] : []))
  return (first ?? '').split('\n<files>')[0]?.trim() ?? ''
}

/** Makes the calls that its order names, a call a line, and says then how many images it is shown. */
const obeying: Script = (prompt, turn) => {
  const order = orderIn(prompt)
  if (turn > 0 || !order.includes('{')) return { text: `I see ${imagesIn(prompt).length}.` }
  const calls = order.split('\n').map((line) => {
    const [name = '', ...rest] = line.split(' ')
    return { name, args: JSON.parse(rest.join(' ')) }
  })
  return { calls }
}

/** Refuses a request with an image, in the words of a provider. */
const picky: Script = (prompt) =>
  imagesIn(prompt).length > 0
    ? {
        status: {
          code: 400,
          error: { message: 'Could not process image', type: 'invalid_request_error' },
        },
      }
    : { text: 'Without it.' }

const filtered: Script = () => ({ text: 'That pic', ending: 'content_filter' })
const down: Script = () => ({ status: { code: 503 } })

type Sent = Readonly<Record<string, Uint8Array>>

interface Asked {
  readonly assistant?: string
  readonly files?: Sent
  readonly over?: object
}

/** A run that has ended. */
interface Played {
  readonly body: Answer['body']
  readonly runId: string
  readonly events: Answer['body']
  /** The requests that its models were sent. */
  readonly bodies: readonly string[]
}

export interface Seeing {
  readonly box: TestSignalbox
  readonly sql: pg.Client
  /** All requests of all runs. */
  readonly bodies: readonly string[]
  thread(): Promise<string>
  run(threadId: string, prompt: string, asked?: Asked): Promise<Played>
  stop(): Promise<void>
}

const echo = fileURLToPath(new URL('../../../tools/test/fixtures/mcp-echo.mjs', import.meta.url))

function configOf(baseURL: string) {
  const model = (name: string, vision = true) => ({
    provider: 'openai-compatible' as const,
    model: name,
    baseURL,
    ...(vision ? { vision } : {}),
  })
  const tools = ['workspace', 'mcp:echo']
  const modelRetries = { max: 0 }
  return {
    agents: {
      seer: { model: model('obeying'), tools },
      blind: { model: model('blind', false), tools },
      picky: { model: model('picky'), modelRetries },
      filtered: {
        model: model('filtered'),
        fallbackModels: [model('obeying')],
        modelRetries,
      },
      falls: { model: model('down'), fallbackModels: [model('blind', false)], modelRetries },
    },
    mcpServers: { echo: { command: process.execPath, args: [echo], trustHints: true } },
  }
}

export async function startSeeing(): Promise<Seeing> {
  const database = await createTestDatabase()
  const provider = await recordedProvider({ obeying, blind: obeying, picky, filtered, down })
  const env = { DATABASE_URL: database.adminUrl }
  const box = await startTest(configOf(provider.url), { env })
  const sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
  let threads = 0
  return {
    box,
    sql,
    bodies: provider.bodies,
    async thread() {
      threads += 1
      const thread_id = `images-${threads}`
      await call(box.api, 'POST', '/threads', { body: { thread_id } })
      return thread_id
    },
    async run(threadId, prompt, { assistant = 'seer', files = {}, over = {} } = {}) {
      const ids = await uploaded(box.api, threadId, files)
      const from = provider.bodies.length
      const { status, body } = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
        body: {
          assistant_id: assistant,
          input: { prompt, ...(ids.length > 0 ? { files: ids } : {}) },
          ...over,
        },
      })
      expect([status, body]).toMatchObject([200, { run: { run_id: expect.any(String) } }])
      const runId = String(body.run.run_id)
      const log = await call(box.api, 'GET', `/runs/${runId}/events?limit=1000`)
      return { body, runId, events: log.body.events, bodies: provider.bodies.slice(from) }
    },
    async stop() {
      await sql.end()
      await box.stop()
      await provider.close()
      await database.drop()
    },
  }
}

async function uploaded(api: string, threadId: string, files: Sent): Promise<string[]> {
  const all = Object.entries(files)
  const ids: string[] = []
  // A request takes ten.
  for (let from = 0; from < all.length; from += 10) {
    const form = new FormData()
    for (const [name, bytes] of all.slice(from, from + 10))
      form.append('files', new Blob([new Uint8Array(bytes)]), name)
    const at = `${api}/threads/${threadId}/uploads`
    const sent = await fetch(at, { method: 'POST', body: form })
    const body: Answer['body'] = await sent.json()
    expect([sent.status, body]).toMatchObject([201, expect.any(Array)])
    ids.push(...body.map((one: { upload_id: string }) => one.upload_id))
  }
  return ids
}

type Events = Played['events']
export const payloadsOf = (events: Events, type: string): Answer['body'] =>
  events
    .filter((event: { type: string }) => event.type === type)
    .map(({ payload }: { payload: object }) => payload)
export const givenBy = (events: Events): Answer['body'] =>
  payloadsOf(events, 'run.created')[0].files
export const resultOf = (events: Events): Answer['body'] =>
  payloadsOf(events, 'tool.completed')[0].output.content

export const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64')
export const dataUrl = (bytes: Uint8Array, mime = 'image/png'): string =>
  `data:${mime};base64,${base64(bytes)}`
export const textsIn = (body: string): string => JSON.stringify(JSON.parse(body).messages)
export const shownIn = (body: string): string[] =>
  JSON.parse(body).messages.flatMap(({ content }: { content: unknown }) =>
    Array.isArray(content)
      ? content.flatMap((part) => (part.type === 'image_url' ? [part.image_url.url] : []))
      : [],
  )
