/**
 * Agent Protocol v2 as LangGraph's own client speaks it, against a real server. Would catch: a piece of text lost or shown
 * twice by a second connection, a resume that replays the tape, calls shown before their verdict, an answer that resumes
 * nothing, a refusal that the client cannot read.
 */
import { randomUUID } from 'node:crypto'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { noted } from '../../packages/server/test/support/notes.ts'
import { type Heard, listen, said, textOf } from './support/tape.ts'
import { openTapeScene, speech, type TapeScene } from './support/tape-scene.ts'

const Approvals = z.object({ approvals: z.array(z.object({ approval_id: z.string() })) })

let scene: TapeScene
let client: Client

beforeAll(async () => {
  scene = await openTapeScene()
  client = new Client({ apiUrl: scene.box.api, apiKey: null, callerOptions: { maxRetries: 0 } })
})
afterAll(() => scene?.close())

const threadOf = (assistantId: string, threadId: string = randomUUID()) =>
  client.threads.stream(threadId, { assistantId })
/** Nothing goes on in the thread, and nothing waits. */
const idle = (thread: ReturnType<typeof threadOf>) =>
  eventually(async () => {
    const state = { next: [], ...(await thread.state.get({ namespace: [] })) }
    return state.next.length === 0 || undefined
  })
const go = { input: { messages: [{ role: 'user', content: 'Go.' }] } }

const start = async (agent: string, threadId: string) => {
  const { run_id } = await client.runs.create(threadId, agent, go)
  return run_id
}
const bodies = (events: readonly Heard[]) =>
  events.map(({ method, params }) => [method, params.data])

