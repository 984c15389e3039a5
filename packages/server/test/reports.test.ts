/**
 * What became of the calls of a run, and of a run whose client goes. Would catch: a call that is told as done and never ran, a
 * run that goes on although nobody wants it, one that ends because somebody who only looked went away.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, eventually } from './support/http.ts'
import { note } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Asks until it is so. */
const until = (check: () => Promise<boolean>) =>
  eventually(async () => ((await check()) ? true : undefined))

let box: TestSignalbox

const note1 = { name: 'note', args: { text: 'milk' } }

const model = (name: string) => ({ provider: 'scripted', model: name }) as const

beforeAll(async () => {
  const guardrails = { provider: { use: 'allowlist' as const, deniedTools: ['hold'] } }
  box = await startTest({
    agents: {
      worker: { model: model('work'), tools: ['note', 'hold'] },
      guarded: { model: model('work'), tools: ['note', 'hold'], guardrails },
      asker: {
        model: model('work'),
        tools: ['note', 'hold'],
        guardrails: { approvalTools: ['note'] },
      },
    },
    tools: [note, hold],
    scripts: {
      work: (_, turn) =>
        turn === 0 ? { calls: [note1, { name: 'hold', args: {} }] } : { text: 'Done.' },
    },
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const create = async (assistant_id: string): Promise<string> => {
  const body = { assistant_id, input: 'Go.' }
  return (await call(box.api, 'POST', '/runs', { body })).body.run_id
}
const report = async (run: string) => (await call(box.api, 'GET', `/runs/${run}/report`)).body
const statuses = async (run: string): Promise<Record<string, string>> =>
  Object.fromEntries(
    (await report(run)).calls.map((each: { tool: string; status: string }) => [
      each.tool,
      each.status,
    ]),
  )

it('tells finished calls from those that were told to stop', async () => {
  const run = await create('worker')
  await until(async () => (await statuses(run))['note'] === 'finished')
  // The other may not have been claimed yet: a cancel would find nothing to stop.
  await until(async () => (await report(run)).calls[1].attempts === 1)
  expect(await statuses(run)).toEqual({ note: 'finished', hold: 'open' })
  await call(box.api, 'POST', `/runs/${run}/cancel?reason=enough`)
  letGo(run)
  await until(async () => (await report(run)).outcome === 'cancelled')
  const told = await report(run)
  expect(told.cancel).toMatchObject({ action: 'interrupt', reason: 'enough', actor: 'api' })
  expect(told.calls).toMatchObject([
    { tool: 'note', status: 'finished', attempts: 1 },
    { tool: 'hold', attempts: 1 },
  ])
  // It came back, or it was aborted: nobody can know which of the two was sooner.
  expect(['finished', 'aborted']).toContain(told.calls[1].status)
})

it('tells calls that were denied, and those that waited for a human who never came', async () => {
  const denied = await create('guarded')
  await until(async () => (await report(denied)).outcome === 'completed')
  expect(await statuses(denied)).toEqual({ note: 'finished', hold: 'denied' })
  const asked = await create('asker')
  await until(async () => (await statuses(asked))['hold'] === 'open')
  await until(async () => (await call(box.api, 'GET', `/runs/${asked}`)).body.state === 'approval')
  await call(box.api, 'POST', `/runs/${asked}/cancel`)
  letGo(asked)
  await until(async () => (await report(asked)).outcome === 'cancelled')
  const { calls, counts } = await report(asked)
  const noted = calls.find((each: { tool: string }) => each.tool === 'note')
  expect(noted).toMatchObject({ status: 'never_started', attempts: 0 })
  expect(counts.never_started).toBeGreaterThan(0)
})

const follow = async (path: string, init: RequestInit = {}) => {
  const leaving = new AbortController()
  const answer = await fetch(box.api + path, { ...init, signal: leaving.signal })
  await answer.body?.getReader().read()
  return () => leaving.abort()
}

const streamed = (on_disconnect: string) => ({
  method: 'POST',
  headers: { 'content-type': 'application/json', 'idempotency-key': `left-${on_disconnect}` },
  body: JSON.stringify({ assistant_id: 'worker', input: 'Go.', on_disconnect }),
})

const asked = async (run: string) => (await report(run)).cancel?.reason

it('a run whose client said so ends with its connection, and no other run does', async () => {
  const leaveBoth = [
    await follow('/runs/stream', streamed('cancel')),
    await follow('/runs/stream', streamed('continue')),
  ]
  const looked = await create('worker')
  const joined = await create('worker')
  await until(async () => (await statuses(joined))['note'] === 'finished')
  leaveBoth.push(
    await follow(`/runs/${looked}/stream?cancel_on_disconnect=1`),
    await follow(`/runs/${joined}/stream`),
  )
  for (const leave of leaveBoth) leave()
  await until(async () => (await asked('left-cancel')) === 'disconnected')
  await until(async () => (await asked(looked)) === 'disconnected')
  expect(await asked('left-continue')).toBeUndefined()
  expect(await asked(joined)).toBeUndefined()
  const refused = await call(box.api, 'GET', `/runs/${joined}/join?cancel_on_disconnect=1`)
  expect(refused).toMatchObject({ status: 422, body: { code: 'not_available' } })
})
