/** The main job over HTTP: create, tool, completed. Real Postgres, real queue, real sockets; a scripted model. */
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { call, eventually, fed } from './support/http.ts'
import { lastWords } from './support/last-words.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
const executed: string[] = []

beforeAll(async () => {
  box = await startTest({
    agents: {
      clerk: {
        model: { provider: 'scripted', model: 'clerk' },
        instructions: 'You note things.',
        tools: ['note'],
      },
      waiter: { model: { provider: 'scripted', model: 'waiter' }, tools: ['slow'] },
      holder: { model: { provider: 'scripted', model: 'holder' }, tools: ['hold'] },
      echo: { model: { provider: 'scripted', model: 'echo' } },
      asker: {
        model: { provider: 'scripted', model: 'clerk' },
        tools: ['note'],
        guardrails: { approvalTools: ['note'] },
      },
    },
    tools: [
      hold,
      defineTool({
        name: 'note',
        description: 'Notes a text.',
        input: z.object({ text: z.string() }),
        run: ({ text }, { idempotencyKey }) => {
          executed.push(idempotencyKey)
          return `noted ${text}`
        },
      }),
      defineTool({
        name: 'slow',
        description: 'Takes its time.',
        input: z.object({}),
        run: (_, { signal }) =>
          new Promise((resolve, reject) => {
            const timer = setTimeout(() => resolve('late'), 30_000)
            signal.addEventListener('abort', () => {
              clearTimeout(timer)
              reject(new Error('aborted'))
            })
          }),
      }),
    ],
    scripts: {
      holder: (prompt, turn) =>
        turn === 0
          ? { calls: [{ name: 'hold', args: {} }] }
          : { text: `I read: ${lastWords(prompt)}` },
      echo: (prompt) => ({ text: `I read: ${lastWords(prompt)}`, chunkSize: 4, delayMs: 2 }),
      clerk: (_, turn) =>
        turn === 0
          ? { text: 'I note it.', calls: [{ name: 'note', args: { text: 'milk' } }] }
          : { text: 'Milk is noted.' },
      waiter: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'slow', args: {} }] } : { text: 'Done.' },
    },
  })
})

afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const prompt = (assistant_id: string) => ({ assistant_id, input: 'Note milk, please.' })