describe('client.threads.stream', () => {
  it('starts a run, and assembles its messages, tool calls and values', async () => {
    const thread = threadOf('speaker')
    const texts: string[] = []
    /** By their ids: the client gives each when it begins and when it ends. */
    const calls = new Map<string, unknown>()
    const reading = (async () => {
      for await (const message of thread.messages) texts.push(await message.text)
    })()
    const tooling = (async () => {
      for await (const { id, name, args, output } of thread.toolCalls)
        calls.set(id, [name, args, await output])
    })()
    const { run_id } = await thread.run.start(go)
    const values: { messages?: { content?: unknown; text?: string }[] } = Object(
      await thread.output,
    )
    await Promise.all([reading, tooling])
    expect(run_id).toMatch(/^[0-9a-f-]{36}$/)
    expect(texts.filter((text) => text !== '')).toEqual([speech(0), speech(1), speech(2)])
    expect([...calls.values()]).toEqual([0, 1].map((n) => ['look', { n }, `seen ${n}`]))
    expect(values.messages).toHaveLength(6)
    await thread.close()
  })

  it('shows an interrupt, and resumes the run that asked', async () => {
    const thread = threadOf('asker')
    const started = await thread.run.start(go)
    await eventually(() => Promise.resolve(thread.interrupted || undefined))
    const [asked] = thread.interrupts
    expect(asked?.payload).toMatchObject({ tool: 'note', args: { text: 'milk' } })
    await thread.input.respond({
      namespace: [],
      interrupt_id: asked?.interruptId ?? '',
      response: { decision: 'approve' },
    })
    await idle(thread)
    expect(noted.get(started.run_id ?? '')).toEqual(['milk'])
    await thread.close()
  })

  it('answers several calls at once, or none of them', async () => {
    const thread = threadOf('pair')
    await thread.run.start(go)
    const [asked] = await eventually(() =>
      Promise.resolve(thread.interrupts[0] && thread.interrupts),
    )
    expect(thread.interrupts).toHaveLength(1)
    const ids = Approvals.parse(asked?.payload).approvals.map((each) => each.approval_id)
    expect(ids).toHaveLength(2)
    const respond = (interruptIds: readonly string[]) =>
      thread.input.respond({
        responses: interruptIds.map((interrupt_id) => ({
          namespace: [],
          interrupt_id,
          response: { decision: 'approve' },
        })),
      })
    await expect(respond([...ids.slice(0, 1), 'nobody'])).rejects.toMatchObject({
      code: 'invalid_argument',
    })
    await respond(ids)
    await idle(thread)
    await expect(respond(ids)).rejects.toMatchObject({ code: 'no_such_interrupt' })
    await thread.close()
  })

  it('says something to the run that goes on, which answers it in one more turn', async () => {
    const thread = threadOf('holder')
    const { run_id } = await thread.run.start(go)
    await eventually(async () => {
      const { body } = await call(scene.box.api, 'GET', `/runs/${run_id}`)
      return body.state === 'tools' || undefined
    })
    const user = { role: 'user' as const, content: 'Shorter, please.' }
    await thread.input.inject({ namespace: [], message: { ...user, id: 'mine' } })
    await expect(
      thread.input.inject({ namespace: ['tools:none'], message: user }),
    ).rejects.toMatchObject({ code: 'no_such_run' })
    await expect(
      thread.input.inject({ namespace: [], message: { ...user, content: ' ' } }),
    ).rejects.toMatchObject({ code: 'invalid_argument' })
    letGo(run_id ?? '')
    const { messages }: { messages?: object[] } = Object(await thread.output)
    expect(messages?.slice(-2)).toMatchObject([
      { id: 'mine', type: 'human', content: 'Shorter, please.' },
      { type: 'ai', content: 'Done.' },
    ])
    await thread.close()
  })

  it('lists checkpoints, forks from one, and draws the tree of runs', async () => {
    const thread = threadOf('parent')
    const { run_id } = await thread.run.start(go)
    await client.runs.join(thread.threadId, run_id ?? '')
    const { tree } = await thread.agent.getTree()
    expect(tree).toMatchObject({ namespace: [], status: 'completed', graph_name: 'parent' })
    expect(tree.children).toMatchObject([{ status: 'completed', graph_name: 'child' }])
    expect(tree.children?.[0]?.namespace[0]).toMatch(/^tools:/)

    const { checkpoints } = await thread.state.listCheckpoints({ limit: 100 })
    const history = await client.threads.getHistory(thread.threadId, { limit: 100 })
    expect(checkpoints.map(({ id }) => id)).toEqual(
      history.map(({ checkpoint }) => checkpoint.checkpoint_id),
    )
    const [first] = checkpoints.slice(-1)
    const forked = await thread.state.fork({ checkpoint_id: first?.id ?? '', input: 'Otherwise.' })
    await client.runs.join(thread.threadId, forked.run_id)
    const { values } = await thread.state.get({ namespace: [], keys: ['messages'] })
    const messages: { type: string; content: string }[] = values['messages']
    const users = messages.filter(({ type }) => type === 'human').map(({ content }) => content)
    expect(users).toEqual(['Go.', 'Otherwise.'])
    expect(messages).toHaveLength(5)
    await expect(thread.state.fork({ checkpoint_id: 'none', input: 'x' })).rejects.toMatchObject({
      code: 'no_such_checkpoint',
    })
    await thread.close()
  })

  it('is told what is not there', async () => {
    const thread = threadOf('nobody')
    await expect(thread.run.start(go)).rejects.toMatchObject({ code: 'invalid_argument' })
    const inject = { namespace: [], message: { role: 'user' as const, content: 'x' } }
    const known = threadOf('speaker', (await client.threads.create()).thread_id)
    await expect(known.input.inject(inject)).rejects.toMatchObject({ code: 'no_such_run' })
    await expect(thread.input.inject(inject)).rejects.toMatchObject({ message: /404/ })
  })
})

