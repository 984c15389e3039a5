/**
 * Pauses over HTTP, on Postgres. Would catch: something that starts while it is paused, or never again afterwards; a run that
 * waits for a pause and does not say so; a pause that stops what it does not mean; one that nobody is told of.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, eventually } from './support/http.ts'
import { note, noting } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const model = (name: string) => ({ provider: 'scripted', model: name }) as const
let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: {
      writer: { model: model('writer') },
      namer: { model: model('slow'), title: {} },
      holder: { model: model('holding'), tools: ['hold'] },
      noter: { model: model('noting'), tools: ['note'] },
      asker: { model: model('noting'), tools: ['note'], guardrails: { approvalTools: ['note'] } },
      boss: { model: model('boss'), tools: ['agent:writer'] },
    },
    tools: [hold, note],
    scripts: {
      writer: () => ({ text: 'Written.' }),
      slow: (prompt) =>
        JSON.stringify(prompt).includes('Name the conversation')
          ? { text: 'A name' }
          : { text: 'Written.', delayMs: 1_000 },
      holding: (_: unknown, turn: number) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Held.' },
      noting: noting(1),
      boss: (_: unknown, turn: number) =>
        turn === 0
          ? { calls: [{ name: 'agent__writer', args: { prompt: 'Write.' } }] }
          : { text: 'Done.' },
    },
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

afterEach(async () => {
  for (const { pause_id } of (await send('GET', '/pauses')).body) await lift(pause_id)
})

const send = (method: string, path: string, body?: unknown) =>
  call(box.api, method, path, body === undefined ? {} : { body })
const pause = async (target: object, more: object = {}) =>
  send('POST', '/pauses', { target, reason: 'The provider is down.', ...more })
const lift = async (pauseId: string) => send('DELETE', `/pauses/${pauseId}`)
const begin = async (assistant_id: string): Promise<string> => {
  const { body } = await send('POST', '/runs', { assistant_id, input: 'Go.' })
  return String(body.run_id)
}
const runOf = async (runId: string) => (await send('GET', `/runs/${runId}`)).body
const typesOf = async (runId: string): Promise<readonly string[]> => {
  const { body } = await send('GET', `/runs/${runId}/events?limit=1000`)
  return body.events.map(({ type }: { readonly type: string }) => type)
}
/** What the run waits for, once it waits for this. */
const waits = async (runId: string, kind: string) =>
  eventually(async () => {
    const { waits_for } = await runOf(runId)
    return waits_for?.kind === kind ? waits_for : undefined
  })
const ended = async (runId: string) =>
  eventually(async () => {
    const run = await runOf(runId)
    return run.outcome === null ? undefined : run
  })

