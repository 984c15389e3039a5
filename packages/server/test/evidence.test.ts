/**
 * Lookups of an auditor: the definition behind a hash, what was used by whom, the pseudonym of a user. Would catch: a
 * definition of another tenant, money that is not what the budget counted, a user whose id stands in the log, an approval that
 * was given by whoever had asked for the run.
 */
import type { ConfigInput } from '@signalbox/server'
import { costOf } from '@signalbox/core'
import { canonical } from '@signalbox/engine'
import { defineTool } from '@signalbox/tools'
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call, eventually, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const price = { inputPerMTok: 3, outputPerMTok: 15, cachedInputPerMTok: 0.3 }
const model = { provider: 'scripted' as const, model: 'pay', price }
const leaked = 'sk-0123456789abcdefghij'
const config: ConfigInput = {
  server: { identity: { userHeader: 'x-user', endUserHeader: 'x-end-user' } },
  agents: {
    payer: {
      model,
      instructions: `Pay what you are told. ${leaked}`,
      tools: ['pay'],
      guardrails: { approvalTools: ['pay'] },
    },
    talker: { model: { ...model, model: 'talk' } },
  },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'idempotent',
      input: z.object({ sum: z.number() }),
      run: () => 'paid',
    }),
  ],
  scripts: {
    pay: (_, turn) =>
      turn === 0 ? { calls: [{ name: 'pay', args: { sum: 5 } }] } : { text: 'It is paid.' },
    talk: () => ({ text: 'Good day to you.' }),
  },
}

let box: TestSignalbox
const runs: string[] = []
const get = (path: string) => call(box.api, 'GET', path)

async function run(agent: string, as: Readonly<Record<string, string>>): Promise<string> {
  const body = { assistant_id: agent, input: 'Please.' }
  const { body: values } = await call(box.api, 'POST', '/runs/wait', { body, headers: as })
  runs.push(values.run.run_id)
  return values.run.run_id
}

async function approve(runId: string, user: string): Promise<void> {
  const { body } = await get(`/approvals?run_id=${runId}`)
  await call(box.api, 'POST', `/approvals/${body[0].approval_id}`, {
    body: { decision: 'approve' },
    headers: { 'x-user': user },
  })
  await get(`/runs/${runId}/join`)
}

const eventsOf = async (runId: string) =>
  (await get(`/runs/${runId}/events?limit=1000`)).body.events

beforeAll(async () => {
  box = await startTest(config)
  const mine = await run('payer', { 'x-user': 'ann', 'x-end-user': 'cara' })
  await approve(mine, 'ann')
  const theirs = await run('payer', { 'x-user': 'ann', 'x-end-user': 'cara' })
  await approve(theirs, 'zoe')
  await run('talker', { 'x-user': 'bob', 'x-end-user': 'dan' })
  await box.settled()
})
afterAll(() => box?.stop())

const answers = async (query: string) => (await get(`/events/queries/${query}`)).body.rows

describe('a definition', () => {
  it('is shown by its hash: prompt, tools, policies; never what looks like a secret', async () => {
    const rows = await answers('definitions')
    expect(rows.map(({ agent }: { agent: string }) => agent).toSorted()).toEqual([
      'payer',
      'talker',
    ])
    const namesOf = async (query: string) =>
      (await answers(query)).map(({ agent }: { agent: string }) => agent)
    expect(await namesOf('definitions?agent=payer')).toEqual(['payer'])
    expect(await namesOf('definitions?agent=payer&agent=talker&limit=1')).toHaveLength(1)
    expect(await namesOf('definitions?agent=nobody')).toEqual([])
    expect(await namesOf('log_access?agent=payer')).toEqual([])
    const talker = rows.find(({ agent }: { agent: string }) => agent === 'talker')
    const [created] = await eventsOf(runs[2] ?? '')
    expect(talker.hash).toBe(created.payload.definitionHash)
    const { status, body } = await get(`/definitions/${talker.hash}`)
    expect(status).toBe(200)
    expect(body).toMatchObject({ hash: talker.hash, agent: 'talker', redacted: false })
    expect(body.definition).toMatchObject({ name: 'talker', model: { model: 'talk', price } })
    expect(createHash('sha256').update(canonical(body.definition)).digest('hex')).toBe(talker.hash)
    const apartMs = Math.abs(Date.parse(body.first_used_at) - Date.parse(created.at))
    expect(apartMs).toBeLessThan(60_000)

    const payer = rows.find(({ agent }: { agent: string }) => agent === 'payer')
    const shown = (await get(`/definitions/${payer.hash}`)).body
    expect(shown.definition.guardrails).toMatchObject({ approvalTools: ['pay'] })
    expect(shown.definition.instructions).toContain('Pay what you are told.')
    expect([shown.redacted, JSON.stringify(shown).includes(leaked)]).toEqual([true, false])
  })

  it.each(['0'.repeat(64), 'x', '%27', '-', '%00'])(
    'that nobody used is not found: %s',
    async (hash) => {
      const { status, body } = await get(`/definitions/${hash}`)
      expect([status, body.code]).toEqual([404, 'unknown_definition'])
    },
  )
})