describe('a run', () => {
  it('is created, calls its tool once, and completes', async () => {
    const { body: thread } = await call(box.api, 'POST', '/threads', { body: {} })
    const path = `/threads/${thread.thread_id}/runs`
    const created = await call(box.api, 'POST', path, { body: prompt('clerk') })
    expect(created.status).toBe(200)
    expect(created.headers.get('content-location')).toBe(`${path}/${created.body.run_id}`)
    expect(created.body).toMatchObject({ assistant_id: 'clerk', thread_id: thread.thread_id })

    const joined = await call(box.api, 'GET', `${path}/${created.body.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed', run: { status: 'success' } })
    expect(joined.body.messages).toMatchObject([
      { type: 'human', content: 'Note milk, please.' },
      { type: 'ai', content: 'I note it.', tool_calls: [{ name: 'note' }] },
      { type: 'tool', content: 'noted milk', name: 'note', status: 'success' },
      { type: 'ai', content: 'Milk is noted.' },
    ])
    const { body } = await call(box.api, 'GET', `${path}/${created.body.run_id}/events`)
    const seqs = body.events.map((event: { seq: number }) => event.seq)
    expect(seqs).toEqual(seqs.map((_: number, n: number) => n + 1))
    expect(body.events.map((event: { type: string }) => event.type)).toContain('tool.completed')
    expect(JSON.stringify(body)).not.toContain('"salt"')
    const starts = body.events.filter((event: { type: string }) => event.type === 'effect.started')
    const keys = executed.filter((key) => key.startsWith(created.body.run_id))
    expect(keys).toHaveLength(1)
    expect(
      starts.map((event: { payload: { effectId: string } }) => event.payload.effectId),
    ).toContain(keys[0])
  })

  it('waits and answers the final values', async () => {
    const waited = await call(box.api, 'POST', '/runs/wait', { body: prompt('clerk') })
    expect(waited.status).toBe(200)
    expect(waited.body.messages.at(-1)).toMatchObject({
      role: 'assistant',
      content: 'Milk is noted.',
    })
  })

  it('is cancelled while its tool runs', async () => {
    const { body: run } = await call(box.api, 'POST', '/runs', { body: prompt('waiter') })
    await eventually(async () => {
      const { body } = await call(box.api, 'GET', `/runs/${run.run_id}`)
      return body.state === 'tools' ? true : undefined
    })
    const cancelled = await call(box.api, 'POST', `/runs/${run.run_id}/cancel?wait=1`)
    expect(cancelled.status).toBe(204)
    const { body } = await call(box.api, 'GET', `/runs/${run.run_id}`)
    expect(body).toMatchObject({ status: 'interrupted', outcome: 'cancelled' })
    const again = await call(box.api, 'POST', `/runs/${run.run_id}/cancel?wait=0`)
    expect(again.status).toBe(202)
  })

  it('cannot be cancelled once it has completed', async () => {
    const { body } = await call(box.api, 'POST', '/runs/wait', { body: prompt('clerk') })
    const refused = await call(box.api, 'POST', `/runs/${body.run.run_id}/cancel`)
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'run_ended', outcome: 'completed' },
    })
  })

  it('waits for an approval and goes on with it', async () => {
    const waited = await call(box.api, 'POST', '/runs/wait', { body: prompt('asker') })
    const { run_id } = waited.body.run
    expect(waited.body).toMatchObject({ outcome: null, run: { status: 'interrupted' } })
    expect(waited.body.__interrupt__).toMatchObject([{ value: { for: 'approval', tool: 'note' } }])
    const listed = await call(box.api, 'GET', '/approvals')
    const mine = listed.body.find((each: { run_id: string }) => each.run_id === run_id)
    expect(mine).toMatchObject({ tool: 'note', args: { text: 'milk' } })

    const path = `/runs/${run_id}/approvals/${mine.call_id}`
    const approved = await call(box.api, 'POST', path, { body: { decision: 'approve' } })
    expect(approved).toMatchObject({ status: 200, body: { code: 'accepted' } })
    const joined = await call(box.api, 'GET', `/runs/${run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'completed' })
    const other = await call(box.api, 'POST', path, { body: { decision: 'reject' } })
    expect(other).toMatchObject({ status: 409 })
  })
})

const input = (run: { run_id: string }, body: unknown, headers = {}) =>
  call(box.api, 'POST', `/runs/${run.run_id}/input`, { body, headers })

const holding = async (thread: string) => {
  const path = `/threads/${thread}/runs`
  const { body: run } = await call(box.api, 'POST', path, { body: prompt('holder') })
  await eventually(() => Promise.resolve(isHolding(run.run_id) ? true : undefined))
  return run
}

