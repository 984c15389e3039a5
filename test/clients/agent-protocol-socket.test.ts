/**
 * Agent Protocol v2 over its WebSocket, as LangGraph's own client speaks it, against a real server. Would catch: text that a
 * killed connection loses or brings twice, an answer that resumes nothing, events that begin before their subscription.
 */
import { randomUUID } from 'node:crypto'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { WebSocket } from 'ws'
import { forThisMachine } from '../support/for-this-machine.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { noted } from '../../packages/server/test/support/notes.ts'
import { type Cuttable, cuttable } from './support/cuttable.ts'
import { connect } from './support/socket.ts'
import { isEnd, listen, said, textOf } from './support/tape.ts'
import { openTapeScene, speech, type TapeScene } from './support/tape-scene.ts'

let scene: TapeScene
let client: Client
let way: Cuttable

beforeAll(async () => {
  scene = await openTapeScene()
  way = await cuttable(scene.box.api)
  client = new Client({ apiUrl: way.api, apiKey: null, callerOptions: { maxRetries: 0 } })
})
afterAll(async () => {
  await way?.close()
  await scene?.close()
})

const go = { input: { messages: [{ role: 'user', content: 'Go.' }] } }
const everything = ['values', 'updates', 'messages', 'tools', 'lifecycle', 'input'] as const

/** A thread of the client, and the sockets that it opened. */
function threadOf(assistantId: string, threadId: string = randomUUID()) {
  const sockets: globalThis.WebSocket[] = []
  const reconnected: number[] = []
  const thread = client.threads.stream(threadId, {
    assistantId,
    transport: 'websocket',
    reconnectDelayMs: () => 20,
    onConnected: ({ kind, attempt }) => {
      if (kind === 'reconnected') reconnected.push(attempt)
    },
    webSocketFactory: (url) => {
      const socket = new globalThis.WebSocket(url)
      sockets.push(socket)
      return socket
    },
  })
  return { thread, sockets, reconnected }
}

