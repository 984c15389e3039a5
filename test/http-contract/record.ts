/**
 * `node test/http-contract/record.ts`: asks a real server for each operation, and writes what was sent and what came back as the
 * examples of the OpenAPI document. What the operations take stands in `packages/server/test/support/tenant-rows.ts`.
 */
import { writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { ConfigInput } from '@signalbox/server'
import { call } from '../../packages/server/test/support/http.ts'
import { note, noting } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { type Named, type Row, rows } from '../../packages/server/test/support/tenant-rows.ts'

const file = fileURLToPath(
  new URL('../../packages/server/src/http/openapi/examples.json', import.meta.url),
)
const model = { provider: 'scripted', model: 'says' } as const
const question = { question: 'Which sentence?', options: ['This one', 'The last one'] }
const todos = [{ text: 'Count the words', status: 'completed' }]
const config: ConfigInput = {
  agents: {
    assistant: { model, title: 'words' },
    clerk: {
      model: { ...model, model: 'notes' },
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
    },
    asker: { model: { ...model, model: 'asks' }, clarification: true },
    planner: { model: { ...model, model: 'plans' }, todo: true },
    writer: { model },
    hasty: { model },
    resting: { model },
  },
  tools: [note],
  scripts: {
    says: () => ({ text: 'Seven words.' }),
    notes: noting(1),
    asks: (_, turn) =>
      turn === 0
        ? { calls: [{ name: 'ask_clarification', args: question }] }
        : { text: 'Seven words.' },
    plans: (_, turn) =>
      turn === 0 ? { calls: [{ name: 'write_todos', args: { todos } }] } : { text: 'Seven words.' },
  },
  server: { identity: { userHeader: 'x-user' } },
}

/** A server that has keys asks for one. */
const operatorKey = 'the-key-of-the-operator-of-this-server'
const sent = { 'x-user': 'ann', 'x-api-key': operatorKey }

interface Example {
  readonly request?: unknown
  readonly answer?: { readonly status: number; readonly type: string; readonly body: unknown }
}

/** Bodies that say more to a reader than those of the tests. */
const bodies: Readonly<Record<string, (of: Named) => unknown>> = {
  'POST /assistants': () => ({
    graph_id: 'assistant',
    name: 'terse',
    context: { instructions: 'Be brief.' },
  }),
  'PATCH /assistants/{assistant_id}': () => ({ context: { instructions: 'Be kind.' } }),
  'POST /assistants/search': () => ({ graph_id: 'assistant', limit: 10 }),
  'POST /threads/{thread_id}/compact': () => ({ instructions: 'Keep the numbers of orders.' }),
  'POST /threads': () => ({ metadata: { customer: '4711' }, if_exists: 'do_nothing' }),
  'PATCH /threads/{thread_id}': () => ({ metadata: { customer: '4711' }, title: 'Order 4711' }),
  'POST /threads/search': () => ({ status: 'idle', limit: 10 }),
  'PUT /store/items': () => ({ namespace: ['ann'], key: 'plan', value: { city: 'Bern' } }),
  'POST /store/items/search': () => ({ namespace_prefix: ['ann'], limit: 10 }),
  'POST /pauses': () => ({ target: { agent: 'resting' }, reason: 'The provider is down.' }),
  'POST /keys': () => ({ name: 'ci', scopes: ['enqueue', 'read'] }),
  'POST /runs/{run_id}/inputs/{call_id}': () => ({ option: 'This one' }),
  'POST /runs/{run_id}/effects/{effect_id}/resolve': () => ({
    resolution: 'happened',
    note: 'The bank has it.',
  }),
}

/** Operations on a run that waits for a human; the others are asked about one that has ended. */
const ofWaiting = /\/(approvals|cancel|input)\b|^DELETE \/runs|tasks\/\{run_id\}$/

/** The agent of the run that an operation is asked about. */
function agentOf(operation: string): 'asker' | 'clerk' | 'planner' | 'assistant' {
  if (/\/inputs\b/.test(operation)) return 'asker'
  if (operation.endsWith('/todos')) return 'planner'
  return ofWaiting.test(operation) ? 'clerk' : 'assistant'
}

function operationsOf({ paths }: { readonly paths: Readonly<Record<string, object>> }) {
  return Object.entries(paths).flatMap(([path, item]) =>
    Object.keys(item).map((method) => `${method.toUpperCase()} ${path}`),
  )
}

async function recorded({ api }: TestSignalbox, operation: string): Promise<Example> {
  const row: Row = rows[operation] ?? { is: 'common' }
  const named = await scene(api, agentOf(operation))
  const [method = '', path = ''] = operation.split(' ')
  const address = path.replaceAll(/\{(\w+)\}/g, (_, name: keyof Named) =>
    encodeURIComponent(named[name]),
  )
  const form = formOf(operation)
  const body = form ? undefined : (bodies[operation] ?? row.body)?.(named)
  const isFile = operation.startsWith('PUT') && address.includes('/files/')
  const request = body === undefined || isFile ? {} : { request: body }
  const leaving = new AbortController()
  const response = await fetch(`${api}${address}${row.query ?? ''}`, {
    method,
    headers: {
      accept: path === '/' ? 'application/json' : '*/*',
      ...sent,
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    ...(form ? { body: form } : {}),
    signal: leaving.signal,
  })
  const type = response.headers.get('content-type')?.split(';')[0] ?? ''
  const text = await firstOf(response)
  leaving.abort()
  const { status } = response
  if (status >= 300 || text === '') {
    if (status >= 300) console.log(`${operation} answered ${status}: no example of an answer`)
    return request
  }
  return { ...request, answer: { status, type, body: shortened(operation, { type, text }) } }
}

/** A body that is no JSON; null for all others. */
function formOf(operation: string): FormData | null {
  if (!operation.endsWith('/uploads')) return null
  const form = new FormData()
  form.append('files', new Blob(['item,sold\nbell,12\n']), 'sales.csv')
  return form
}

const charsMax = 1_200

/** The beginning of an answer: a stream need not end. */
async function firstOf(response: Response): Promise<string> {
  const isStream = response.headers.get('content-type')?.startsWith('text/event-stream') === true
  if (!isStream) return response.text()
  const reader = response.body?.getReader()
  if (!reader) return ''
  const decoder = new TextDecoder()
  let text = ''
  const late = new Promise<null>((resolve) => setTimeout(resolve, 1_500, null))
  while (text.length < charsMax) {
    const piece = await Promise.race([reader.read(), late])
    if (piece === null || piece.done) break
    text += decoder.decode(piece.value, { stream: true })
  }
  return text
}

const placeholder = 'sbk_9f3c01ab5d7e2f40_the-text-of-the-key-shown-once'

function shortened(
  operation: string,
  { type, text }: { readonly type: string; readonly text: string },
): unknown {
  if (operation === 'GET /openapi.json') {
    const { openapi, info } = JSON.parse(text)
    return { openapi, info, paths: { '/live': { get: { operationId: 'getLiveness' } } } }
  }
  if (!type.endsWith('json')) {
    const end = text.lastIndexOf('\n', charsMax)
    return text.length <= charsMax ? text : text.slice(0, end + 1)
  }
  const value = cut(JSON.parse(text))
  return operation === 'POST /keys' ? { ...Object(value), key: placeholder } : value
}

const itemsMax = 2

/** The first items of lists: an example shows how, not how many. */
function cut(value: unknown): unknown {
  if (Array.isArray(value)) return value.slice(0, itemsMax).map(cut)
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, cut(inner)]))
}