describe('a run that goes on', () => {
  it('is told something while its tool runs, once per key, and the thread remembers it', async () => {
    const run = await holding('steered')
    const headers = { 'idempotency-key': 'k1' }
    const told = await input(run, { input: 'In German, please.' }, headers)
    expect(told).toMatchObject({ status: 202, body: { run_id: run.run_id, thread_id: 'steered' } })
    const again = await input(run, { input: { prompt: 'In German, please.' } }, headers)
    expect(again).toMatchObject({ status: 202, body: told.body })
    const other = await input(run, { input: 'In French.' }, headers)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
    letGo(run.run_id)
    const joined = await call(box.api, 'GET', `/runs/${run.run_id}/join`)
    const said = [
      { type: 'human', content: 'Note milk, please.' },
      { type: 'ai', tool_calls: [{ name: 'hold' }] },
      { type: 'tool', content: 'held' },
      { type: 'human', content: 'In German, please.', id: told.body.message_ids[0] },
      { type: 'ai', content: 'I read: In German, please.' },
    ]
    expect(joined.body).toMatchObject({ outcome: 'completed', messages: said })
    const state = await call(box.api, 'GET', '/threads/steered/state')
    expect(state.body.values.messages).toMatchObject(said)
    const next = await call(box.api, 'POST', '/threads/steered/runs/wait', {
      body: prompt('echo'),
    })
    expect(next.body.messages).toMatchObject([...said, { type: 'human' }, { type: 'ai' }])
    const late = await input(run, { input: 'And?' })
    expect(late).toMatchObject({ status: 409, body: { code: 'run_ended', outcome: 'completed' } })
  })

  it('hears nothing when it is being cancelled, and its thread keeps what it left', async () => {
    const run = await holding('left')
    await input(run, { input: { messages: [{ id: 'mine', role: 'user', content: 'Faster!' }] } })
    await call(box.api, 'POST', `/runs/${run.run_id}/cancel`)
    const refused = await input(run, { input: 'Even faster!' })
    expect(refused).toMatchObject({ status: 409, body: { code: 'run_ending' } })
    letGo(run.run_id)
    const joined = await call(box.api, 'GET', `/runs/${run.run_id}/join`)
    expect(joined.body).toMatchObject({ outcome: 'cancelled' })
    expect(joined.body.messages.at(-1)).toMatchObject({ id: 'mine', content: 'Faster!' })
  })

  it('takes so much and no more, and says what it would take', async () => {
    const run = await holding('full')
    const messages = Array.from({ length: 101 }, () => ({ role: 'user', content: 'x' }))
    expect(await input(run, { input: { messages } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'input' },
    })
    expect(await input(run, {})).toMatchObject({ status: 422, body: { field: 'input' } })
    expect(await input(run, { input: { messages: messages.slice(0, 100) } })).toMatchObject({
      status: 202,
    })
    expect(await input(run, { input: 'x' })).toMatchObject({
      status: 409,
      body: { code: 'input_full' },
    })
    letGo(run.run_id)
  })

  it('answers what it was told before its end, or refuses it: never neither', async () => {
    const told = Array.from({ length: 12 }, async (_, n) => {
      const { body: run } = await call(box.api, 'POST', '/runs', { body: prompt('echo') })
      await new Promise((resolve) => setTimeout(resolve, n * 5))
      const { status, body } = await input(run, { input: `word ${n}.` })
      const joined = await call(box.api, 'GET', `/runs/${run.run_id}/join`)
      const last = joined.body.messages.at(-1).content
      expect([status, body.code, last]).toEqual(
        status === 202
          ? [202, undefined, `I read: word ${n}.`]
          : [409, 'run_ended', 'I read: Note milk, please.'],
      )
      return status
    })
    expect(await Promise.all(told)).toContain(202)
  })
})

describe('an idempotency key', () => {
  it('gives the same run for the same request, and refuses another', async () => {
    const headers = { 'idempotency-key': 'order:1' }
    const first = await call(box.api, 'POST', '/runs', { body: prompt('clerk'), headers })
    const reordered = { input: 'Note milk, please.', assistant_id: 'clerk' }
    const second = await call(box.api, 'POST', '/runs', { body: reordered, headers })
    expect(second.body.run_id).toBe(first.body.run_id)
    expect(second.body.thread_id).toBe(first.body.thread_id)
    const other = { ...prompt('clerk'), input: 'Note bread.' }
    const refused = await call(box.api, 'POST', '/runs', { body: other, headers })
    expect(refused).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict', run_id: first.body.run_id },
    })
    const byKey = await call(box.api, 'GET', '/runs/order:1')
    expect(byKey.body.run_id).toBe(first.body.run_id)
  })

  it('makes one run of many creates at once', async () => {
    const headers = { 'idempotency-key': 'race-1' }
    const answers = await Promise.all(
      Array.from({ length: 8 }, () =>
        call(box.api, 'POST', '/runs', { body: prompt('clerk'), headers }),
      ),
    )
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set([200]))
    expect(new Set(answers.map(({ body }) => body.run_id)).size).toBe(1)
  })
})