describe('a paused agent', () => {
  it('begins no run until it is resumed, and each says what it waits for', async () => {
    const set = await pause({ agent: 'writer' })
    expect(set).toMatchObject({
      status: 201,
      body: { target: { agent: 'writer' }, reason: 'The provider is down.', until: null },
    })
    const runId = await begin('writer')
    expect(await waits(runId, 'paused')).toMatchObject({
      target: { agent: 'writer' },
      reason: 'The provider is down.',
      pause_id: set.body.pause_id,
      since: expect.any(String),
    })
    expect(await ended(await begin('noter'))).toMatchObject({ outcome: 'completed' })
    expect(await runOf(runId)).toMatchObject({ status: 'pending', state: 'queued' })
    const { body: listed } = await send('GET', '/runs?waits_for=paused')
    expect(listed.runs.map(({ run_id }: { run_id: string }) => run_id)).toEqual([runId])
    expect((await lift(set.body.pause_id)).status).toBe(204)
    expect(await ended(runId)).toMatchObject({ outcome: 'completed', waits_for: null })
  })

  it('asks no model once more; what runs ends, and is recorded', async () => {
    const runId = await begin('holder')
    await waits(runId, 'tool')
    const { body } = await pause({ agent: 'holder' })
    letGo(runId)
    expect(await waits(runId, 'paused')).toMatchObject({ target: { agent: 'holder' } })
    const types = await typesOf(runId)
    expect(types.filter((type) => type === 'tool.completed')).toHaveLength(1)
    expect(types.filter((type) => type === 'model.completed')).toHaveLength(1)
    await lift(body.pause_id)
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
  })

  it('asks for no title of a run that has ended, until it is resumed', async () => {
    const runId = await begin('namer')
    await eventually(async () => (await typesOf(runId)).includes('effect.started') || undefined)
    const { body } = await pause({ agent: 'namer' })
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
    await box.settled()
    await new Promise((resolve) => setTimeout(resolve, 500))
    const titles = async () =>
      (await typesOf(runId)).filter(
        (type) => type === 'thread.titled' || type === 'title.unchanged',
      )
    expect(await titles()).toHaveLength(1)
    await lift(body.pause_id)
    await eventually(async () => (await titles()).length === 2 || undefined)
  })

  it('is cancelled, and its calls are approved, as ever', async () => {
    const [asked, cancelled] = [await begin('asker'), await begin('asker')]
    const { approval_id } = await waits(asked, 'approval')
    await waits(cancelled, 'approval')
    const { body } = await pause({ agent: 'asker' })
    expect((await send('POST', `/runs/${cancelled}/cancel`)).status).toBe(202)
    expect(await ended(cancelled)).toMatchObject({ outcome: 'cancelled' })
    const answer = await send('POST', `/approvals/${approval_id}`, { decision: 'approve' })
    expect(answer.status).toBe(200)
    await waits(asked, 'paused')
    const queued = await begin('asker')
    expect((await send('POST', `/runs/${queued}/cancel`)).status).toBe(202)
    expect(await ended(queued)).toMatchObject({ outcome: 'cancelled' })
    expect((await typesOf(asked)).filter((type) => type === 'effect.started')).toHaveLength(1)
    await lift(body.pause_id)
    expect(await ended(asked)).toMatchObject({ outcome: 'completed' })
  })

  it('keeps who has started its run waiting, for that run', async () => {
    const { body } = await pause({ agent: 'writer' })
    const runId = await begin('boss')
    // Begun, it may not have made its run yet.
    const child = await eventually(async () => (await waits(runId, 'child')).run_id)
    expect(await waits(child, 'paused')).toMatchObject({ target: { agent: 'writer' } })
    await lift(body.pause_id)
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
  })
})

describe('a paused tool or queue', () => {
  it.each([{ tool: 'note' }, { queue: 'tools' }])('%j keeps its calls', async (target) => {
    const { body } = await pause(target)
    const runId = await begin('noter')
    expect(await waits(runId, 'paused')).toMatchObject({ target, tool: 'note', queue: 'tools' })
    const { body: queues } = await send('GET', '/queues')
    expect(queues).toMatchObject([{ queue: 'tools', waiting: 0, paused: 1, delayed: 0 }])
    const { body: writing } = await send('POST', '/runs', { assistant_id: 'writer', input: 'Go.' })
    expect(await ended(writing.run_id)).toMatchObject({ outcome: 'completed' })
    await lift(body.pause_id)
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
    expect((await typesOf(runId)).filter((type) => type === 'tool.completed')).toHaveLength(1)
  })

  it('is paused by the name of a call that starts a run, too', async () => {
    const { body } = await pause({ tool: 'agent__writer' })
    const runId = await begin('boss')
    expect(await waits(runId, 'paused')).toMatchObject({ target: { tool: 'agent__writer' } })
    await lift(body.pause_id)
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
  })

  it('goes on by itself when its time has passed', async () => {
    const until = new Date(Date.now() + 2_000).toISOString()
    await pause({ tool: 'note' }, { until })
    const runId = await begin('noter')
    expect(await waits(runId, 'paused')).toMatchObject({ until })
    expect(await ended(runId)).toMatchObject({ outcome: 'completed' })
    expect(Date.now()).toBeGreaterThan(Date.parse(until))
    expect((await send('GET', '/pauses')).body).toEqual([])
  })
})

