/**
 * LangGraph's own clients over a real server: threads, assistants, states and runs. Would catch: a field they read that is
 * not there, a page that is short, an answer that resumes another run than the one that asked, a tenant who sees another.
 */
import type { Client, Message, ThreadState } from 'langgraph-sdk-1'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { noted } from '../../packages/server/test/support/notes.ts'
import { openScene, type Scene, versions } from './support/resources-scene.ts'

let scene: Scene

beforeAll(async () => {
  scene = await openScene()
})
afterAll(() => scene?.close())

const input = (content = 'Note milk.') => ({ messages: [{ role: 'user', content }] })
const uuid = () => crypto.randomUUID()

interface Values {
  readonly messages: readonly Message[]
  readonly __interrupt__?: readonly {
    readonly id: string
    readonly value: Readonly<Record<string, unknown>>
  }[]
}

const lastWords = (values: Values) => values.messages.at(-1)?.content

const item = (over: object = {}) => ({ assistant_id: 'clerk', input: 'Note milk.', ...over })

const refusal = (asked: Promise<unknown>): Promise<string> =>
  asked.then(
    () => 'it was accepted',
    (error: unknown) => String(error),
  )

describe.each(versions)('client %s', (_version, name) => {
  let client: Client

  beforeAll(async () => {
    client = await scene.clientOf(name)
  })

  /** Waits as users do: the values are whatever JSON came. */
  const wait = async (threadId: string, agent: string, payload: object): Promise<Values> =>
    Object.assign({ messages: [] }, await client.runs.wait(threadId, agent, payload))

  const interrupted = async (agent: string) => {
    const threadId = uuid()
    const values = await wait(threadId, agent, { input: input() })
    const [run] = await client.runs.list(threadId)
    if (!run || !values.__interrupt__) throw new Error('it does not wait')
    return { threadId, runId: run.run_id, asked: values.__interrupt__ }
  }

  /** Answers what a thread waits for, and sees that the answer went to the run that asked. */
  const resumed = async (threadId: string, runId: string, resume: unknown, agent = 'asker') => {
    let created: unknown
    const payload = {
      command: { resume },
      onRunCreated: (run: unknown) => {
        created = run
      },
    }
    const values = await wait(threadId, agent, payload)
    expect(created).toEqual({ run_id: runId, thread_id: threadId })
    return values
  }

  describe('assistants', () => {
    it('are searched, counted and paged', async () => {
      const all = await client.assistants.search({ limit: 100 })
      const names = ['asker', 'broken', 'clerk', 'holder', 'pair']
      expect(all.map((each) => each.assistant_id)).toEqual(names)
      expect(all[0]).toMatchObject({ graph_id: 'asker', name: 'asker', version: 1, config: {} })
      const page = await client.assistants.search({ limit: 2, offset: 1 })
      expect(page.map((each) => each.name)).toEqual(['broken', 'clerk'])
      const named = await client.assistants.search({ graphId: 'pair', metadata: {} })
      expect(named.map((each) => each.name)).toEqual(['pair'])
      expect(await client.assistants.search({ metadata: { owner: 'ann' } })).toEqual([])
      const { body } = await call(scene.box.api, 'POST', '/assistants/count', { body: {} })
      expect(body).toBe(names.length)
      const paged = await call(scene.box.api, 'POST', '/assistants/search', { body: { limit: 2 } })
      expect(paged.headers.get('x-pagination-next')).toBe('2')
      expect(paged.headers.get('x-pagination-total')).toBe('5')
      const whole = await call(scene.box.api, 'POST', '/assistants/search', { body: { limit: 5 } })
      expect(whole.headers.get('x-pagination-next')).toBeNull()
    })

    it('are got by name, and by the id that LangGraph gives an assistant of this name', async () => {
      expect((await client.assistants.get('clerk')).name).toBe('clerk')
      const byId = await client.assistants.get('27c31a1e-9f3e-5d0e-b0fb-1a5d6a4d0000').catch(String)
      expect(byId).toContain('unknown_agent')
      expect((await client.assistants.get(clerkUuid)).name).toBe('clerk')
      const threadId = uuid()
      const values = await wait(threadId, clerkUuid, { input: input() })
      expect(values.messages).toHaveLength(4)
    })

    it('show the machine, their shapes, and one version', async () => {
      const graph = await client.assistants.getGraph('clerk')
      const ids = graph.nodes.map((node) => node.id)
      expect(ids).toEqual(expect.arrayContaining(['__start__', 'model', 'tools', 'approval']))
      for (const { source, target } of graph.edges) {
        expect(ids).toContain(source)
        expect(ids).toContain(target)
      }
      expect(graph.edges).toContainEqual(
        expect.objectContaining({ source: 'queued', target: 'model' }),
      )
      expect(graph.edges).toContainEqual(
        expect.objectContaining({ source: 'guardrail', target: 'approval', conditional: true }),
      )
      const schemas = await client.assistants.getSchemas('clerk')
      expect(schemas).toMatchObject({ graph_id: 'clerk', input_schema: { type: 'object' } })
      expect(await client.assistants.getSubgraphs('clerk')).toEqual({})
      expect(await client.assistants.getVersions('clerk')).toMatchObject([{ version: 1 }])
    })
  })

  describe('a thread', () => {
    it('is created once, and got with what was said in it', async () => {
      const threadId = uuid()
      const made = await client.threads.create({ threadId, metadata: { owner: 'ann' } })
      expect(made).toMatchObject({ thread_id: threadId, status: 'idle', values: null })
      const again = await client.threads.create({ threadId, ifExists: 'do_nothing' })
      expect(again.metadata).toEqual({ owner: 'ann' })
      expect(await refusal(client.threads.create({ threadId }))).toContain('409')
      const values = await wait(threadId, 'clerk', { input: input() })
      const thread = await client.threads.get<Values>(threadId)
      expect(thread).toMatchObject({ status: 'idle', interrupts: {} })
      expect(thread.values.messages).toMatchObject([
        { type: 'human', content: 'Note milk.' },
        { type: 'ai', tool_calls: [{ name: 'note', args: { text: 'milk' }, type: 'tool_call' }] },
        { type: 'tool', name: 'note', content: 'noted milk', status: 'success' },
        { type: 'ai', content: 'I read: noted milk', tool_calls: [] },
      ])
      const withoutRoles = values.messages.map((message) => ({ ...message, role: undefined }))
      expect(withoutRoles).toEqual(
        thread.values.messages.map((message) => ({ ...message, role: undefined })),
      )
    })

    it('is found by metadata, ids and status, sorted and paged', async () => {
      const mark = uuid()
      const threadIds = [`${mark}-c`, `${mark}-a`, `${mark}-b`]
      for (const threadId of threadIds)
        await client.threads.create({ threadId, metadata: { mark, deep: { n: 1, m: 2 } } })
      const search = async (query: Parameters<typeof client.threads.search>[0]) =>
        (await client.threads.search({ metadata: { mark }, ...query })).map((thread) =>
          thread.thread_id.slice(-1),
        )
      expect(await search({ sortBy: 'thread_id', sortOrder: 'asc' })).toEqual(['a', 'b', 'c'])
      expect(await search({ sortBy: 'thread_id', sortOrder: 'asc', limit: 1, offset: 1 })).toEqual([
        'b',
      ])
      expect(await search({ sortBy: 'created_at', sortOrder: 'asc' })).toEqual(['c', 'a', 'b'])
      expect(await search({})).toEqual(['b', 'a', 'c'])
      expect(await search({ metadata: { mark, deep: { n: 1 } } })).toHaveLength(3)
      expect(await search({ metadata: { mark, deep: { n: 2 } } })).toEqual([])
      await wait(`${mark}-a`, 'asker', { input: input() })
      await wait(`${mark}-c`, 'broken', { input: input(), raiseError: false })
      expect(await search({ status: 'interrupted' })).toEqual(['a'])
      expect(await search({ status: 'error' })).toEqual(['c'])
      expect(await search({ status: 'idle' })).toEqual(['b'])
      expect(await search({ sortBy: 'updated_at' })).toEqual(['c', 'a', 'b'])
      const body = { ids: threadIds.slice(0, 2), limit: 1 }
      const paged = await call(scene.box.api, 'POST', '/threads/search', { body })
      expect(paged.headers.get('x-pagination-total')).toBe('2')
      expect(paged.headers.get('x-pagination-next')).toBe('1')
      const [asks] = await client.threads.search<Values>({
        metadata: { mark },
        status: 'interrupted',
      })
      expect(asks?.values.messages).toHaveLength(2)
      expect(Object.values(asks?.interrupts ?? {}).flat()).toMatchObject([
        { value: { tool: 'note' } },
      ])
      const counted = { metadata: { mark }, status: 'idle' }
      const count = await call(scene.box.api, 'POST', '/threads/count', { body: counted })
      expect(count.body).toBe(1)
    })

    it('has a state while its call waits, and a past', async () => {
      const { threadId, runId, asked } = await interrupted('asker')
      const state = await client.threads.getState<Values>(threadId)
      expect(state.next).toEqual(['approval'])
      expect(state.values.messages).toHaveLength(2)
      expect(state.tasks).toMatchObject([{ name: 'approval', error: null, interrupts: asked }])
      expect(asked).toMatchObject([
        { value: { tool: 'note', args: { text: 'milk' }, description: expect.any(String) } },
      ])
      expect(asked[0]?.id).toBe(asked[0]?.value['approval_id'])
      expect(state.metadata).toMatchObject({ source: 'loop', run_id: runId })
      expect(state.checkpoint).toMatchObject({ thread_id: threadId, checkpoint_ns: '' })

      await wait(threadId, 'asker', { command: { resume: { decision: 'approve' } } })
      const history = await client.threads.getHistory<Values>(threadId, { limit: 100 })
      const [last] = history
      expect(last?.next).toEqual([])
      expect(last?.tasks).toEqual([])
      expect(last?.values.messages).toHaveLength(4)
      expect(await client.threads.getState(threadId)).toEqual(last)
      // Every state is that of its checkpoint, and follows on its parent.
      for (const [n, past] of history.entries()) {
        const id = past.checkpoint.checkpoint_id ?? ''
        const parent = history[n + 1]?.checkpoint ?? null
        expect(past.parent_checkpoint ?? null).toEqual(parent)
        expect(parent === null || (parent.checkpoint_id ?? '') < id).toBe(true)
        expect(await client.threads.getState(threadId, id)).toEqual(past)
      }
      const first = history.at(-1)
      expect(first).toMatchObject({ metadata: { source: 'input', step: -1 }, next: ['model'] })
      expect(first?.values.messages).toMatchObject([{ type: 'human' }])
      const waited = history.find((past) => past.next[0] === 'approval')
      expect(waited?.checkpoint).toEqual(state.checkpoint)
      expect(waited?.tasks).toEqual(state.tasks)

      const [, second] = history
      if (!last || !second) throw new Error('there are two')
      const page = await client.threads.getHistory(threadId, { limit: 1, before: config(last) })
      expect(page).toEqual([second])
      const inputs = await client.threads.getHistory(threadId, { metadata: { source: 'input' } })
      expect(inputs).toEqual([first])
      const whole = await client.threads.getState(threadId, second.checkpoint)
      expect(whole).toEqual(second)
    })

    it('goes on from run to run', async () => {
      const threadId = uuid()
      for (const said of ['One.', 'Two.'])
        await wait(threadId, 'broken', { input: input(said), raiseError: false })
      const [last, ...before] = await client.threads.getHistory<Values>(threadId, { limit: 100 })
      const human = last?.values.messages.filter(({ type }) => type === 'human')
      expect(human).toMatchObject([{ content: 'One.' }, { content: 'Two.' }])
      expect(last?.tasks).toMatchObject([{ error: expect.stringMatching(/^auth: 401/) }])
      const steps = [last, ...before].map((past) => past?.metadata?.step)
      expect(steps).toEqual(steps.map((_, n) => steps.length - 2 - n))
    })

    it('that is empty has an empty state; one that is not there has none', async () => {
      const { thread_id } = await client.threads.create()
      expect(await client.threads.getState(thread_id)).toMatchObject({ next: [], tasks: [] })
      expect(await client.threads.getHistory(thread_id)).toEqual([])
      expect(await refusal(client.threads.getState(uuid()))).toContain('404')
      expect(await refusal(client.threads.getHistory(uuid()))).toContain('404')
      expect(await refusal(client.threads.getState(thread_id, `${uuid()}-000004`))).toContain('404')
    })
  })

  describe('runs', () => {
    it('are listed by status, each page full', async () => {
      const threadId = uuid()
      const ended = await client.runs.create(threadId, 'clerk', { input: input() })
      await client.runs.join(threadId, ended.run_id)
      const running = await client.runs.create(threadId, 'holder', { input: input() })
      const pending: string[] = []
      for (let n = 0; n < 4; n++)
        pending.unshift((await client.runs.create(threadId, 'clerk', { input: input() })).run_id)
      const [gone] = pending.splice(1, 1)
      await client.runs.cancel(threadId, gone ?? '', true)
      const list = async (options: object) =>
        (await client.runs.list(threadId, options)).map((run) => run.run_id)
      expect(await list({ limit: 100 })).toHaveLength(6)
      expect(await list({ status: 'pending' })).toEqual(pending)
      expect(await list({ status: 'pending', limit: 1, offset: 1 })).toEqual([pending[1]])
      expect(await list({ status: 'running', limit: 1 })).toEqual([running.run_id])
      expect(await list({ status: 'success', limit: 1 })).toEqual([ended.run_id])
      expect(await list({ status: 'interrupted', limit: 1 })).toEqual([gone])
      expect(await list({ status: 'error' })).toEqual([])

      const cancel = { thread_id: threadId, status: 'pending' }
      const answer = await call(scene.box.api, 'POST', '/runs/cancel', { body: cancel })
      expect(answer.status).toBe(204)
      for (const runId of pending) await client.runs.join(threadId, runId)
      expect(await list({ status: 'pending' })).toEqual([])
      expect(await list({ status: 'interrupted' })).toHaveLength(4)
      letGo(running.run_id)
      await client.runs.join(threadId, running.run_id)
      expect(await client.runs.get(threadId, running.run_id)).toMatchObject({ status: 'success' })
    })

    it('that wait for a human read interrupted', async () => {
      const { threadId, runId } = await interrupted('asker')
      const listed = await client.runs.list(threadId, { status: 'interrupted' })
      expect(listed.map((run) => run.run_id)).toEqual([runId])
      expect((await client.threads.get(threadId)).status).toBe('interrupted')
      await client.runs.cancel(threadId, runId, true)
      expect(await client.threads.getState(threadId)).toMatchObject({ next: [], tasks: [] })
    })

    it('are created in a batch, in order, with or without thread', async () => {
      const payloads = Array.from({ length: 40 }, (_, n) => ({
        assistantId: 'clerk',
        input: input(`Note ${n}.`),
        metadata: { n },
        multitaskStrategy: 'enqueue' as const,
      }))
      const created = await client.runs.createBatch(payloads)
      expect(Array.isArray(created)).toBe(true)
      const runs = Object.values(created)
      expect(runs).toMatchObject(payloads.map(({ metadata }) => ({ metadata })))
      expect(new Set(runs.map((run) => run.thread_id)).size).toBe(40)
      for (const run of runs) await client.runs.join(run.thread_id, run.run_id)
      const last = await client.threads.getState<Values>(runs.at(-1)?.thread_id ?? '')
      expect(last.values.messages[0]).toMatchObject({ content: 'Note 39.' })
    })
  })

  describe('an answer to an interrupt', () => {
    it.each([
      ['approve', { decision: 'approve' }, ['milk'], 'I read: noted milk'],
      ['one word', 'approve', ['milk'], 'I read: noted milk'],
      ['edit', { decision: 'edit', args: { text: 'tea' } }, ['tea'], 'I read: noted tea'],
      ['reject', { decision: 'reject', message: 'We have milk.' }, undefined, 'We have milk.'],
      [
        "the decisions of LangChain's middleware",
        { decisions: [{ type: 'edit', edited_action: { name: 'note', args: { text: 'tea' } } }] },
        ['tea'],
        'I read: noted tea',
      ],
    ])('%s: resumes the run that asked', async (_name, resume, expected, said) => {
      const { threadId, runId } = await interrupted('asker')
      const values = await resumed(threadId, runId, resume)
      expect(lastWords(values)).toContain(said)
      expect(values.__interrupt__).toBeUndefined()
      expect(noted.get(runId)).toEqual(expected)
      expect(await client.runs.list(threadId)).toHaveLength(1)
    })

    it('edits the call as everybody reads it afterwards', async () => {
      const { threadId, runId } = await interrupted('asker')
      await resumed(threadId, runId, { decision: 'edit', args: { text: 'tea' } })
      const state = await client.threads.getState<Values>(threadId)
      expect(state.values.messages[1]).toMatchObject({ tool_calls: [{ args: { text: 'tea' } }] })
      const history = await client.threads.getHistory<Values>(threadId)
      const asked = history.find((past) => past.next[0] === 'approval')
      expect(asked?.values.messages[1]).toMatchObject({ tool_calls: [{ args: { text: 'milk' } }] })
    })

    it('answers several by their order, and by their ids, also one at a time', async () => {
      const approve = { decision: 'approve' }
      const inOrder = await interrupted('pair')
      const values = await resumed(inOrder.threadId, inOrder.runId, [approve, 'reject'], 'pair')
      expect(lastWords(values)).toContain('noted milk')
      expect(noted.get(inOrder.runId)).toEqual(['milk'])

      const byId = await interrupted('pair')
      const approvals: unknown = byId.asked[0]?.value['approvals']
      const [first, second] = z.array(z.object({ approval_id: z.string() })).parse(approvals)
      if (!first || !second) throw new Error('there are two')
      const [firstId, secondId] = [first.approval_id, second.approval_id]
      const half = await resumed(byId.threadId, byId.runId, { [secondId]: approve }, 'pair')
      expect(half.__interrupt__).toMatchObject([{ id: firstId, value: { approvals: [first] } }])
      const whole = await resumed(byId.threadId, byId.runId, { [firstId]: 'reject' }, 'pair')
      expect(whole.__interrupt__).toBeUndefined()
      expect(noted.get(byId.runId)).toEqual(['bread'])
    })

    it('is streamed, and created in the background, as the same run', async () => {
      const streamed = await interrupted('asker')
      let created: unknown
      const command = { resume: 'approve' }
      const onRunCreated = (run: unknown) => void (created = run)
      const stream = client.runs.stream(streamed.threadId, 'asker', { command, onRunCreated })
      const events: string[] = []
      for await (const { event } of stream) events.push(event)
      expect(events.length).toBeGreaterThan(0)
      expect(created).toMatchObject({ run_id: streamed.runId })
      expect(await client.threads.getState(streamed.threadId)).toMatchObject({ next: [] })
      const background = await interrupted('asker')
      const run = await client.runs.create(background.threadId, 'asker', { command })
      expect(run.run_id).toBe(background.runId)
      await client.runs.join(background.threadId, run.run_id)
      expect(noted.get(background.runId)).toEqual(['milk'])
    })

    it.each([
      ['no decision', 'asker', { decision: 'maybe' }, 'command.resume.decision'],
      ['another word', 'asker', 'perhaps', 'command.resume.decision'],
      ['a number', 'asker', 5, 'command.resume'],
      ['nothing', 'asker', {}, 'command.resume'],
      ['a stranger', 'asker', { a_1: 'approve' }, 'command.resume'],
      ['an edit without arguments', 'asker', { decision: 'edit' }, 'command.resume.args'],
      ['arguments that do not fit', 'asker', { decision: 'edit', args: { text: 5 } }, 'args.text'],
      ['one for two', 'pair', { decision: 'approve' }, 'command.resume'],
      ['three for two', 'pair', ['approve', 'approve', 'approve'], 'command.resume'],
      ['one of two misfits', 'pair', ['approve', 'maybe'], 'command.resume[1].decision'],
      ['another agent', 'asker', 'approve', 'assistant_id'],
    ])('that is %s is refused, and changes nothing', async (reason, agent, resume, field) => {
      const { threadId, runId, asked } = await interrupted(agent)
      const body = {
        assistant_id: reason === 'another agent' ? 'clerk' : agent,
        command: { resume },
      }
      const path = `/threads/${threadId}/runs/wait`
      const refused = await call(scene.box.api, 'POST', path, { body })
      expect(refused).toMatchObject({ status: 422, body: { field } })
      expect(refused.body.detail).toContain(' ')
      const state = await client.threads.getState(threadId)
      expect(state.tasks).toMatchObject([{ interrupts: asked }])
      expect(noted.get(runId)).toBeUndefined()
    })

    it('is refused where nothing waits', async () => {
      const command = { resume: 'approve' }
      const threadId = uuid()
      expect(await refusal(wait(threadId, 'asker', { command }))).toContain('404')
      await wait(threadId, 'clerk', { input: input() })
      expect(await refusal(wait(threadId, 'asker', { command }))).toContain('409')
      expect(await client.runs.list(threadId)).toHaveLength(1)
    })
  })

  it('tenants see only their own', async () => {
    const { threadId, runId, asked } = await interrupted('asker')
    const checkpoint = (await client.threads.getState(threadId)).checkpoint.checkpoint_id ?? ''
    await scene.giveAway(threadId)
    const command = { resume: { [asked[0]?.id ?? '']: 'approve' } }
    const refused: readonly (readonly [string, () => Promise<unknown>])[] = [
      ['get', () => client.threads.get(threadId)],
      ['state', () => client.threads.getState(threadId)],
      ['checkpoint', () => client.threads.getState(threadId, checkpoint)],
      ['history', () => client.threads.getHistory(threadId)],
      ['resume', () => wait(threadId, 'asker', { command })],
      ['run', () => client.runs.get(threadId, runId)],
      ['join', () => client.runs.join(threadId, runId)],
      ['cancel', () => client.runs.cancel(threadId, runId)],
    ]
    for (const [what, ask] of refused)
      expect([what, await refusal(ask())]).toEqual([what, expect.stringContaining('404')])
    expect(await client.threads.search({ ids: [threadId] })).toEqual([])
    expect(await client.runs.list(threadId)).toEqual([])
    const count = await call(scene.box.api, 'POST', '/threads/count', { body: { ids: [threadId] } })
    expect(count.body).toBe(0)
    const body = { thread_id: threadId, run_ids: [runId] }
    const cancelled = await call(scene.box.api, 'POST', '/runs/cancel', { body })
    expect(cancelled).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
  })
})