describe('a thread', () => {
  it('runs its runs one after the other, in order', async () => {
    const path = '/threads/fifo-1/runs'
    const ids: string[] = []
    for (let n = 0; n < 4; n++)
      ids.push((await call(box.api, 'POST', path, { body: prompt('clerk') })).body.run_id)
    await Promise.all(ids.map((id) => call(box.api, 'GET', `${path}/${id}/join`)))
    const spans = await Promise.all(
      ids.map(async (id) => {
        const { body } = await call(box.api, 'GET', `${path}/${id}/events?limit=1000`)
        const at = (type: string) =>
          body.events.find((event: { type: string }) => event.type === type)?.at
        return { admitted: at('run.admitted'), ended: body.events.at(-1).at }
      }),
    )
    const inOrder = spans.flatMap(({ admitted, ended }) => [admitted, ended])
    expect(inOrder).toEqual(inOrder.toSorted((a, b) => String(a).localeCompare(String(b))))
    const listed = await call(box.api, 'GET', path)
    expect(listed.body.map((run: { run_id: string }) => run.run_id)).toEqual(ids.toReversed())
  })

  it('is refused when it must exist and does not', async () => {
    const body = { ...prompt('clerk'), if_not_exists: 'reject' }
    const refused = await call(box.api, 'POST', '/threads/nobody/runs', { body })
    expect(refused).toMatchObject({ status: 404, body: { code: 'unknown_thread' } })
  })

  it('is created once', async () => {
    const body = { thread_id: 'mine', metadata: { a: 1 } }
    const first = await call(box.api, 'POST', '/threads', { body })
    expect(first).toMatchObject({ status: 200, body: { thread_id: 'mine', metadata: { a: 1 } } })
    const second = await call(box.api, 'POST', '/threads', { body })
    expect(second).toMatchObject({ status: 409, body: { code: 'thread_exists' } })
    const third = await call(box.api, 'POST', '/threads', {
      body: { ...body, if_exists: 'do_nothing' },
    })
    expect(third).toMatchObject({ status: 200, body: { metadata: { a: 1 } } })
  })
})

describe('the audit', () => {
  it('filters, pages and exports', async () => {
    const { body } = await call(box.api, 'POST', '/runs/wait', { body: prompt('clerk') })
    const runId: string = body.run.run_id
    const all = await fed(
      box.api,
      `run_id=${runId}&limit=1000`,
      (events) => events.length >= body.run.seq,
    )
    const paged: unknown[] = []
    for (let path: string | null = `/events?run_id=${runId}&limit=3`; path !== null;) {
      const page = await call(box.api, 'GET', path)
      paged.push(...page.body.events)
      path = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1] ?? null
      expect(path === null).toBe(page.body.next === null)
    }
    expect(paged).toEqual(all)
    const lines = await call(box.api, 'GET', `/events?run_id=${runId}`, {
      headers: { accept: 'application/x-ndjson' },
    })
    expect(lines.headers.get('content-type')).toBe('application/x-ndjson')
    expect(
      lines.body
        .trim()
        .split('\n')
        .map((line: string) => JSON.parse(line)),
    ).toEqual(all)

    const tools = await call(
      box.api,
      'GET',
      `/events?run_id=${runId}&type=tool.completed&tool=note`,
    )
    expect(tools.body.events).toHaveLength(1)
    const none = await call(box.api, 'GET', `/events?run_id=${runId}&until=2020-01-01T00:00:00Z`)
    expect(none.body).toEqual({ events: [], next: null })
  })
})

describe('meta', () => {
  it('says it is well, what it is, and how it does', async () => {
    for (const path of ['/ok', '/ready']) {
      const { body: healthy } = await call(box.api, 'GET', path)
      expect(healthy).toMatchObject({
        ok: true,
        status: 'ok',
        roles: ['api', 'orchestrator', 'worker'],
      })
      const names = ['bus', 'feed', 'queue', 'register', 'schema', 'writes']
      expect(Object.keys(healthy.checks)).toEqual(expect.arrayContaining(names))
    }
    expect((await call(box.api, 'GET', '/live')).body).toEqual({ ok: true, status: 'ok' })
    expect((await call(box.api, 'GET', '/info')).body).toMatchObject({ version: '0.1.0' })
    const { body } = await call(box.api, 'GET', '/assistants')
    expect(body.map((agent: { name: string }) => agent.name)).toContain('clerk')
    expect(JSON.stringify(body)).not.toContain('You note things.')
    await call(box.api, 'POST', '/runs/wait', { body: prompt('clerk') })
    await call(box.api, 'GET', '/runs/0')
    // The run is counted when its end is written, which is when its readers learn of it too.
    const metrics = await eventually(async () => {
      const page = await call(box.api, 'GET', '/metrics')
      return String(page.body).includes('signalbox_runs_ended_total{') ? page : undefined
    })
    expect(metrics.body).toMatch(/signalbox_runs_ended_total\{outcome="completed"\} [1-9]/)
    expect(metrics.body).toMatch(
      /signalbox_effects_total\{kind="tool.call",status="completed"\} [1-9]/,
    )
    expect(metrics.body).toMatch(
      /http_request_seconds_count\{.*route="\/runs\/:run_id",status="404"/,
    )
  })
})
