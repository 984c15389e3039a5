/**
 * Runs of all threads over HTTP, on Postgres. Would catch: a run that is there and is not listed, one that waits without anybody
 * saying for what, pages that skip or repeat, a filter that is ignored.
 */
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, eventually, fed } from './support/http.ts'
import { note, noting } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const model = (name: string) => ({ provider: 'scripted', model: name }) as const
const calls = (name: string, args: Readonly<Record<string, string>> = {}) => ({
  calls: [{ name, args }],
})
const once =
  (name: string, args: Readonly<Record<string, string>> = {}) =>
  (_: unknown, turn: number) =>
    turn === 0 ? calls(name, args) : { text: 'Done.' }

/** Does not obey its timeout: after the grace nobody knows what it did. */
const vanish = defineTool({
  name: 'vanish',
  description: 'Does not obey its timeout.',
  effect: 'once',
  timeoutMs: 50,
  input: z.object({}),
  run: () => new Promise(() => {}),
})

let box: TestSignalbox
/** No worker: what its runs call waits. */
let idle: TestSignalbox

const config = {
  agents: {
    clerk: { model: model('clerk') },
    asker: { model: model('noting'), tools: ['note'], guardrails: { approvalTools: ['note'] } },
    holder: { model: model('holding'), tools: ['hold'] },
    narrow: { model: model('holding'), tools: ['hold'] },
    boss: { model: model('boss'), tools: ['agent:asker'] },
    loser: { model: model('vanish'), tools: ['vanish'] },
    broken: { model: model('broken') },
  },
  tools: [note, hold, vanish],
  scripts: {
    clerk: () => ({ text: 'Done.' }),
    noting: noting(1),
    holding: once('hold'),
    boss: once('agent__asker', { prompt: 'Note milk.' }),
    vanish: once('vanish'),
    broken: () => ({ ending: 'error' as const, text: 'Half a' }),
  },
  runLimits: [{ agents: ['narrow'], concurrency: 1 }],
  server: { identity: { userHeader: 'x-user' } },
}

beforeAll(async () => {
  ;[box, idle] = await Promise.all([
    startTest(config),
    startTest(config, { roles: ['api', 'orchestrator'] }),
  ])
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
  await idle?.stop()
})

interface Made {
  readonly run_id: string
  readonly thread_id: string
}

const create = async (
  agent: string,
  over: { thread?: string; body?: object; user?: string; at?: TestSignalbox } = {},
): Promise<Made> => {
  const { thread, body, user, at = box } = over
  const path = thread === undefined ? '/runs' : `/threads/${thread}/runs`
  const headers = user === undefined ? {} : { 'x-user': user }
  const asked = { assistant_id: agent, input: 'Go.', ...body }
  return (await call(at.api, 'POST', path, { body: asked, headers })).body
}
const get = async (path: string, at = box) => (await call(at.api, 'GET', path)).body
const idsOf = async (query: string, at = box): Promise<readonly string[]> =>
  (await get(`/runs?limit=1000&${query}`, at)).runs.map((run: Made) => run.run_id)
const ended = (run: Made, at = box) => get(`/runs/${run.run_id}/join`, at)

/** Waits until the run waits for that; answers for what. */
const waitsFor = (run: Made, kind: string, at = box) =>
  eventually(async () => {
    const { waits_for } = await get(`/runs/${run.run_id}`, at)
    return waits_for?.kind === kind ? waits_for : undefined
  })

const recent = (text: string): boolean => Math.abs(Date.parse(text) - Date.now()) < 60_000
const having = (batch: string, more = '') =>
  `metadata=${encodeURIComponent(JSON.stringify({ batch }))}${more}`

