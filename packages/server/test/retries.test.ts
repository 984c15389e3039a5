/**
 * Retries, and cancels by a filter, over HTTP on Postgres. Would catch: a repeated bulk retry that starts a run twice, one that
 * executes for a run that still goes on, one that changes whom a run works for, a filter that acts on more than it found.
 */
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, eventually, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
/** Does the provider answer? */
let isUp = false
const paid: string[] = []

const pay = defineTool({
  name: 'pay',
  description: 'Pays.',
  effect: 'once',
  input: z.object({ to: z.string() }),
  run: ({ to }, { runId }) => {
    paid.push(runId)
    return `paid ${to}`
  },
})

const model = (name: string) => ({ provider: 'scripted', model: name }) as const

beforeAll(async () => {
  box = await startTest({
    agents: {
      payer: { model: model('flaky'), tools: ['pay'], breaker: { threshold: 1000 } },
      holder: { model: model('holding'), tools: ['hold'] },
      boss: { model: model('boss'), tools: ['agent:payer'] },
    },
    tools: [pay, hold],
    scripts: {
      flaky: (_, turn) => {
        if (!isUp) return { status: { code: 400 } }
        return turn === 0 ? { calls: [{ name: 'pay', args: { to: 'Ann' } }] } : { text: 'Paid.' }
      },
      holding: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
      boss: (_, turn) =>
        turn === 0
          ? { calls: [{ name: 'agent__payer', args: { prompt: 'Pay.' } }] }
          : { text: 'Done.' },
    },
    server: { identity: { userHeader: 'x-user', roleHeader: 'x-role' } },
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})
beforeEach(() => {
  isUp = false
})

interface Made {
  readonly run_id: string
  readonly thread_id: string
}
const operator = { 'x-user': 'op', 'x-role': 'lead' }
const post = (
  path: string,
  body: object = {},
  headers: Readonly<Record<string, string>> = operator,
) => call(box.api, 'POST', path, { body, headers })
const get = async (path: string) => (await call(box.api, 'GET', path)).body
const join = (run: string) => get(`/runs/${run}/join`)

const create = async (
  agent: string,
  over: { thread?: string; body?: object } = {},
): Promise<Made> => {
  const path = over.thread === undefined ? '/runs' : `/threads/${over.thread}/runs`
  const body = { assistant_id: agent, input: 'Pay Ann.', ...over.body }
  return (await call(box.api, 'POST', path, { body, headers: { 'x-user': 'ann' } })).body
}
/** A run that could not do its work: its provider was down. */
async function broken(over: Parameters<typeof create>[1] = {}): Promise<Made> {
  isUp = false
  const run = await create('payer', over)
  expect((await join(run.run_id)).outcome).not.toBe('completed')
  return run
}
const created = async (runId: string) => (await get(`/runs/${runId}/events?limit=1`)).events[0]
const retry = (runId: string, query = '', headers = operator) =>
  call(box.api, 'POST', `/runs/${runId}/retry${query}`, { headers })

describe('a retry', () => {
  it('asks the same again on the same thread, for the same user, and executes', async () => {
    const source = await broken({
      thread: 'bill',
      body: { metadata: { order: 17 }, priority: 5, multitask_strategy: 'interrupt' },
    })
    const before = await get(`/runs/${source.run_id}/events`)
    isUp = true
    const { status, body, headers } = await retry(source.run_id)
    expect(status).toBe(200)
    expect(headers.get('content-location')).toBe(`/threads/bill/runs/${body.run_id}`)
    expect(body).toMatchObject({
      thread_id: 'bill',
      assistant_id: 'payer',
      retry_of: source.run_id,
      metadata: { order: 17, retry_of: source.run_id },
      priority: 5,
      // It ends no newer run of the thread.
      multitask_strategy: 'enqueue',
    })
    const values = await join(body.run_id)
    expect(values).toMatchObject({ outcome: 'completed', run: { retry_of: source.run_id } })
    expect(paid.filter((runId) => runId === body.run_id)).toHaveLength(1)
    const [first, second] = [await created(source.run_id), await created(body.run_id)]
    expect(second).toMatchObject({ actor: 'user:op', payload: { retry: { runId: source.run_id } } })
    expect(second.payload.user).toEqual(first.payload.user)
    expect(second.payload.endUser).toBe(first.payload.endUser)
    expect(second.payload.input[0].parts).toEqual(first.payload.input[0].parts)
    expect(second.payload.input[0].id).not.toBe(first.payload.input[0].id)
    // The other one is only read.
    expect(await get(`/runs/${source.run_id}/events`)).toEqual(before)
    expect(await get(`/runs/${source.run_id}`)).toMatchObject({ retry_of: null })
    const said = values.messages.filter((message: { type: string }) => message.type === 'human')
    expect(said).toHaveLength(2)
  })

  it('that is asked for again, by several at once, is the one that is there; with `again`, another', async () => {
    const source = await broken()
    isUp = true
    const answers = await Promise.all([1, 2, 3, 4].map(() => retry(source.run_id)))
    const ids = new Set(answers.map(({ body }) => body.run_id))
    expect(ids.size).toBe(1)
    expect((await post('/runs/retry', { run_ids: [source.run_id] })).body.runs).toEqual([
      { run_id: source.run_id, code: 'existing', retry_run_id: answers[0]?.body.run_id },
    ])
    const keyed = { ...operator, 'idempotency-key': 'second-try' }
    const other = await retry(source.run_id, '?again=1', keyed)
    expect(ids.has(other.body.run_id)).toBe(false)
    expect((await retry(source.run_id, '?again=1', keyed)).body.run_id).toBe(other.body.run_id)
    const third = await retry(source.run_id, '?again=1')
    expect(third.body.run_id).not.toBe(other.body.run_id)
    const spelt = [source.run_id, source.run_id.toUpperCase()]
    const { body } = await post('/runs/retry', { run_ids: spelt, again: true })
    expect(body.counts).toEqual({ created: 1, existing: 1 })
    // By the alias that nobody else can take.
    expect((await get(`/runs/retry:${source.run_id}`)).run_id).toBe(answers[0]?.body.run_id)
    const taken = await call(box.api, 'POST', '/runs', {
      body: { assistant_id: 'payer', input: 'Pay.' },
      headers: { 'idempotency-key': 'retry:mine' },
    })
    expect(taken).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
  })

  it('of what cannot be retried is refused, and nothing is created', async () => {
    const open = await create('holder')
    const gone = await broken()
    await call(box.api, 'DELETE', `/runs/${gone.run_id}`)
    const shredded = await broken({ thread: 'shredded' })
    await call(box.api, 'DELETE', '/threads/shredded')
    const source = await broken()
    const rerun = (await post(`/runs/${source.run_id}/rerun`)).body.run_id
    await join(rerun)
    const parent = await create('boss')
    await join(parent.run_id)
    const child = (await get(`/runs/${parent.run_id}/children`))[0].run_id
    await post('/threads/edited/runs', { assistant_id: 'payer', input: 'Pay.' })
    await eventually(async () => (await get('/threads/edited/runs'))[0]?.outcome !== null)
    const values = { messages: [{ role: 'user', content: 'Never mind.' }] }
    await post('/threads/edited/state', { values })
    const edit = (await get('/threads/edited/runs'))[0].run_id

    const expected: readonly (readonly [string, number, string])[] = [
      [open.run_id, 409, 'run_not_ended'],
      [gone.run_id, 404, 'unknown_run'],
      [shredded.run_id, 404, 'unknown_run'],
      ['0190a000-0000-7000-8000-000000000000', 404, 'unknown_run'],
      ['nothing', 404, 'unknown_run'],
      [rerun, 409, 'retry_refused'],
      [child, 409, 'retry_refused'],
      [edit, 409, 'retry_refused'],
    ]
    const total = async () => (await get('/runs/stats')).total
    const before = await total()
    for (const [runId, status, code] of expected)
      expect([runId, await retry(runId)]).toMatchObject([runId, { status, body: { code } }])
    const { body } = await post('/runs/retry', { run_ids: expected.map(([runId]) => runId) })
    expect(
      new Set(
        body.runs.map(
          (run: { code: string; status: number; run_id: string }) =>
            `${run.run_id} ${run.status} ${run.code}`,
        ),
      ),
    ).toEqual(new Set(expected.map(([runId, status, code]) => `${runId} ${status} ${code}`)))
    expect(body.counts).toEqual({ run_not_ended: 1, unknown_run: 4, retry_refused: 3 })
    expect(await total()).toBe(before)
    letGo(open.run_id)
  })
})

describe('a retry of many', () => {
  it('by a filter goes through all it finds, page by page, each once and in their order', async () => {
    const batch = { metadata: { batch: 'night' } }
    const runs: Made[] = []
    for (let n = 0; n < 5; n += 1)
      runs.push(await broken({ thread: `night-${n % 2}`, body: batch }))
    isUp = true
    const fine = await create('payer', { body: batch })
    expect(await join(fine.run_id)).toMatchObject({ outcome: 'completed' })
    const ids = runs.map(({ run_id }) => run_id)
    const filter = { metadata: { batch: 'night' } }

    const rehearsal = await post('/runs/retry', { filter, dry_run: true })
    expect(rehearsal.body).toMatchObject({ counts: { ready: 5 }, next: null })
    expect(rehearsal.body.runs.map((run: Made) => run.run_id)).toEqual(ids)
    expect(await get('/runs/stats?metadata={"batch":"night"}')).toMatchObject({ total: 6 })

    // What is created fails at once, and would be found again.
    isUp = false
    const seen: string[] = []
    let after: string | undefined
    do {
      const { body } = await post('/runs/retry', { filter, limit: 2, ...(after ? { after } : {}) })
      seen.push(...body.runs.map((run: Made) => run.run_id))
      for (const run of body.runs) {
        expect(run.code).toBe('created')
        await join(run.retry_run_id)
      }
      after = body.next ?? undefined
      expect(seen.length).toBeLessThan(20)
    } while (after !== undefined)
    expect(seen).toEqual(ids)
    const ofThread = (await get('/threads/night-0/runs?limit=50')).toReversed()
    const retried = ofThread.map((run: { retry_of: string | null }) => run.retry_of)
    expect(retried).toEqual([null, null, null, ids[0], ids[2], ids[4]])

    // The first ones were; only what failed since is new.
    const again = await post('/runs/retry', {
      filter: { ...filter, outcome: ['failed', 'interrupted'] },
    })
    expect(again.body.counts).toEqual({ existing: 5, created: 5 })
  })

  it('says what is wrong with a request', async () => {
    const mistakes: readonly (readonly [object, string])[] = [
      [{}, 'filter'],
      [{ filter: {} }, 'filter'],
      [{ filter: { outcom: 'failed' } }, 'outcom'],
      [{ filter: { metadata: {} } }, 'filter'],
      [{ filter: { agent: 'payer' }, run_ids: ['x'] }, 'filter'],
      [{ run_ids: [] }, 'run_ids'],
      [{ run_ids: Array.from({ length: 1001 }, (_, n) => `r${n}`) }, 'run_ids'],
      [{ filter: { agent: 'payer' }, limit: 1001 }, 'limit'],
      [{ filter: { agent: 'payer' }, after: 'x' }, 'after'],
    ]
    for (const [body, field] of mistakes) {
      const answer = await post('/runs/retry', body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, 'invalid_request'])
      expect(answer.body.detail).toContain(field)
    }
  })
})

describe('a cancel by a filter', () => {
  it('ends what it finds, and nothing else; a dry run says what that is', async () => {
    const batch = { metadata: { batch: 'stuck' } }
    const mine: Made[] = []
    for (let n = 0; n < 3; n += 1)
      mine.push(await create('holder', { thread: 'line', body: batch }))
    mine.push(await create('holder', { body: batch }))
    const other = await create('holder', { body: { metadata: { batch: 'fine' } } })
    const filter = { agent: 'holder', metadata: { batch: 'stuck' } }
    const rehearsal = await post('/runs/cancel', { filter, dry_run: true })
    expect(rehearsal).toMatchObject({ status: 200, body: { count: 4, more: false, dry_run: true } })
    expect(rehearsal.body.run_ids.toSorted()).toEqual(mine.map(({ run_id }) => run_id).toSorted())
    expect(await get(`/runs/${mine[0]?.run_id ?? ''}`)).toMatchObject({ cancel_requested: false })

    const part = await post('/runs/cancel', { filter, limit: 1, reason: 'outage' })
    expect(part.body).toMatchObject({ count: 1, more: true })
    const rest = await post('/runs/cancel', { filter, reason: 'outage' })
    expect(rest.body).toMatchObject({ count: 3, more: false })
    // A tool that does not obey is waited for, for some seconds.
    for (const { run_id } of mine) letGo(run_id)
    for (const { run_id } of mine)
      expect(await join(run_id)).toMatchObject({ outcome: 'cancelled' })
    const [asked] = await fed(box.api, `run_id=${mine[3]?.run_id ?? ''}&type=cancel.requested`)
    expect(asked).toMatchObject({ actor: 'user:op', payload: { reason: 'outage' } })
    expect((await post('/runs/cancel', { filter })).body).toMatchObject({ count: 0, run_ids: [] })
    expect(await get(`/runs/${other.run_id}`)).toMatchObject({
      cancel_requested: false,
      outcome: null,
    })
    letGo(other.run_id)
  })

  it('says what is wrong with a request', async () => {
    const mistakes: readonly (readonly [object, string])[] = [
      [{ filter: {} }, 'filter'],
      [{ filter: { agents: 'holder' } }, 'agents'],
      // Every run has these metadata.
      [{ filter: { metadata: {} } }, 'filter'],
      [{ filter: { agent: 'holder' }, dryRun: true }, 'dryRun'],
      [{ thread_id: 'line', status: 'all', reasons: 'outage' }, 'reasons'],
      [{ filter: { outcome: 'failed' } }, 'outcome'],
      [{ filter: { status: 'success' } }, 'status'],
      [{ filter: { agent: 'holder' }, thread_id: 'line' }, 'filter'],
      [{ status: 'all' }, 'thread_id'],
      [{ thread_id: 'line', status: 'all', dry_run: true }, 'dry_run'],
    ]
    for (const [body, field] of mistakes) {
      const answer = await post('/runs/cancel', body)
      expect([body, answer.status, answer.body.code]).toEqual([body, 422, 'invalid_request'])
      expect(answer.body.detail).toContain(field)
    }
  })
})
