/**
 * A2A's own client against a real server, over both of its bindings. Would catch: a task whose artifacts are other than the
 * answer, a text that approves, a stream that ends before its task, a refusal that the client cannot tell from another.
 */
import { randomUUID } from 'node:crypto'
import {
  type Message,
  Role,
  type SendMessageRequest,
  type StreamResponse,
  type Task,
  TaskState,
} from '@a2a-js/sdk'
import {
  type Client,
  ClientFactory,
  JsonRpcTransportFactory,
  RestTransportFactory,
} from '@a2a-js/sdk/client'
import {
  isLegacyAgentCard,
  LegacyJsonRpcTransport,
  LegacyRestTransport,
  parseLegacyAgentCard,
} from '@a2a-js/sdk/compat/v0_3/client'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../packages/server/test/support/http.ts'
import { lastResults, note } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'

const speech = 'a sentence of the answer, «ü» 𝄞. '.repeat(12)
const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const noting =
  (...texts: readonly string[]): Script =>
  (prompt, turn) =>
    turn === 0
      ? { text: 'I note it.', calls: texts.map((text) => ({ name: 'note', args: { text } })) }
      : { text: `I read: ${lastResults(prompt)}` }

let box: TestSignalbox
let stutters = 0

beforeAll(async () => {
  box = await startTest({
    agents: {
      speaker: { model: scripted('speaker') },
      asker: { model: scripted('asker'), ...asking },
      pair: { model: scripted('pair'), ...asking },
      waiter: { model: scripted('waiter'), tools: ['wait'] },
      stutterer: {
        model: scripted('stutterer'),
        modelRetries: { max: 1, baseMs: 10, capMs: 10 },
      },
      censored: { model: scripted('censored'), tools: ['note'] },
      broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
    },
    tools: [
      note,
      defineTool({
        name: 'wait',
        description: 'Waits to be told to stop.',
        effect: 'read',
        input: z.object({}),
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')))
          }),
      }),
    ],
    scripts: {
      speaker: () => ({ text: speech, chunkSize: 40, delayMs: 10 }),
      asker: noting('milk'),
      pair: noting('milk', 'bread'),
      waiter: (_, turn) =>
        turn === 0 ? { text: 'I wait.', calls: [{ name: 'wait', args: {} }] } : { text: 'Done.' },
      stutterer: () => {
        stutters += 1
        const isBroken = stutters % 2 === 1
        const text = isBroken ? `broken ${speech}` : speech
        return { text, chunkSize: 30, delayMs: 8, ...(isBroken ? { ending: 'eof' as const } : {}) }
      },
      censored: () => ({
        text: 'I shall',
        calls: [{ name: 'note', args: { text: 'unheard-of' } }],
        ending: 'content_filter',
      }),
      broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
    },
    server: { proxies: ['127.0.0.1'] },
  })
})

afterAll(async () => {
  await box?.stop()
})

const transports = { JSONRPC: JsonRpcTransportFactory, 'HTTP+JSON': RestTransportFactory }

const clientOf = (binding: keyof typeof transports, agent: string): Promise<Client> =>
  new ClientFactory({ transports: [new transports[binding]()] }).createFromUrl(
    `${box.api}/a2a/${agent}/`,
  )

type Parts = Message['parts']
const text = (value: string): Parts[number] => ({
  content: { $case: 'text', value },
  metadata: undefined,
  filename: '',
  mediaType: '',
})
const data = (value: unknown): Parts[number] => ({ ...text(''), content: { $case: 'data', value } })

function saying(parts: Parts, about: Partial<Message> = {}, returnImmediately = false) {
  const message: Message = {
    messageId: randomUUID(),
    contextId: '',
    taskId: '',
    role: Role.ROLE_USER,
    parts,
    metadata: undefined,
    extensions: [],
    referenceTaskIds: [],
    ...about,
  }
  const configuration = {
    acceptedOutputModes: [],
    taskPushNotificationConfig: undefined,
    historyLength: undefined,
    returnImmediately,
  }
  return { tenant: '', message, configuration, metadata: undefined } satisfies SendMessageRequest
}