const used = async (query: string) => (await get(`/usage?${query}`)).body
const expected = async (ids: readonly string[]) => {
  const sum = { turns: 0, calls: 0, input_tokens: 0, output_tokens: 0, cost: 0 }
  for (const event of (await Promise.all(ids.map(eventsOf))).flat()) {
    if (event.type === 'effect.started' && event.tool !== null) sum.calls += 1
    if (event.type !== 'model.completed') continue
    const { usage } = event.payload.turn
    sum.turns += 1
    sum.input_tokens += usage.inputTokens
    sum.output_tokens += usage.outputTokens
    sum.cost += costOf({ ...model, idleTimeoutMs: 1, endMarker: 'required' }, usage)
  }
  expect(sum.cost).toBeGreaterThan(0)
  return { ...sum, runs: ids.length, cost: sum.cost / 1_000_000 }
}

describe('usage', () => {
  it('is what the answers and calls of the runs add up to, by agent, user and month', async () => {
    const payers = runs.slice(0, 2)
    const talkers = runs.slice(2)
    const byAgent = await used('by=agent')
    expect(byAgent).toMatchObject({ by: ['agent'], truncated: false })
    const of = (agent: string) =>
      byAgent.groups.find((group: { agent: string }) => group.agent === agent)
    expect(of('payer')).toMatchObject(await expected(payers))
    expect(of('talker')).toMatchObject(await expected(talkers))
    expect(byAgent.groups).toHaveLength(2)
    const month = new Date().toISOString().slice(0, 7)
    const [first] = (await used('by=user,month&agent=payer')).groups
    expect(first).toMatchObject({ user: 'ann', month, runs: 2, calls: 2, turns: 4 })
    const people = (await used('by=end_user')).groups
    expect(people.map((group: { runs: number }) => group.runs).toSorted()).toEqual([1, 2])
    for (const { end_user } of people) expect(end_user).toMatch(/^u_/)
  })

  it('is that of the time that is asked for', async () => {
    expect((await used('until=2020-01-01')).groups).toEqual([])
    expect((await used(`since=${Date.now() + 3_600_000}`)).groups).toEqual([])
    expect((await used('agent=nobody')).groups).toEqual([])
    expect((await used('by=user,day&limit=1')).truncated).toBe(true)
    expect((await used('group_by=user')).detail).toContain('group_by')
  })
})

const counted = async (by: string) =>
  (await get(`/events/stats?of=runs&group_by=${by}`)).body.groups.map(
    (group: Readonly<Record<string, unknown>>) => [group[by], group['count']],
  )

describe('counts of runs', () => {
  it('know nothing of the run that the ledger stands in', async () => {
    expect(await counted('agent')).toEqual([
      ['payer', 2],
      ['talker', 1],
    ])
    expect(await counted('outcome')).toEqual([['completed', 3]])
    const types = await counted('type')
    expect(types.filter(([type]: [string]) => type === 'definition.used')).toEqual([])
  })

  it('are not counts of events, which the ledger has too, of no agent', async () => {
    const { body } = await get('/events/stats?group_by=agent&type=definition.used')
    expect(body.groups).toEqual([{ agent: null, count: 2 }])
  })
})

describe('a pseudonym', () => {
  it('is found from the id of a user, which the log never has, and asking is recorded', async () => {
    const answer = await call(box.api, 'POST', '/pseudonyms', { body: { user_id: ' cara ' } })
    expect(answer.status).toBe(200)
    const { pseudonym } = answer.body
    const [created] = await eventsOf(runs[0] ?? '')
    expect(pseudonym).toBe(created.payload.endUser)
    const [asked] = await fed(box.api, 'type=user.pseudonymized')
    expect(asked.payload).toEqual({ pseudonym })
    const log = await fetch(`${box.api}/events?format=ndjson`)
    expect(await log.text()).not.toContain('cara')
  })

  const wrong: readonly unknown[] = [
    {},
    { user_id: '' },
    { user_id: '  ' },
    { user_id: 'a,b' },
    { user_id: 'a\nb' },
    { user_id: 'x'.repeat(191) },
    { user_id: 7 },
    { user: 'cara' },
  ]
  it.each(wrong)('is of one user: %j names user_id', async (body) => {
    const answer = await call(box.api, 'POST', '/pseudonyms', { body })
    expect(answer.status).toBe(422)
    expect(`${answer.body.field} ${answer.body.detail}`).toMatch(/user/)
  })

  it('is not to be had where no end users are known', async () => {
    const { server: _, ...rest } = config
    const bare = await startTest(rest)
    const answer = await call(bare.api, 'POST', '/pseudonyms', { body: { user_id: 'cara' } })
    expect([answer.status, answer.body.code]).toEqual([422, 'not_available'])
    await bare.stop()
  })
})

describe('approvals', () => {
  it('say who had asked, who approved, and whether these were two', async () => {
    const rows = await eventually(async () => {
      const found = await answers('approvals')
      return found.length === 2 && found
    })
    expect(rows).toMatchObject([
      { run_id: runs[0], requester: 'user:ann', approver: 'user:ann', four_eyes: false },
      { run_id: runs[1], requester: 'user:ann', approver: 'user:zoe', four_eyes: true },
    ])
    expect(rows[0]).toMatchObject({ tool: 'pay', arguments: { sum: 5 } })
  })

  it('are there for every call that needed one', async () => {
    expect(await answers('unapproved_calls')).toEqual([])
  })
})
