/** The audit feed: filters, paging, and that nothing is skipped while a slow writer is under way (I17). */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { expect, it } from 'vitest'
import type { AuditFilter } from '../src/read/audit-filter.ts'
import type { AuditEvent } from '../src/read/audit.ts'
import { createReader } from '../src/read/reader.ts'
import { about, admission, event, fact, newRun, type RunIds, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()

async function withReader<T>(body: (reader: ReturnType<typeof createReader>) => Promise<T>) {
  const reader = createReader({ appUrl: bench.database.appUrl })
  return body(reader).finally(() => void reader.close())
}

/** Follows the feed to its end, in small pages. */
const follow = (tenant: string, after?: string, filter: AuditFilter = {}) =>
  withReader(async (reader) => {
    const all: AuditEvent[] = []
    let position = after
    for (;;) {
      const page = await reader.events(tenant, {
        ...filter,
        limit: 3,
        ...(position === undefined ? {} : { after: position }),
      })
      all.push(...page)
      if (page.length < 3) return all
      position = page.at(-1)?.position
    }
  })

/**
 * Follows the feed until it has brought `count` events. Writers in other databases of the cluster hold it back as well,
 * and the test files that run at the same time are such writers.
 */
async function followUntil(tenant: string, count: number, after?: string) {
  for (;;) {
    const all = await follow(tenant, after)
    if (all.length >= count) return all
    await setTimeout(20)
  }
}

async function runOf(tenantId: string): Promise<RunIds> {
  const run = newRun({ tenantId })
  await bench.register.append(admission(run))
  return run
}

it('pages through every event once, in an order that stays', async () => {
  const tenant = uuid7()
  const runs = [await runOf(tenant), await runOf(tenant), await runOf(tenant)]
  const all = await followUntil(tenant, 9)
  expect(all.map((one) => [one.runId, one.seq])).toEqual(
    runs.flatMap((run) => [1, 2, 3].map((seq) => [run.runId, seq])),
  )
  const positions = all.map((one) => one.position)
  expect(positions).toEqual(positions.toSorted())
  expect(new Set(positions).size).toBe(9)
  expect(positions[0]).toMatch(/^\d{20}-\d{20}$/)
})

it('filters by each column, and by time', async () => {
  const tenant = uuid7()
  const run = await runOf(tenant)
  const other = await runOf(tenant)
  const marked = { tool: 'bash', actor: 'user:ann', verdict: 'denied', at: 5000 }
  await bench.register.append({ ...about(run), notes: [event('call.checked', marked)] })
  await followUntil(tenant, 7)
  const filters: AuditFilter[] = [
    { type: 'call.checked' },
    { tool: 'bash' },
    { actor: 'user:ann' },
    { verdict: 'denied' },
    { until: 5001 },
    { since: 5000, until: 5001 },
    { runId: run.runId, tool: 'bash' },
    { threadId: run.threadId, verdict: 'denied' },
  ]
  for (const filter of filters) {
    expect(await follow(tenant, undefined, filter)).toMatchObject([{ seq: 4, ...marked }])
  }
  for (const filter of [{ until: 5000 }, { runId: other.runId, tool: 'bash' }, { runId: 'x' }]) {
    expect(await follow(tenant, undefined, filter)).toEqual([])
  }
  expect(await follow(tenant, undefined, { threadId: other.threadId })).toHaveLength(3)
  await withReader((reader) =>
    expect(reader.events(tenant, { after: 'nonsense' })).rejects.toThrow(RangeError),
  )
})

it('shows nothing behind a slow writer before the slow writer is done', async () => {
  const tenant = uuid7()
  const [slow, quick] = [await runOf(tenant), await runOf(tenant)]
  const seen = await followUntil(tenant, 6)
  const writer = new pg.Client(bench.database.engineUrl)
  await writer.connect()
  await writer.query('begin')
  await writer.query('select signalbox.append($1)', [
    JSON.stringify([{ ...about(slow), facts: [fact('slow.done')] }]),
  ])
  await bench.register.append({ ...about(quick), facts: [fact('quick.done')] })
  const during = await follow(tenant, seen.at(-1)?.position)
  expect(during).toEqual([])
  await writer.query('commit')
  await writer.end()
  const after = await followUntil(tenant, 2, seen.at(-1)?.position)
  expect(after.map((one) => one.type)).toEqual(['slow.done', 'quick.done'])
})