/** The task that a message came to. */
async function sent(client: Client, request: SendMessageRequest): Promise<Task> {
  const result = await client.sendMessage(request)
  if (!('status' in result)) throw new Error('a message instead of a task')
  return result
}

const contentOf = (parts: Parts): string =>
  parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join('')

const answersOf = ({ artifacts }: Task): readonly string[] =>
  artifacts.map(({ parts }) => contentOf(parts))

/** What a client puts together from updates: artifacts by their rules, and the states in order. */
async function followed(stream: AsyncIterable<StreamResponse>, until = Number.POSITIVE_INFINITY) {
  const artifacts = new Map<string, string>()
  const states: (TaskState | undefined)[] = []
  const shown: string[] = []
  let updates = 0
  let task: Task | undefined
  for await (const { payload } of stream) {
    updates += 1
    if (payload?.$case === 'task') {
      task = payload.value
      for (const each of task.artifacts) artifacts.set(each.artifactId, contentOf(each.parts))
      states.push(task.status?.state)
    } else if (payload?.$case === 'statusUpdate') states.push(payload.value.status?.state)
    else if (payload?.$case === 'artifactUpdate') {
      const { artifact, append } = payload.value
      const id = artifact?.artifactId ?? ''
      const before = append ? (artifacts.get(id) ?? '') : ''
      artifacts.set(id, before + contentOf(artifact?.parts ?? []))
      shown.push(artifacts.get(id) ?? '')
    }
    if (updates >= until) break
  }
  return { task, states, artifacts, shown }
}

const named = (task: Task | undefined) => ({ tenant: '', id: task?.id ?? '' })
const got = (client: Client, task: Task | undefined): Promise<Task> =>
  client.getTask({ ...named(task), historyLength: undefined })
const cancelled = (client: Client, task: Task | undefined): Promise<Task> =>
  client.cancelTask({ ...named(task), metadata: undefined })