const config = ({ checkpoint }: ThreadState<Values>) => ({
  configurable: { checkpoint_id: checkpoint.checkpoint_id },
})

/** `uuid.uuid5(uuid.UUID('6ba7b821-9dad-11d1-80b4-00c04fd430c8'), 'clerk')`, as Python computes it. */
const clerkUuid = 'fa0e3340-4eac-50e1-bc28-c2f1b048e974'

describe('many runs in one request', () => {
  it('are cancelled by the client that can', async () => {
    const client = await scene.clientOf('langgraph-sdk-1')
    const threadId = uuid()
    const runs = []
    for (let n = 0; n < 3; n++)
      runs.push(await client.runs.create(threadId, 'holder', { input: input() }))
    const [, second] = runs
    const runIds = [second?.run_id ?? '']
    expect(await refusal(client.runs.cancelMany({ threadId: uuid(), runIds }))).toContain('404')
    await client.runs.cancelMany({ threadId, runIds })
    expect(await client.runs.list(threadId, { status: 'interrupted' })).toMatchObject([
      { run_id: second?.run_id },
    ])
    await client.runs.cancelMany({ threadId, status: 'all', action: 'interrupt' })
    await eventually(async () => {
      const found = await client.runs.list(threadId, { status: 'interrupted' })
      return found.length === 3 || undefined
    })
  })

  it.each([
    ['/runs/batch', [item(), item({ assistant_id: 'nobody' })], 404, '[1].assistant_id'],
    ['/runs/batch', [item(), item({ input: undefined })], 422, '[1].input'],
    ['/runs/batch', [item({ assistant_id: undefined })], 422, '[0].assistant_id'],
    [
      '/runs/batch',
      [{ assistantId: 'clerk', input: 'x', afterSeconds: -5 }],
      422,
      '[0].after_seconds',
    ],
    ['/runs/batch', [item({ command: { resume: 1 }, input: null })], 422, '[0].command.resume'],
    ['/runs/batch', [], 422, ''],
    ['/runs/batch', Array.from({ length: 10_001 }, () => ({})), 422, ''],
    ['/runs/cancel', { thread_id: 't', run_ids: ['x'] }, 404, 'run_id'],
    ['/runs/cancel', { thread_id: 't' }, 422, 'status'],
    ['/runs/cancel', { thread_id: 't', run_ids: ['x'], status: 'all' }, 422, 'status'],
    ['/runs/cancel', { status: 'all' }, 422, 'thread_id'],
    ['/runs/cancel?action=undo', { thread_id: 't', status: 'all' }, 422, 'action'],
    ['/threads/search', { limit: 0 }, 422, 'limit'],
    ['/threads/search', { status: 'happy' }, 422, 'status'],
    ['/threads/search', { sort_by: 'mood' }, 422, 'sort_by'],
    ['/threads/search', { values: { a: 1 } }, 422, 'values'],
    ['/threads/search', { metadata: [] }, 422, 'metadata'],
    ['/threads/t/history', { before: 'yesterday' }, 422, 'before'],
    ['/assistants/search', { limit: 'many' }, 422, 'limit'],
    ['/threads/t/runs', item({ command: { goto: 'x' } }), 422, 'command.goto'],
    ['/threads/t/runs', item({ command: { resume: 'approve' } }), 422, 'input'],
    [
      '/runs/wait',
      { assistant_id: 'clerk', command: { resume: 'approve' } },
      422,
      'command.resume',
    ],
  ])('%s %j answers %i and names %s', async (path, body, status, field) => {
    const before = await call(scene.box.api, 'POST', '/threads/count', { body: {} })
    const refused = await call(scene.box.api, 'POST', path, { body })
    expect(refused).toMatchObject({ status, body: { status, field } })
    const after = await call(scene.box.api, 'POST', '/threads/count', { body: {} })
    expect(after.body).toBe(before.body)
  })

  it('take fields they do not know, and the same key twice', async () => {
    const headers = { 'idempotency-key': `batch-${uuid()}` }
    const body = [item({ strict_resume: true }), item({ metadata: { n: 1 }, langsmith_tracer: {} })]
    const [one, two] = [
      await call(scene.box.api, 'POST', '/runs/batch', { body, headers }),
      await call(scene.box.api, 'POST', '/runs/batch', { body, headers }),
    ]
    expect(one.body).toHaveLength(2)
    const ids = (answer: typeof one) => answer.body.map((each: { run_id: string }) => each.run_id)
    expect(ids(two)).toEqual(ids(one))
    const search = { surprise: 1, limit: 1 }
    const found = await call(scene.box.api, 'POST', '/threads/search', { body: search })
    expect(found.status).toBe(200)
  })
})