describe('client.threads.stream over a WebSocket', () => {
  it('starts a run on a thread that is not there yet, and assembles what it says', async () => {
    const { thread, sockets } = threadOf('speaker')
    const texts: string[] = []
    const reading = (async () => {
      for await (const message of thread.messages) texts.push(await message.text)
    })()
    const { run_id } = await thread.run.start(go)
    const values: { messages?: object[] } = Object(await thread.output)
    await reading
    expect(run_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(texts.filter((text) => text !== '')).toEqual([speech(0), speech(1), speech(2)])
    expect(values.messages).toHaveLength(6)
    expect(sockets).toHaveLength(1)
    const { values: state } = await thread.state.get({ namespace: [] })
    expect(state['messages']).toHaveLength(6)
    await thread.close()
  })

  it('shows an interrupt, and resumes the run that asked', async () => {
    const { thread } = threadOf('asker')
    const { run_id } = await thread.run.start(go)
    await eventually(() => Promise.resolve(thread.interrupted || undefined))
    const [asked] = thread.interrupts
    expect(asked?.payload).toMatchObject({ tool: 'note', args: { text: 'milk' } })
    await thread.input.respond({
      namespace: [],
      interrupt_id: asked?.interruptId ?? '',
      response: { decision: 'approve' },
    })
    await client.runs.join(thread.threadId, run_id ?? '')
    expect(noted.get(run_id ?? '')).toEqual(['milk'])
    await expect(
      thread.input.respond({ namespace: [], interrupt_id: 'nobody', response: {} }),
    ).rejects.toMatchObject({ code: 'no_such_interrupt' })
    await thread.close()
  })

  it('goes on after its socket was killed in the middle, and neither loses nor repeats', async () => {
    const { thread, reconnected } = threadOf('speaker')
    const ids: string[] = []
    const texts: string[] = []
    const subscription = await thread.subscribe({ channels: [...everything] })
    const reading = (async () => {
      for await (const { event_id, method, params } of subscription) {
        ids.push(event_id ?? '')
        const data = Object(params.data)
        if (method === 'messages' && data.event === 'content-block-delta')
          texts.push(data.delta.text)
        if (method === 'lifecycle' && data.event === 'completed') break
      }
    })()
    await thread.run.start(go)
    await eventually(() => Promise.resolve(texts.length > 4 || undefined))
    way.cut()
    await eventually(() => Promise.resolve(texts.length > 20 || undefined))
    way.cut()
    await reading
    expect(reconnected.length).toBeGreaterThanOrEqual(2)
    expect(texts.join('')).toBe([0, 1, 2].map(speech).join(''))
    expect(new Set(ids).size).toBe(ids.length)
    const whole = await listen(scene.box.api, thread.threadId, { channels: everything })
    expect(ids).toEqual(whole.map(({ event_id }) => event_id))
    await thread.close()
  })
})

describe('the tape of a thread on a WebSocket', () => {
  it('is that of server-sent events, and goes on exactly behind a position', async () => {
    const threadId = randomUUID()
    const { run_id } = await client.runs.create(threadId, 'speaker', go)
    await client.runs.join(threadId, run_id)
    const whole = await listen(scene.box.api, threadId, { channels: everything })
    const seqs = [0, ...new Set(whole.map(({ seq }) => seq))].filter((_, n) => n % 9 === 0)
    for (const since of seqs.slice(0, 8)) {
      const raw = await connect(scene.box.api, threadId)
      await raw.ask('subscription.subscribe', { channels: everything, since })
      await eventually(() => Promise.resolve(raw.heard.some(isEnd) || undefined))
      expect(raw.heard).toEqual(whole.filter(({ seq }) => seq > since))
      raw.socket.close()
    }
    expect(said(whole).map(textOf)).toEqual([0, 1, 2].map(speech))
  })

  it('waits for the first run of a thread, and ends with its subscription', async () => {
    const threadId = randomUUID()
    const raw = await connect(scene.box.api, threadId)
    const opened = await raw.ask('subscription.subscribe', { channels: ['lifecycle'] })
    expect(opened).toMatchObject({ type: 'success', id: 1 })
    const started = await raw.ask('run.start', { assistant_id: 'speaker', ...go })
    expect(started.result.run_id).toMatch(/^[0-9a-f-]{36}$/)
    await eventually(() => Promise.resolve(raw.heard.some(isEnd) || undefined))
    const { subscription_id } = opened.result
    const ended = await raw.ask('subscription.unsubscribe', { subscription_id })
    expect(ended).toMatchObject({ type: 'success', result: {} })
    const again = await raw.ask('subscription.unsubscribe', { subscription_id })
    expect(again).toMatchObject({ type: 'error', error: 'no_such_subscription' })
    const count = raw.heard.length
    const next = await raw.ask('run.start', { assistant_id: 'speaker', ...go })
    await client.runs.join(threadId, next.result.run_id)
    expect(raw.heard).toHaveLength(count)
    raw.socket.close()
  })

  it('is closed in order when the process stops, and holds up nothing', async () => {
    const other = await openTapeScene()
    const raw = await connect(other.box.api, randomUUID())
    await raw.ask('subscription.subscribe', { channels: ['lifecycle'] })
    const deaf = new WebSocket(raw.socket.url)
    await new Promise((resolve) => deaf.once('open', resolve))
    deaf.pause()
    const began = performance.now()
    await other.close()
    expect(performance.now() - began).toBeLessThan(forThisMachine(4_000))
    expect(await raw.closed).toBe(1001)
    deaf.terminate()
  })
})

it('an address of a socket that is asked without one says so', async () => {
  const { thread_id } = await client.threads.create()
  const answer = await call(scene.box.api, 'GET', `/threads/${thread_id}/stream/events`)
  expect([answer.status, answer.body.code]).toEqual([426, 'upgrade_required'])
  expect(answer.headers.get('upgrade')).toBe('websocket')
})