let scenes = 0

/** What an operation may name, made for it alone. */
async function scene(api: string, agent: ReturnType<typeof agentOf>): Promise<Named> {
  scenes += 1
  const thread = `thread-${scenes}`
  const post = async (path: string, body: unknown) =>
    (await call(api, 'POST', path, { body, headers: sent })).body
  const input = 'How many words has this sentence?'
  await post('/threads', { thread_id: thread })
  await call(api, 'PUT', `/threads/${thread}/files/notes.txt`, { body: 'Seven.', headers: sent })
  const values = await post(`/threads/${thread}/runs/wait`, {
    assistant_id: agent,
    input,
  })
  const { body: state } = await call(api, 'GET', `/threads/${thread}/state`, { headers: sent })
  const { body: log } = await call(api, 'GET', `/runs/${values.run.run_id}/events?limit=1`, {
    headers: sent,
  })
  const [interrupt] = values.__interrupt__ ?? []
  const asked =
    agent === 'clerk'
      ? interrupt
      : (await post('/runs/wait', { assistant_id: 'clerk', input })).__interrupt__[0]
  const cron = await post('/runs/crons', {
    assistant_id: 'assistant',
    input,
    schedule: '0 9 * * *',
  })
  const assistant = await post('/assistants', { graph_id: 'assistant', name: 'terse' })
  const pause = await post('/pauses', { target: { agent: 'hasty' }, reason: 'An outage.' })
  const key = await post('/keys', { name: 'ci', scopes: [] })
  await call(api, 'PUT', '/store/items', {
    body: { namespace: ['a'], key: 'plan', value: { city: 'Bern' } },
    headers: sent,
  })
  return {
    thread_id: thread,
    run_id: values.run.run_id,
    checkpoint_id: state.checkpoint.checkpoint_id,
    approval_id: asked.value.approval_id,
    call_id: (interrupt ?? asked).value.call_id,
    effect_id: 'none',
    key_id: key.id,
    assistant_id: assistant.assistant_id,
    namespace: 'none',
    agent,
    chat_id: thread,
    cron_id: cron.cron_id,
    delivery_id: 'none',
    pause_id: pause.pause_id,
    task: values.run.run_id,
    config: 'none',
    path: 'notes.txt',
    key: 'none',
    name: 'denied_calls',
    hash: log.events[0].payload.definitionHash,
  }
}

const box = await startTest(config, { env: { SIGNALBOX_API_KEY: operatorKey } })
try {
  const { body: document } = await call(box.api, 'GET', '/openapi.json', { headers: sent })
  const examples: Record<string, Example> = {}
  for (const operation of operationsOf(document)) {
    const example = await recorded(box, operation)
    if (Object.keys(example).length > 0) examples[operation] = example
  }
  writeFileSync(file, `${JSON.stringify(examples, null, 1)}\n`)
  console.log(`${Object.keys(examples).length} examples in ${file}`)
} finally {
  await box.stop()
}
