/**
 * The question that must have no answer: calls that began without the approval they needed. Would catch: a rejection or a late
 * approval that passes for one, an approval of another call, a call that is told although it was approved.
 */
import type { JsonObject } from '@signalbox/core'
import { afterAll, beforeAll, expect, it, vi } from 'vitest'
import { createReader, type Reader } from '../src/read/reader.ts'
import { about, admission, claim, event, newRun, toolEffect } from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader
beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

const said = (type: string, payload: JsonObject = {}) =>
  event(type, { tool: 'write', payload: { callId: 'call_1', tool: 'write', ...payload } })
const request = said('approval.requested', { approvalId: 'a', argsHash: 'h' })
const answered = (decision: string, argsHash = 'a') =>
  said('approval.answered', { decision, argsHash })

const edited = said('approval.answered', {
  decision: 'edit',
  argsHash: 'b',
  edited: { argsHash: 'a' },
})

type Step = ReturnType<typeof said> | 'began'
const scenes: readonly (readonly [name: string, isTold: boolean, steps: readonly Step[]])[] = [
  ['nobody answered', true, [request, 'began']],
  ['it was rejected', true, [request, answered('reject'), 'began']],
  ['it was approved too late', true, [request, 'began', answered('approve')]],
  ['its request expired', true, [request, said('approval.expired'), 'began']],
  [
    'another call was approved',
    true,
    [request, said('approval.answered', { decision: 'approve', callId: 'call_9' }), 'began'],
  ],
  ['it was approved', false, [request, answered('approve'), 'began']],
  ['it was approved with other arguments', true, [request, answered('approve', 'b'), 'began']],
  ['it was edited', false, [request, edited, 'began']],
  ['an earlier approval stood', false, [request, said('approval.reused'), 'began']],
  ['it never began', false, [request, answered('reject')]],
  ['nobody had to approve it', false, ['began']],
]

it.each(scenes)('a call is told or not where %s', async (_name, isTold, steps) => {
  const run = newRun({ tenantId: `t-${crypto.randomUUID()}` })
  const effect = { ...toolEffect(run, 1), callId: 'call_1' }
  await bench.register.append(admission(run, { effects: [effect] }))
  for (const step of steps)
    await bench.register.append({
      ...about(run),
      ...(step === 'began' ? { claims: [claim(effect.id)] } : { notes: [step] }),
    })
  const seq = (await reader.run(run.tenantId, run.runId))?.seq
  // The feed waits for writers in other databases of the cluster.
  await vi.waitFor(async () => {
    const { events } = await reader.audit(run.tenantId, { runId: run.runId })
    expect(events).toHaveLength(seq ?? 0)
  }, 30_000)
  const { rows } = await reader.auditAnswers(run.tenantId, 'unapproved_calls', {})
  const told = { run_id: run.runId, call_id: 'call_1', tool: 'write', args_hash: 'h' }
  expect(rows).toMatchObject(isTold ? [told] : [])
})
