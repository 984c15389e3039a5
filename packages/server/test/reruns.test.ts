/**
 * Reruns over HTTP, on Postgres. Would catch: a tool that runs for a rerun, a rerun that is told as if its calls had been
 * executed, and one that ends without saying which call it had no result for.
 */
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, call, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
/** What the tool has done. */
const booked: string[] = []

const book = defineTool({
  name: 'book',
  description: 'Books a train.',
  effect: 'once',
  input: z.object({ to: z.string() }),
  run: ({ to }) => {
    booked.push(to)
    return `Ticket ${booked.length} to ${to}`
  },
})

const model = (name: string) => ({ provider: 'scripted', model: name }) as const
const books = (to: string) => (_: unknown, turn: number) =>
  turn === 0 ? { calls: [{ name: 'book', args: { to } }] } : { text: `Booked ${to}.` }

beforeAll(async () => {
  box = await startTest({
    agents: {
      clerk: { model: model('bern'), fallbackModels: [model('basel')], tools: ['book'] },
      terse: { model: model('terse'), tools: ['book'] },
      strict: {
        model: model('bern'),
        tools: ['book'],
        guardrails: { provider: { use: 'allowlist', deniedTools: ['book'] } },
      },
    },
    tools: [book],
    scripts: {
      bern: books('Bern'),
      basel: books('Basel'),
      terse: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'book', args: { to: 'Bern' } }] } : { text: 'Done.' },
    },
  })
  const body = { assistant_id: 'clerk', input: 'Book a train to Bern.' }
  const made = await call(box.api, 'POST', '/threads/trip/runs/wait', { body })
  source = made.body.run.run_id
})
afterAll(() => box?.stop())

let source = ''

const ask = (body: object = {}, headers: Readonly<Record<string, string>> = {}): Promise<Answer> =>
  call(box.api, 'POST', `/threads/trip/runs/${source}/rerun`, { body, headers })
const get = async (path: string) => (await call(box.api, 'GET', path)).body
const join = (run: string) => get(`/runs/${run}/join`)

interface Told {
  readonly type: string
  readonly content: string
}
const said = ({ messages }: { readonly messages: readonly Told[] }) =>
  messages.map(({ type, content }) => `${type} ${content}`)