describe('the tape of a thread', () => {
  const everything = {
    channels: [
      'values',
      'updates',
      'messages',
      'tools',
      'lifecycle',
      'input',
      'checkpoints',
      'tasks',
    ],
  }

  it('is the same on every connection, and goes on exactly behind a position', async () => {
    const threadId = randomUUID()
    await start('speaker', threadId)
    const live = await listen(scene.box.api, threadId, everything)
    const seqs = live.map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.toSorted((a, b) => a - b))
    expect(new Set(live.map(({ event_id }) => event_id)).size).toBe(live.length)
    const again = await listen(scene.box.api, threadId, everything)
    expect(again.map(({ event_id }) => event_id)).toEqual(live.map(({ event_id }) => event_id))
    expect(bodies(again)).toEqual(bodies(live))
    const ids = new Set(seqs)
    // Positions of live text stand before the step that tells it again, which leaves out what was had.
    for (const since of [...ids].filter((_, n) => n % 7 === 0).slice(0, 12)) {
      const rest = await listen(scene.box.api, threadId, { ...everything, since })
      const behind = live.filter(({ seq }) => seq > since).map(({ event_id }) => event_id)
      expect(rest.map(({ event_id }) => event_id)).toEqual(behind)
    }
  })

  it('orders messages as blocks, with usage, and shows calls after the verdict', async () => {
    const threadId = randomUUID()
    await start('speaker', threadId)
    const heard = await listen(scene.box.api, threadId, everything)
    const [first] = said(heard)
    expect(
      first?.map(({ event }) => event).filter((event) => event !== 'content-block-delta'),
    ).toEqual([
      'message-start',
      'content-block-start',
      'content-block-finish',
      'content-block-start',
      'content-block-finish',
      'message-finish',
    ])
    expect(said(heard).map(textOf)).toEqual([speech(0), speech(1), speech(2)])
    expect(first?.at(-1)).toMatchObject({ usage: { total_tokens: expect.any(Number) } })
    expect(first?.at(-2)).toMatchObject({ content: { type: 'tool_call', args: { n: 0 } } })
    const turns = heard.filter(({ method }) => method === 'lifecycle')
    expect(turns.map(({ params }) => params.data.event)).toEqual(['running', 'completed'])
  })

  it('withdraws the text of a try that does not count, and never shows suppressed arguments', async () => {
    const stuttered = randomUUID()
    await start('stutterer', stuttered)
    const heard = await listen(scene.box.api, stuttered, everything)
    const last = said(heard).at(-1) ?? []
    expect(textOf(last)).toBe(speech(1))
    const begun = heard.filter(({ params }) => params.data.event === 'message-start')
    const gone = heard.filter(({ params }) => params.data.event === 'error')
    expect(gone).toHaveLength(begun.length - 1)
    const censored = randomUUID()
    await start('censored', censored)
    const stopped = await listen(scene.box.api, censored, everything)
    expect(JSON.stringify(stopped)).not.toContain('unheard-of')
    expect(textOf(said(stopped)[0] ?? [])).toMatch(/^I shall\n\n\[The provider stopped/)
  })

  it('follows every run of the thread, filters by namespace, and names a child by its call', async () => {
    const threadId = randomUUID()
    const runs = [await start('parent', threadId), await start('speaker', threadId)]
    const asked = { channels: ['lifecycle'], since: 0 }
    const all = await listen(scene.box.api, threadId, asked, 2)
    const root = all.filter(({ params }) => params.namespace.length === 0)
    expect(root.map(({ params }) => [params.data.run_id, params.data.event])).toEqual(
      runs.flatMap((run) => [
        [run, 'running'],
        [run, 'completed'],
      ]),
    )
    const child = all.filter(({ params }) => params.namespace.length > 0)
    expect(child.map(({ params }) => params.data.event)).toEqual(['started', 'completed'])
    expect(child[0]?.params.data.cause).toMatchObject({ type: 'toolCall' })
    const flat = await listen(scene.box.api, threadId, { ...asked, depth: 0 }, 2)
    expect(flat).toEqual(root)
  })

  it('is read by joinStream of a thread, and resumed behind a frame', async () => {
    const threadId = randomUUID()
    const run = await start('holder', threadId)
    const ids: string[] = []
    const names: string[] = []
    letGo(run)
    for await (const { id, event, data } of client.threads.joinStream(threadId, {
      streamMode: ['lifecycle', 'state_update', 'run_modes'],
    })) {
      names.push(event)
      if (id !== undefined) ids.push(id)
      if (Object(data)['event'] === 'completed') break
    }
    expect(new Set(names)).toEqual(
      new Set(['lifecycle', 'values', 'updates', 'tasks', 'messages', 'state_update']),
    )
    const later: string[] = []
    const rest = client.threads.joinStream(threadId, {
      lastEventId: ids.at(-3) ?? '',
      streamMode: ['lifecycle', 'state_update', 'run_modes'],
    })
    for await (const { id } of rest) {
      later.push(String(id))
      if (later.length === 2) break
    }
    expect(later).toEqual(ids.slice(-2))
  })

  it('is refused where it is asked for nothing, and of a thread that is not there', async () => {
    const threadId = (await client.threads.create()).thread_id
    const none = await call(scene.box.api, 'POST', `/threads/${threadId}/stream`, {
      body: { channels: ['x'] },
    })
    expect([none.status, none.body.field]).toEqual([422, 'channels[0]'])
    const gone = await call(scene.box.api, 'GET', '/threads/nowhere/stream')
    expect([gone.status, gone.body.code]).toEqual([404, 'unknown_thread'])
    const asked = { body: { id: 1, method: 'state.get' } }
    const away = await call(scene.box.api, 'POST', '/threads/nowhere/commands', asked)
    expect([away.status, away.body.code]).toEqual([404, 'unknown_thread'])
    const odd = { body: { id: 1, method: 'run.stop' } }
    const refused = await call(scene.box.api, 'POST', `/threads/${threadId}/commands`, odd)
    expect(refused.body).toMatchObject({ type: 'error', id: 1, error: 'unknown_command' })
  })
})