describe('what a run waits for', () => {
  it('is said while it waits, with what to know, and is what it is found by', async () => {
    const asking = await create('asker')
    const held = await create('holder', { thread: 'one' })
    const behind = await create('clerk', { thread: 'one' })
    const later = await create('clerk', { body: { after_seconds: 3600 } })
    const parent = await create('boss')
    const lost = await create('loser')
    const first = await create('narrow')
    await waitsFor(first, 'tool')
    const second = await create('narrow')

    const approval = await waitsFor(asking, 'approval')
    const [asked] = await get(`/approvals?run_id=${asking.run_id}`)
    expect(approval).toMatchObject({
      approval_id: asked.approval_id,
      call_id: asked.call_id,
      tool: 'note',
      since: asked.requested_at,
    })
    expect(await waitsFor(held, 'tool')).toMatchObject({ tool: 'hold', queue: 'tools', attempt: 1 })
    expect(await waitsFor(behind, 'thread')).toMatchObject({ run_id: held.run_id })
    const delay = await waitsFor(later, 'delay')
    expect(Date.parse(delay.until) - Date.parse(delay.since)).toBe(3_600_000)
    const child = await waitsFor(parent, 'child')
    expect((await get(`/runs/${parent.run_id}/children`))[0].run_id).toBe(child.run_id)
    expect(await waitsFor(second, 'lane')).toMatchObject({
      lanes: [expect.stringContaining('narrow')],
    })
    const unknown = await waitsFor(lost, 'unknown')
    expect((await get('/unknown'))[0]).toMatchObject({
      run_id: lost.run_id,
      effect_id: unknown.effect_id,
      tool: unknown.tool,
    })

    const kinds = { approval: asking, thread: behind, delay: later, child: parent, lane: second }
    for (const [kind, run] of Object.entries({ ...kinds, unknown: lost })) {
      const found = (await get(`/runs?waits_for=${kind}`)).runs
      expect(found.map((each: Made) => each.run_id)).toContain(run.run_id)
      for (const each of found) {
        expect(each.waits_for.kind).toBe(kind)
        expect(recent(each.waits_for.since)).toBe(true)
      }
    }
    const tools = await idsOf('waits_for=tool&waits_for=unknown')
    expect(tools.toSorted()).toEqual([held, lost, first].map(({ run_id }) => run_id).toSorted())
    for (const run of [held, first, second]) letGo(run.run_id)
    expect(await ended(behind)).toMatchObject({ outcome: 'completed' })
    const after = await get(`/runs/${behind.run_id}`)
    expect(after.waits_for).toBeNull()
    expect(Date.parse(after.ended_at)).toBeGreaterThanOrEqual(Date.parse(after.created_at))
  })

  it('is a worker, where none is there, and the queue says so', async () => {
    const runs = await Promise.all([
      create('holder', { at: idle }),
      create('holder', { at: idle }),
      create('asker', { at: idle }),
    ])
    const [first] = runs
    const waits = await waitsFor(first, 'worker', idle)
    expect(waits).toMatchObject({ queue: 'tools', tool: 'hold' })
    const { since } = await waitsFor(runs[1], 'worker', idle)
    const [queue, ...others] = await get('/queues', idle)
    expect(others).toEqual([])
    expect(queue).toMatchObject({ queue: 'tools', waiting: 2, running: 0, unknown: 0, delayed: 0 })
    const oldest = Math.min(Date.parse(since), Date.parse(waits.since))
    expect(Date.parse(queue.oldest_waiting_at)).toBe(oldest)
    expect(queue.oldest_waiting_ms).toBeGreaterThanOrEqual(0)
    for (const { run_id } of runs) await call(idle.api, 'POST', `/runs/${run_id}/cancel?wait=1`, {})
    expect(await get('/queues', idle)).toEqual([])
  })
})

