/**
 * Limits that runs share, on a real server. Would catch: one run too many at work, a user who holds up others, a run that is
 * never let in, urgency that counts for nothing, a rate that forgets.
 */
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Asks until it is so. */
const until = (check: () => Promise<boolean>) =>
  eventually(async () => ((await check()) ? true : undefined))

let box: TestSignalbox

beforeAll(async () => {
  const model = { provider: 'scripted', model: 'holding' } as const
  const holder = { model, tools: ['hold'] }
  box = await startTest({
    agents: { holder, other: holder, seldom: holder },
    tools: [hold],
    scripts: {
      holding: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
    },
    server: { identity: { userHeader: 'x-user' } },
    runLimits: [
      { per: ['agent', 'user'], agents: ['holder', 'other'], concurrency: 1 },
      { per: ['agent'], agents: ['holder'], concurrency: 2 },
      { per: ['user'], agents: ['seldom'], rate: { runs: 1, perSeconds: 3600 } },
    ],
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const create = async (user: string, agent = 'holder', over: object = {}): Promise<string> => {
  const body = { assistant_id: agent, input: 'Hold.', ...over }
  const answer = await call(box.api, 'POST', '/runs', { body, headers: { 'x-user': user } })
  expect(answer.status).toBe(200)
  return answer.body.run_id
}

const state = async (runId: string): Promise<string> =>
  (await call(box.api, 'GET', `/runs/${runId}`)).body.state
const reaches = (runId: string, wanted: string) =>
  until(async () => (await state(runId)) === wanted)

it('a user has one run at work per agent, an agent two, and nobody holds up who is free', async () => {
  const [ann1, ann2] = [await create('ann'), await create('ann')]
  const bob1 = await create('bob')
  const [eve1, ann3] = [await create('eve'), await create('ann', 'other')]
  await reaches(ann1, 'tools')
  await reaches(bob1, 'tools')
  // Another agent is another limit.
  await reaches(ann3, 'tools')
  expect([await state(ann2), await state(eve1)]).toEqual(['queued', 'queued'])
  // ann2 waits longer, but for ann1: the room that bob gives is eve's.
  letGo(bob1)
  await reaches(eve1, 'tools')
  expect(await state(ann2)).toBe('queued')
  letGo(ann1)
  await reaches(ann2, 'tools')
  for (const run of [ann2, eve1, ann3]) letGo(run)
  for (const run of [ann1, ann2, ann3, bob1, eve1]) await reaches(run, 'completed')
})

it('of those that wait, the most urgent goes first; one that is cancelled waits for nobody', async () => {
  const first = await create('kim')
  await reaches(first, 'tools')
  const [calm, gone, urgent] = [
    await create('kim'),
    await create('kim', 'holder', { priority: 9 }),
    await create('kim', 'holder', { priority: 5 }),
  ]
  expect((await call(box.api, 'POST', `/runs/${gone}/cancel?wait=1`)).status).toBe(204)
  letGo(first)
  await reaches(urgent, 'tools')
  expect(await state(calm)).toBe('queued')
  letGo(urgent)
  await reaches(calm, 'tools')
  letGo(calm)
  await reaches(calm, 'completed')
})

it('a rate lets one start in an hour, per user', async () => {
  const [sue1, sue2, tom1] = [
    await create('sue', 'seldom'),
    await create('sue', 'seldom'),
    await create('tom', 'seldom'),
  ]
  await reaches(tom1, 'tools')
  for (const run of [sue1, tom1]) letGo(run)
  await reaches(sue1, 'completed')
  expect(await state(sue2)).toBe('queued')
  await call(box.api, 'POST', `/runs/${sue2}/cancel`)
})