describe('a rerun', () => {
  it('with another model hears the same results, and nothing executes', async () => {
    const before = await get(`/runs/${source}/events`)
    const { status, headers, body } = await ask({ assistant_id: 'terse' })
    expect(status).toBe(200)
    expect(body).toMatchObject({ rerun_of: source, metadata: { rerun_of: source } })
    expect(body.thread_id).not.toBe('trip')
    const address = `/threads/${body.thread_id}/runs/${body.run_id}`
    expect(headers.get('content-location')).toBe(address)
    const values = await join(body.run_id)
    expect(values).toMatchObject({ outcome: 'completed', run: { rerun_of: source } })
    expect(said(values)).toEqual([
      'human Book a train to Bern.',
      'ai ',
      'tool Ticket 1 to Bern',
      'ai Done.',
    ])
    expect(booked).toEqual(['Bern'])
    expect(await get(address)).toMatchObject({ rerun_of: source })
    expect(await get(`/runs/${body.run_id}/report`)).toMatchObject({
      counts: { recalled: 1, finished: 0 },
      calls: [{ tool: 'book', status: 'recalled', attempts: 0 }],
    })
    expect(await get(`/runs/${source}/events`)).toEqual(before)
    expect(await get(`/runs/${source}`)).toMatchObject({ rerun_of: null })
  })

  it('is no execution to an auditor, who finds what it recalled by its verdict', async () => {
    const { run_id } = (await ask()).body
    await join(run_id)
    const recalled = await fed(box.api, `run_id=${run_id}&verdict=recalled`)
    const ran = await get(`/events/queries/executed_calls?since=0&until=9000000000000`)
    expect(ran.rows.map((row: { run_id: string }) => row.run_id)).toEqual([source])
    expect(recalled).toMatchObject([{ type: 'tool.completed', tool: 'book' }])
    expect(await get('/metrics')).toMatch(
      /signalbox_effects_total\{kind="tool.call",status="completed"\} 1\n/,
    )
  })

  it('that asks for something else stops, and names the call', async () => {
    const { run_id } = (await ask({ context: { model: 'basel' } })).body
    const values = await join(run_id)
    expect(values).toMatchObject({
      outcome: 'failed',
      __error__: { error: 'call_not_recorded' },
    })
    expect(values.__error__.message).toMatch(/a call of book \(c_\w+\) that was never recorded/)
    expect(said(values).at(-1)).toBe(`ai ${values.__error__.message}`)
    const [stop] = await fed(box.api, `run_id=${run_id}&type=rerun.stopped`)
    expect(stop.payload).toMatchObject({ code: 'call_not_recorded', reason: 'never_made' })
    expect(booked).toEqual(['Bern'])
    expect((await get(`/runs/${run_id}/report`)).counts).toMatchObject({ never_started: 1 })
  })

  it('with another guardrail shows what that would have denied', async () => {
    const { run_id } = (await ask({ assistant_id: 'strict' })).body
    expect(said(await join(run_id))[2]).toMatch(/^tool Error: this call was not executed/)
    expect(booked).toEqual(['Bern'])
  })

  it('goes on from what the other run had heard, and no further', async () => {
    const tell = async (input: string) =>
      call(box.api, 'POST', '/threads/talk/runs/wait', { body: { assistant_id: 'terse', input } })
    const heard = []
    for (const input of ['One.', 'Two.', 'Three.']) heard.push((await tell(input)).body)
    const [, two] = heard
    const { run_id, thread_id } = (
      await call(box.api, 'POST', `/runs/${two.run.run_id}/rerun`, { body: {} })
    ).body
    expect(said(await join(run_id))).toEqual(said(two))
    expect(said(two)).toContain('human One.')
    const [last] = await get(`/threads/${thread_id}/history?limit=1`)
    expect(last.metadata.step).toBe(
      (await get(`/threads/talk/history`)).find(
        ({ metadata }: { metadata: { run_id: string } }) => metadata.run_id === two.run.run_id,
      ).metadata.step,
    )
    // Those runs were no reruns: what they booked is not what the other tests look at.
    booked.length = 1
  })

  it('is the same one when its request is repeated with its key', async () => {
    const key = { 'idempotency-key': 'what-if-1' }
    const first = await ask({ assistant_id: 'terse' }, key)
    const again = await ask({ assistant_id: 'terse' }, key)
    expect(again.body.run_id).toBe(first.body.run_id)
    expect(await ask({ assistant_id: 'clerk' }, key)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    })
  })

  it('says why there is none', async () => {
    expect(await ask({ context: { model: 'zurich' } })).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'context.model' },
    })
    expect(await ask({ context: { guardrails: {} } })).toMatchObject({
      status: 422,
      body: { field: 'context.guardrails' },
    })
    const later = { assistant_id: 'clerk', input: 'Later.', after_seconds: 3600 }
    const waits = (await call(box.api, 'POST', '/runs', { body: later })).body.run_id
    expect(await call(box.api, 'POST', `/runs/${waits}/rerun`, { body: {} })).toMatchObject({
      status: 409,
      body: { code: 'run_not_ended', run_id: waits },
    })
    const body = { values: { messages: [{ role: 'user', content: 'x' }] } }
    await call(box.api, 'POST', '/threads/trip/state', { body })
    const [edit] = await get('/threads/trip/runs')
    expect(await call(box.api, 'POST', `/runs/${edit.run_id}/rerun`, { body: {} })).toMatchObject({
      status: 409,
      body: { code: 'rerun_refused' },
    })
    await call(box.api, 'DELETE', `/runs/${source}`)
    expect(await ask()).toMatchObject({ status: 404, body: { code: 'unknown_run' } })
  })
})