describe('runs', () => {
  const made: Made[] = []
  let before = ''
  beforeAll(async () => {
    before = new Date().toISOString()
    for (let n = 0; n < 7; n += 1)
      made.push(
        await create(n === 6 ? 'broken' : 'clerk', {
          thread: `listed-${n % 3}`,
          body: { metadata: { n, batch: 'seven', deep: { a: 1, b: [n] } } },
          user: n % 2 === 0 ? 'ann' : 'bob',
        }),
      )
    await Promise.all(made.map((run) => ended(run)))
  })
  const newest = () => made.map(({ run_id }) => run_id).toReversed()

  it('of all threads are listed newest first, in pages that neither skip nor repeat', async () => {
    const seen: string[] = []
    let path: string | null = `/runs?limit=3&${having('seven')}`
    for (let pages = 0; path !== null; pages += 1) {
      expect(pages).toBeLessThan(4)
      const answer = await call(box.api, 'GET', path)
      seen.push(...answer.body.runs.map((run: Made) => run.run_id))
      const link = /^<([^>]+)>; rel="next"$/.exec(answer.headers.get('link') ?? '')
      expect(link === null).toBe(answer.body.next === null)
      // Newer ones do not move what is behind a position.
      await create('clerk', { body: { metadata: { batch: 'seven', late: true } } })
      path = link?.[1] ?? null
    }
    expect(seen).toEqual(newest())
  })

  it('are found by each filter, and by all of them', async () => {
    const [zero, one, , , , , six] = made
    const mine = (query: string) => idsOf(`${having('seven')}&until=${Date.now()}&${query}`)
    const late = (ids: readonly string[]) => ids.filter((id) => newest().includes(id))
    expect(late(await mine('status=success'))).toEqual(newest().slice(1))
    expect(await mine('status=error')).toEqual([six?.run_id])
    expect(await mine('status=ended&agent=broken')).toEqual([six?.run_id])
    expect(await mine('outcome=interrupted&outcome=failed')).toEqual([six?.run_id])
    expect(await mine('thread_id=listed-1')).toEqual([made[4]?.run_id, one?.run_id])
    expect(await mine('status=waiting')).toEqual([])
    const [{ payload }] = await fed(box.api, `run_id=${zero?.run_id ?? ''}&type=run.created`)
    const ofAnn = await mine(`end_user=${payload.endUser}`)
    expect(ofAnn).toEqual([6, 4, 2, 0].map((n) => made[n]?.run_id))
    expect(await idsOf(having('seven', `&until=${encodeURIComponent(before)}`))).toEqual([])
    expect(late(await idsOf(having('seven', `&since=${encodeURIComponent(before)}`)))).toEqual(
      newest(),
    )
    expect(
      late(await idsOf(having('seven', `&ended_since=${encodeURIComponent(before)}`))),
    ).toEqual(newest())
    expect(await idsOf(having('seven', `&ended_until=${encodeURIComponent(before)}`))).toEqual([])
    const deep = encodeURIComponent(JSON.stringify({ deep: { b: [3] } }))
    expect(await idsOf(`metadata=${deep}`)).toEqual([made[3]?.run_id])
  })

  it('have ended when their last decision was made', async () => {
    const { runs } = await get(`/runs?${having('seven')}&thread_id=listed-0`)
    for (const run of runs) {
      const { events } = await get(`/runs/${run.run_id}/events`)
      const last = events.findLast((event: { type: string }) => event.type === 'run.transitioned')
      expect(run).toMatchObject({ ended_at: last.at, waits_for: null })
    }
  })

  it('are counted', async () => {
    const { groups, group_by, truncated } = await get(
      `/runs/stats?group_by=agent,status&${having('seven')}&end_user=nobody`,
    )
    expect({ groups, group_by, truncated }).toEqual({
      groups: [],
      group_by: ['agent', 'status'],
      truncated: false,
    })
    const stats = await get(`/runs/stats?group_by=agent,outcome&thread_id=listed-0`)
    expect(stats.total).toBe(3)
    expect(stats.groups).toEqual(
      expect.arrayContaining([{ agent: 'clerk', outcome: 'completed', count: 2 }]),
    )
    const byStatus = await get(`/runs/stats?thread_id=listed-0`)
    expect(
      byStatus.groups.toSorted((a: { status: string }, b: { status: string }) =>
        a.status < b.status ? -1 : 1,
      ),
    ).toEqual([
      { status: 'error', count: 1 },
      { status: 'success', count: 2 },
    ])
  })

  it('that are deleted, or of a deleted thread, are not listed', async () => {
    const run = await create('clerk', { thread: 'shredded' })
    const other = await create('clerk', { thread: 'shredded-too' })
    await Promise.all([ended(run), ended(other)])
    expect(await idsOf('thread_id=shredded&thread_id=shredded-too')).toHaveLength(2)
    await call(box.api, 'DELETE', `/runs/${run.run_id}`)
    await call(box.api, 'DELETE', '/threads/shredded-too')
    expect(await idsOf('thread_id=shredded&thread_id=shredded-too')).toEqual([])
  })

  const mistakes: readonly (readonly [string, string])[] = [
    ['/runs?stauts=failed', 'stauts'],
    ['/runs?status=done', 'status'],
    ['/runs?outcome=bad', 'outcome'],
    ['/runs?waits_for=godot', 'waits_for'],
    ['/runs?metadata=[1]', 'metadata'],
    ['/runs?metadata={"__proto__":1}', 'metadata'],
    ['/runs?since=yesterday', 'since'],
    ['/runs?after=7', 'after'],
    ['/runs?limit=0', 'limit'],
    ['/runs/stats?group_by=tool', 'group_by'],
  ]
  it.each(mistakes)('%s is refused, and the field is named', async (path, field) => {
    const { status, body } = await call(box.api, 'GET', path)
    expect({ status, code: body.code }).toEqual({ status: 422, code: 'invalid_request' })
    expect(body.detail).toContain(field)
  })
})