/** The word of A2A with which something was refused. */
const reasonOf = (promise: Promise<unknown>): Promise<unknown> =>
  promise.then(
    () => 'none',
    (error: unknown) => Object(error).reason,
  )

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('over %s', (binding) => {
  it('a message becomes a task, once, and its context goes on', async () => {
    const client = await clientOf(binding, 'speaker')
    const request = saying([text('Speak.'), data({ to: 'Ada' })])
    const task = await sent(client, request)
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(answersOf(task)).toEqual([speech])
    expect(task.history.map(({ parts }) => contentOf(parts))).toEqual(['Speak.\n{"to":"Ada"}'])
    expect((await sent(client, request)).id).toBe(task.id)
    const next = await sent(client, saying([text('Again.')], { contextId: task.contextId }))
    expect([next.contextId, next.id === task.id]).toEqual([task.contextId, false])
    expect(answersOf(next)).toEqual([speech])

    const list = (page: object) =>
      client.listTasks({
        tenant: '',
        contextId: task.contextId,
        status: TaskState.TASK_STATE_COMPLETED,
        pageSize: 1,
        pageToken: '',
        historyLength: 0,
        statusTimestampAfter: undefined,
        includeArtifacts: true,
        ...page,
      })
    const first = await list({})
    const second = await list({ pageToken: first.nextPageToken, includeArtifacts: false })
    expect([...first.tasks, ...second.tasks].map(({ id }) => id)).toEqual([next.id, task.id])
    expect([second.nextPageToken, first.tasks[0]?.artifacts.length]).toEqual(['', 1])
    expect(second.tasks[0]?.artifacts).toEqual([])
  })

  it('is streamed, and found again after a drop, without loss', async () => {
    const client = await clientOf(binding, 'speaker')
    const dropped = await followed(client.sendMessageStream(saying([text('Speak.')])), 4)
    const { task } = dropped
    const again = await followed(client.resubscribeTask(named(task)))
    expect(again.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED)
    expect([...again.artifacts.values()]).toEqual([speech])
    expect(answersOf(await got(client, task))).toEqual([speech])
    await expect(followed(client.resubscribeTask(named(task)))).rejects.toThrow(/has ended/)
  })

  it('takes text back', async () => {
    const client = await clientOf(binding, 'stutterer')
    const stream = client.sendMessageStream(saying([text('Speak.')]))
    const { artifacts, task, shown } = await followed(stream)
    // At no time a mixture of both tries.
    const isOfOne = (said: string) =>
      [speech, `broken ${speech}`].some((all) => all.startsWith(said))
    expect(shown.filter((said) => !isOfOne(said))).toEqual([])
    expect([...artifacts.values()]).toEqual([speech])
    expect(answersOf(await got(client, task))).toEqual([speech])
  })

  it('asks for an approval, which only a data part gives', async () => {
    const client = await clientOf(binding, 'asker')
    const { task, states, artifacts } = await followed(
      client.sendMessageStream(saying([text('Note milk.')])),
    )
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    expect([...artifacts.values()]).toEqual(['I note it.'])
    const waiting = await got(client, task)
    const [, asked] = waiting.status?.message?.parts ?? []
    expect(asked?.content).toMatchObject({
      value: { for: 'approval', tool: 'note', args: { text: 'milk' } },
    })
    const about = { taskId: task?.id ?? '' }
    await expect(sent(client, saying([text('approve')], about))).rejects.toThrow(/No text decides/)
    const elsewhere = { ...about, contextId: 'elsewhere' }
    const yes = [data({ decision: 'approve' })]
    await expect(sent(client, saying(yes, elsewhere))).rejects.toThrow(/contextId/)
    const edit = [data({ decision: 'edit', args: { text: 7 } })]
    await expect(sent(client, saying(edit, about))).rejects.toThrow(/text/)
    const done = await sent(client, saying(yes, about))
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(answersOf(done)).toEqual(['I note it.', 'I read: noted milk'])
    await expect(sent(client, saying(yes, about))).rejects.toThrow(/has ended/)
  })

  it('takes the answers to several calls one by one, or together', async () => {
    const client = await clientOf(binding, 'pair')
    const task = await sent(client, saying([text('Note both.')]))
    const parts = task.status?.message?.parts.slice(1) ?? []
    const ids = parts.map(({ content }) =>
      z.object({ approval_id: z.string() }).parse(content?.value),
    )
    const about = { taskId: task.id }
    const bare = saying([data({ decision: 'approve' })], about)
    await expect(sent(client, bare)).rejects.toThrow(/approval_id/)
    const [one, two] = ids.map((id, n) => data({ ...id, decision: n === 0 ? 'reject' : 'approve' }))
    if (!one || !two) throw new Error('two calls were asked about')
    const half = await sent(client, saying([one], about))
    expect(half.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const whole = await sent(client, saying([two], about))
    expect(answersOf(whole).at(-1)).toMatch(/not executed[^]*noted bread/)
  })

  it('is cancelled, and says so', async () => {
    const client = await clientOf(binding, 'waiter')
    const task = await sent(client, saying([text('Wait.')], {}, true))
    expect(answersOf(task).length).toBeLessThan(2)
    const stream = followed(client.resubscribeTask(named(task)))
    const after = await cancelled(client, task)
    expect(after.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    expect((await stream).states.at(-1)).toBe(TaskState.TASK_STATE_CANCELED)
    const done = await sent(await clientOf(binding, 'broken'), saying([text('Go.')]))
    await expect(cancelled(await clientOf(binding, 'broken'), done)).rejects.toMatchObject({
      reason: 'TASK_NOT_CANCELABLE',
    })
  })

  it('that is stopped or fails is no success, and shows no secret', async () => {
    const censored = await sent(await clientOf(binding, 'censored'), saying([text('Do it.')]))
    expect(censored.status?.state).toBe(TaskState.TASK_STATE_REJECTED)
    expect(answersOf(censored)[0]).toMatch(/^I shall\n\n\[The provider stopped this answer/)
    expect(JSON.stringify(censored)).not.toContain('unheard-of')
    const broken = await sent(await clientOf(binding, 'broken'), saying([text('Go.')]))
    expect(broken.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(JSON.stringify(broken.status)).toContain('auth: 401 from scripted: ')
    expect(JSON.stringify(broken)).not.toContain('sk-secret')
  })

  it('refuses in words that the client knows', async () => {
    const client = await clientOf(binding, 'speaker')
    const nothing = { id: randomUUID() }
    const image = {
      ...text(''),
      content: { $case: 'url' as const, value: 'https://example.com/a' },
    }
    const file = saying([image])
    const foreign = await sent(await clientOf(binding, 'asker'), saying([text('Note.')]))
    const { body } = await call(box.api, 'GET', '/a2a/speaker/tasks?pageSize=100')
    expect(body.tasks.length).toBeGreaterThan(0)
    expect(body.tasks.map((task: Task) => task.id)).not.toContain(foreign.id)
    expect({
      unknown: await reasonOf(client.getTask({ tenant: '', historyLength: 1, ...nothing })),
      ofAnother: await reasonOf(got(client, foreign)),
      answered: await reasonOf(sent(client, saying([text('x')], { taskId: nothing.id }))),
      blank: await reasonOf(sent(client, saying([text(' ')]))),
      file: await reasonOf(sent(client, file)),
      context: await reasonOf(sent(client, saying([text('x')], { contextId: 'a context/1' }))),
    }).toEqual({
      unknown: 'TASK_NOT_FOUND',
      ofAnother: 'TASK_NOT_FOUND',
      answered: 'TASK_NOT_FOUND',
      blank: 'INVALID_PARAMS',
      file: 'CONTENT_TYPE_NOT_SUPPORTED',
      context: 'INVALID_PARAMS',
    })
  })
})

describe('what is not here', () => {
  it.each([
    [
      'POST',
      '/a2a/speaker/tasks/t/pushNotificationConfigs',
      400,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ],
    [
      'GET',
      '/a2a/speaker/tasks/t/pushNotificationConfigs/c',
      400,
      'PUSH_NOTIFICATION_NOT_SUPPORTED',
    ],
    ['GET', '/a2a/speaker/extendedAgentCard', 400, 'UNSUPPORTED_OPERATION'],
    ['GET', '/a2a/nobody/tasks', 404, 'UNKNOWN_AGENT'],
  ])('%s %s is refused as A2A says', async (method, path, status, reason) => {
    const body = method === 'POST' ? { body: {} } : {}
    const answer = await call(box.api, method, path, body)
    expect([answer.status, answer.body.error?.details[0].reason]).toEqual([status, reason])
  })

  it.each([
    [{ jsonrpc: '2.0', id: 1, method: 'tasks/list' }, -32601],
    [{ jsonrpc: '2.0', id: 1, method: 'message/send' }, -32602],
    [{ jsonrpc: '2.0', id: 1, method: 'tasks/pushNotificationConfig/set' }, -32003],
    [{ jsonrpc: '2.0', id: 1, method: 'CreateTaskPushNotificationConfig' }, -32003],
    [{ jsonrpc: '2.0', id: 1, method: 'GetTask', params: {} }, -32602],
    [{ id: 1, method: 'GetTask' }, -32600],
  ])('%j has the code %i', async (body, code) => {
    const answer = await call(box.api, 'POST', '/a2a/speaker', { body })
    // JSON-RPC 2.0, section 5: of a request that is none, the id is null.
    const id = code === -32600 ? null : 1
    expect([answer.status, answer.body.error.code, answer.body.id]).toEqual([200, code, id])
  })

  it('is another version', async () => {
    const headers = { 'a2a-version': '0.3' }
    const body = { jsonrpc: '2.0', id: 'a', method: 'ListTasks' }
    const old = await call(box.api, 'POST', '/a2a/speaker', { body, headers })
    expect(old.body.error.code).toBe(-32009)
  })
})

/** Sends a body as it is. */
const post = async (path: string, body: string, type = 'application/json') => {
  const headers = { 'content-type': type }
  const answer = await fetch(`${box.api}/a2a/speaker${path}`, { method: 'POST', headers, body })
  return {
    status: answer.status,
    type: answer.headers.get('content-type'),
    body: await answer.json(),
  }
}

describe('a body', () => {
  // JSON-RPC 2.0, section 5.1.
  it.each([
    ['{"jsonrpc": "2.0", "method": "GetTask", "params": [', -32700],
    ['no JSON', -32700],
    ['[]', -32600],
    ['"text"', -32600],
    ['{"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"__proto__":{}}}', -32600],
    [`${'['.repeat(100)}${']'.repeat(100)}`, -32600],
  ])('%s is refused over JSON-RPC with %i', async (body, code) => {
    const answer = await post('', body)
    expect(answer).toMatchObject({ status: 200, type: 'application/json' })
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: null, error: { code } })
  })

  it('that is no JSON is refused over REST as a status', async () => {
    const answer = await post('/message:send', '{"message":')
    expect(answer).toMatchObject({ status: 400, type: 'application/json' })
    expect(answer.body).toMatchObject({ error: { code: 400, status: 'INVALID_ARGUMENT' } })
    const empty = await post('/message:send', '{}')
    expect(empty.body).toMatchObject({ error: { details: [{ reason: 'INVALID_PARAMS' }] } })
  })

  it('comes as the media type of A2A, too', async () => {
    const message = { messageId: randomUUID(), role: 'ROLE_USER', parts: [{ text: 'Speak.' }] }
    const type = 'application/a2a+json'
    const answer = await post('/message:send', JSON.stringify({ message }), type)
    expect(answer).toMatchObject({ status: 200, body: { task: { artifacts: [{}] } } })
    const request = { jsonrpc: '2.0', id: 1, method: 'ListTasks', params: {} }
    expect(await post('', JSON.stringify(request), type)).toMatchObject({ body: { result: {} } })
  })
})

const cardAt = (path: string, headers: Readonly<Record<string, string>> = {}) =>
  call(box.api, 'GET', `${path}.well-known/agent-card.json`, { headers })

describe('a card', () => {
  it('of the host is that of its first agent', async () => {
    const [root, own] = [await cardAt('/'), await cardAt('/a2a/speaker/')]
    expect([root.status, root.body]).toEqual([200, own.body])
    expect(own.body.supportedInterfaces[0].url).toBe(`${box.api}/a2a/speaker`)
  })

  it('names the address that a named proxy says', async () => {
    const { body } = await cardAt('/a2a/speaker/', {
      'x-forwarded-proto': 'https',
      'x-forwarded-host': 'agents.test',
      'x-forwarded-prefix': '/team',
    })
    expect(body.supportedInterfaces[0].url).toBe('https://agents.test/team/a2a/speaker')
  })
})

const olderTransports = { JSONRPC: LegacyJsonRpcTransport, 'HTTP+JSON': LegacyRestTransport }

/** Finds an agent by what 0.3 looks for in its card. */
const clientOfOld = async (agent: string, binding: keyof typeof olderTransports = 'JSONRPC') => {
  const { body } = await call(box.api, 'GET', `/a2a/${agent}/.well-known/agent-card.json`)
  expect(isLegacyAgentCard(body)).toBe(false)
  const { supportedInterfaces: _, ...older } = body
  expect(isLegacyAgentCard(older)).toBe(true)
  const { supportedInterfaces } = parseLegacyAgentCard(older)
  const found = supportedInterfaces.find((each) => each.protocolBinding === binding)
  expect(found?.protocolVersion).toMatch(/^0\.3/)
  return new olderTransports[binding]({ endpoint: found?.url ?? '' })
}
const isTask = (result: object): result is Task => 'status' in result

describe.each(['JSONRPC', 'HTTP+JSON'] as const)('a client of version 0.3 over %s', (binding) => {
  it('sends, follows, finds and cancels', async () => {
    const client = await clientOfOld('speaker', binding)
    const done = await client.sendMessage(saying([text('Speak.'), data({ to: 'Ada' })]))
    if (!isTask(done)) throw new Error('a message instead of a task')
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(answersOf(done)).toEqual([speech])
    expect(done.history.map(({ parts }) => contentOf(parts))).toEqual(['Speak.\n{"to":"Ada"}'])
    const live = await followed(client.sendMessageStream(saying([text('Speak.')])))
    expect(live.states.at(-1)).toBe(TaskState.TASK_STATE_COMPLETED)
    // Over HTTP this transport drops `append`, so it keeps the last piece; what is sent is put together below.
    const [shown = '', ...others] = live.artifacts.values()
    expect(others).toEqual([])
    expect(shown).toBe(binding === 'JSONRPC' ? speech : speech.slice(-shown.length))
    const again = await client.getTask({ ...named(live.task), historyLength: undefined })
    expect(answersOf(again)).toEqual([speech])
    const waiter = await clientOfOld('waiter', binding)
    const begun = await waiter.sendMessage(saying([text('Wait.')], {}, true))
    if (!isTask(begun)) throw new Error('a message instead of a task')
    const stream = followed(waiter.resubscribeTask({ tenant: '', id: begun.id }))
    const after = await waiter.cancelTask({ tenant: '', id: begun.id, metadata: undefined })
    expect(after.status?.state).toBe(TaskState.TASK_STATE_CANCELED)
    expect((await stream).states.at(-1)).toBe(TaskState.TASK_STATE_CANCELED)
  })

  it('is asked, and decides by data', async () => {
    const client = await clientOfOld('asker', binding)
    const { states, task } = await followed(client.sendMessageStream(saying([text('Note milk.')])))
    expect(states.at(-1)).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const about = { taskId: task?.id ?? '' }
    await expect(client.sendMessage(saying([text('approve')], about))).rejects.toThrow(/No text/)
    const done = await client.sendMessage(saying([data({ decision: 'approve' })], about))
    expect(isTask(done) && answersOf(done)).toEqual(['I note it.', 'I read: noted milk'])
  })

  it('is refused in words that it knows', async () => {
    const client = await clientOfOld('speaker', binding)
    const lost = client.getTask({ tenant: '', id: 'nobody', historyLength: undefined })
    await expect(lost).rejects.toMatchObject({ name: expect.stringContaining('TaskNotFound') })
    const done = await client.sendMessage(saying([text('Speak.')]))
    const late = client.cancelTask({
      ...named(isTask(done) ? done : undefined),
      metadata: undefined,
    })
    await expect(late).rejects.toMatchObject({ name: expect.stringContaining('TaskNotCancelable') })
    const push = client.getTaskPushNotificationConfig({ tenant: '', taskId: 't', id: 'c' })
    await expect(push).rejects.toMatchObject({
      name: expect.stringContaining('PushNotificationNotSupported'),
    })
  })
})

describe('version 0.3', () => {
  // The specification of 0.3, sections 3.2.3, 3.5.3 and 5.6, and its a2a.proto in ProtoJSON.
  it('has addresses of its own over HTTP, and the form of its proto', async () => {
    const card = await call(box.api, 'GET', '/a2a/asker/.well-known/agent-card.json')
    const url = `${box.api}/a2a/asker`
    expect(card.body).toMatchObject({ url, preferredTransport: 'JSONRPC' })
    expect(card.body.additionalInterfaces).toEqual([
      { url, transport: 'JSONRPC' },
      { url, transport: 'HTTP+JSON' },
    ])
    const content = [{ text: 'Note milk.' }]
    const message = { messageId: randomUUID(), role: 'ROLE_USER', content }
    const body = { message, configuration: { blocking: true } }
    const asked = await call(box.api, 'POST', '/a2a/asker/v1/message:send', { body })
    expect(asked).toMatchObject({
      status: 200,
      body: {
        task: {
          status: {
            state: 'TASK_STATE_INPUT_REQUIRED',
            message: { role: 'ROLE_AGENT', content: [{}, { data: { data: { tool: 'note' } } }] },
          },
          artifacts: [{ parts: [{ text: 'I note it.' }] }],
          history: [{ role: 'ROLE_USER', content }],
        },
      },
    })
    const { id } = asked.body.task
    // The protocol's own objects, as section 7.1 shows them, are taken as well.
    const parts = [{ kind: 'data', data: { decision: 'approve' } }]
    const answer = { kind: 'message', messageId: randomUUID(), role: 'user', parts, taskId: id }
    const done = await call(box.api, 'POST', '/a2a/asker/v1/message:send', {
      body: { message: answer },
    })
    expect(done.body.task.status.state).toBe('TASK_STATE_COMPLETED')
    const again = await call(box.api, 'GET', `/a2a/asker/v1/tasks/${id}?historyLength=1`)
    expect(again).toMatchObject({ status: 200, body: { id, history: [{ content }] } })
    const begun = await call(box.api, 'POST', '/a2a/waiter/v1/message:send', {
      body: { message: { ...message, messageId: randomUUID() }, configuration: {} },
    })
    const waits = begun.body.task.id
    const over = await call(box.api, 'POST', `/a2a/waiter/v1/tasks/${waits}:cancel`)
    expect(over.body).toMatchObject({ id: waits, status: { state: 'TASK_STATE_CANCELLED' } })
  })

  it.each([
    ['GET', '/v1/tasks/nobody', undefined, 404, -32001],
    ['POST', '/v1/tasks/nobody:cancel', undefined, 404, -32001],
    ['GET', '/v1/tasks/nobody:subscribe', undefined, 404, -32001],
    ['POST', '/v1/tasks/nobody:subscribe', undefined, 404, -32001],
    ['POST', '/v1/message:send', {}, 400, -32602],
    ['POST', '/v1/message:stream', { message: { role: 'ROLE_USER', content: [] } }, 400, -32602],
    ['POST', '/v1/tasks/t/pushNotificationConfigs', {}, 400, -32003],
    ['GET', '/v1/tasks/t/pushNotificationConfigs', undefined, 400, -32003],
    ['GET', '/v1/tasks/t/pushNotificationConfigs/c', undefined, 400, -32003],
    ['DELETE', '/v1/tasks/t/pushNotificationConfigs/c', undefined, 400, -32003],
    ['GET', '/v1/card', undefined, 400, -32007],
  ])('answers %s %s over HTTP with its error', async (method, path, body, status, code) => {
    const answer = await call(box.api, method, `/a2a/speaker${path}`, body ? { body } : {})
    expect(answer).toMatchObject({ status, body: { code, message: expect.any(String) } })
  })

  it('streams over HTTP what its proto says', async () => {
    const response = await fetch(`${box.api}/a2a/speaker/v1/message:stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'a2a-version': '0.3' },
      body: JSON.stringify({
        message: { messageId: randomUUID(), role: 'ROLE_USER', content: [{ text: 'Speak.' }] },
      }),
    })
    expect(response.headers.get('content-type')).toMatch('text/event-stream')
    const lines = (await response.text()).split('\n').filter((line) => line.startsWith('data: '))
    const frames = lines.map((line) => JSON.parse(line.slice('data: '.length)))
    const updates = frames.flatMap(({ artifactUpdate }) => artifactUpdate ?? [])
    const said = updates.reduce(
      (before: string, { append, artifact }) => (append ? before : '') + artifact.parts[0].text,
      '',
    )
    expect(said).toBe(speech)
    expect(updates.length).toBeGreaterThan(1)
    expect(frames[0].task.history).toMatchObject([{ content: [{ text: 'Speak.' }] }])
    expect(frames.at(-1).statusUpdate).toMatchObject({
      status: { state: 'TASK_STATE_COMPLETED' },
      final: true,
    })
  })

  it('answers a body that is no JSON over HTTP with its error', async () => {
    const answer = await post('/v1/message:send', '{"message":')
    expect(answer).toMatchObject({ status: 400, type: 'application/json', body: { code: -32700 } })
  })

  // The specification of 0.3, sections 6 and 7.
  it('reads what its specification says', async () => {
    const parts = [{ kind: 'text', text: 'Note milk.' }]
    const message = { kind: 'message', messageId: randomUUID(), role: 'user', parts }
    const request = { jsonrpc: '2.0', id: 1, method: 'message/send', params: { message } }
    const { body } = await call(box.api, 'POST', '/a2a/asker', { body: request })
    expect(body.result).toMatchObject({
      kind: 'task',
      status: { state: 'input-required', message: { kind: 'message', role: 'agent' } },
      artifacts: [{ parts: [{ kind: 'text', text: 'I note it.' }] }],
      history: [{ kind: 'message', role: 'user', parts }],
    })
    const file = {
      ...message,
      messageId: randomUUID(),
      parts: [{ kind: 'file', file: { uri: 'x' } }],
    }
    const refused = { ...request, params: { message: file } }
    const answer = await call(box.api, 'POST', '/a2a/asker', { body: refused })
    expect(answer.body.error.code).toBe(-32005)
  })
})