describe('pauses', () => {
  it('are one where they are set twice, and say what was said last', async () => {
    const first = await pause({ tool: 'note' })
    expect(await pause({ tool: 'note' })).toMatchObject({ status: 200, body: first.body })
    const until = new Date(Date.now() + 3_600_000).toISOString()
    const longer = await pause({ tool: 'note' }, { until, reason: 'Still down.' })
    const { pause_id } = first.body
    expect(longer).toMatchObject({ status: 200, body: { pause_id, until, reason: 'Still down.' } })
    expect((await send('GET', '/pauses')).body).toEqual([longer.body])
    expect((await lift(pause_id)).status).toBe(204)
    expect(await lift(pause_id)).toMatchObject({ status: 404, body: { code: 'unknown_pause' } })
    await box.settled()
    const { body } = await send('GET', '/events?type=pause.set&type=pause.lifted')
    const told = body.events
      .filter(({ payload }: { payload: { pause: string } }) => payload.pause === pause_id)
      .map(({ type, payload }: { type: string; payload: object }) => ({ type, ...payload }))
    expect(told).toMatchObject([
      { type: 'pause.set', target: { tool: 'note' }, reason: 'The provider is down.' },
      { type: 'pause.set', reason: 'Still down.', until: Date.parse(until) },
      { type: 'pause.lifted', reason: 'Still down.' },
    ])
  })

  it.each([
    [
      'an unknown agent',
      { target: { agent: 'writr' } },
      404,
      'unknown_target',
      'target.agent',
      /"writer"/,
    ],
    [
      'an unknown tool',
      { target: { tool: 'notes' } },
      404,
      'unknown_target',
      'target.tool',
      /"note"/,
    ],
    [
      'an unknown queue',
      { target: { queue: 'x' } },
      404,
      'unknown_target',
      'target.queue',
      /tools/,
    ],
    [
      'two targets',
      { target: { agent: 'writer', tool: 'note' } },
      422,
      'invalid_request',
      'target',
      /one of/,
    ],
    ['no target', { target: {} }, 422, 'invalid_request', 'target', /one of/],
    ['a name that is none', { target: { agent: 7 } }, 422, 'invalid_request', 'target.agent', /./],
    ['no reason', { reason: ' ' }, 422, 'invalid_request', 'reason', /./],
    ['a long reason', { reason: 'x'.repeat(1001) }, 422, 'invalid_request', 'reason', /1000/],
    ['a reason with NUL', { reason: 'a\u0000b' }, 400, 'forbidden_text', undefined, /./],
    [
      'an end that is over',
      { until: '2020-01-01T00:00:00Z' },
      422,
      'invalid_request',
      'until',
      /to come/,
    ],
    [
      'an end under another name',
      { untill: '2999-01-01T00:00:00Z' },
      422,
      'invalid_request',
      undefined,
      /untill/,
    ],
    ['an end that is no time', { until: 'tomorrow' }, 422, 'invalid_request', 'until', /./],
    ['an end that is a number', { until: 7 }, 422, 'invalid_request', 'until', /./],
  ])('refuse %s', async (_what, over, status, code, field, detail) => {
    const wanted = { target: { agent: 'writer' }, reason: 'Down.', ...over }
    const answer = await send('POST', '/pauses', wanted)
    expect(answer).toMatchObject({ status, body: { code, ...(field && { field }) } })
    expect(answer.body.detail).toMatch(detail)
    expect((await send('GET', '/pauses')).body).toEqual([])
  })

  it('that are none are not lifted', async () => {
    for (const id of ['nothing', '00000000-0000-7000-8000-000000000000'])
      expect(await lift(id)).toMatchObject({ status: 404, body: { code: 'unknown_pause' } })
  })
})
