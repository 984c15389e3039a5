/** Verdicts of the audit of scripts, found by verdict and rule (§19 audit 3). Would catch: a rule that finds a text, or another tenant. */
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, it } from 'vitest'
import type { AuditFilter } from '../src/read/audit-filter.ts'
import { createReader, type Reader } from '../src/read/reader.ts'
import { about, admission, event, newRun, uuid7 } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader
beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

const denied = (code: string, ...more: readonly string[]) =>
  event('call.denied', {
    tool: 'bash',
    verdict: 'denied',
    payload: {
      callId: 'c',
      tool: 'bash',
      code,
      message: 'because of bash.path',
      ...(more.length > 0
        ? { reasons: [code, ...more].map((each) => ({ code: each, message: 'm' })) }
        : {}),
    },
  })
const flagged = (rule: string) =>
  event('call.flagged', {
    tool: 'bash',
    verdict: 'flagged',
    payload: { callId: 'c', tool: 'bash', rule, message: 'because of bash.path' },
  })

it('finds denials by any of their codes, and flags by their rule', async () => {
  const tenant = uuid7()
  const run = newRun({ tenantId: tenant })
  await bench.register.append(admission(run))
  const notes = [
    denied('bash.vital_removal'),
    denied('bash.socket', 'bash.preload'),
    flagged('bash.sudo'),
    flagged('bash.path'),
    event('x.y', { payload: { rule: 7 } }),
  ]
  await bench.register.append({ ...about(run), notes })
  while ((await reader.audit(tenant, {})).events.length < 2 + notes.length) await setTimeout(20)
  const found = async (filter: AuditFilter) =>
    (await reader.audit(tenant, filter)).events.map(({ type, payload }) => [
      type,
      payload['rule'] ?? payload['code'],
    ])
  const types = ['call.denied', 'call.flagged']
  expect(await found({ rule: 'bash.sudo' })).toEqual([['call.flagged', 'bash.sudo']])
  expect(await found({ rule: 'bash.path', type: types })).toEqual([['call.flagged', 'bash.path']])
  expect(await found({ rule: 'bash.preload' })).toEqual([['call.denied', 'bash.socket']])
  expect(await found({ rule: ['bash.vital_removal', 'bash.sudo'], type: types })).toEqual([
    ['call.denied', 'bash.vital_removal'],
    ['call.flagged', 'bash.sudo'],
  ])
  expect(await found({ verdict: 'flagged', rule: 'bash.vital_removal' })).toEqual([])
  expect(await found({ verdict: 'flagged' })).toHaveLength(2)
  expect(await found({ rule: 'because' })).toEqual([])
  expect((await reader.audit(uuid7(), { rule: 'bash.sudo' })).events).toEqual([])
  const counted = await reader.auditStats(tenant, { rule: 'bash.sudo' }, { by: ['verdict'] })
  expect(counted).toEqual([{ values: ['flagged'], count: 1 }])
})
