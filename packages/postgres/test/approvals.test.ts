/** What waits for a human to approve it, and what became of it: read from the events, under row-level security. */
import type { JsonObject } from '@signalbox/core'
import type { AppendItem } from '@signalbox/engine'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createReader, type Reader } from '../src/read/reader.ts'
import {
  about,
  admission,
  decision,
  event,
  fact,
  finalDecision,
  newRun,
  type RunIds,
  uuid7,
} from './support/drafts.ts'
import { useRegister } from './support/register.ts'

const bench = useRegister()
let reader: Reader

beforeAll(() => {
  reader = createReader({ appUrl: bench.database.appUrl })
})
afterAll(() => reader.close())

/** The n-th call of a run, its request as the machine emits it, and what follows. */
function callOf(run: RunIds, n = 0) {
  const name = `${run.runId.slice(-12)}_1_${n}`
  const callId = `c_${name}`
  const approvalId = `a_${name}`
  const subject = { callId, tool: 'pay', argsHash: `h${n}` }
  const ask = { ...subject, approvalId, policyId: 'oap', policyDigest: 'd1', reason: 'money' }
  const part = {
    type: 'tool_call',
    id: callId,
    name: 'pay',
    args: { amount: n },
    argsHash: `h${n}`,
  }
  const answer = (over: JsonObject = {}) =>
    fact('approval.answered', `approval:${callId}`, {
      actor: 'user:ann',
      tool: 'pay',
      at: 7_000,
      payload: { ...subject, decision: 'approve', ...over },
    })
  return {
    callId,
    approvalId,
    part,
    answer,
    requested: (at: number, expiresAt: number | null = null) =>
      event('approval.requested', { at, tool: 'pay', payload: { ...ask, expiresAt } }),
    expired: event('approval.expired', { payload: { callId, tool: 'pay', approvalId } }),
    denied: event('call.denied', {
      payload: { callId, tool: 'pay', code: 'approval_expired', message: '' },
    }),
  }
}

type Call = ReturnType<typeof callOf>

const transitioned = event('run.transitioned')
const laterTurn = fact('model.completed')

/** A run whose model asked for `count` calls, each of which waits: seq 4 is the answer, 5 the decision, then requests. */
async function asking(
  over: Partial<RunIds> = {},
  { count = 1, at = 5_000 }: { readonly count?: number; readonly at?: number } = {},
): Promise<{ readonly run: RunIds; readonly calls: readonly Call[] }> {
  const run = newRun(over)
  const calls = Array.from({ length: count }, (_, n) => callOf(run, n))
  await bench.register.append(admission(run))
  const parts = [{ type: 'text', text: 'I pay.' }, ...calls.map((call) => call.part)]
  const payload = { turn: { message: { parts } } }
  await must({
    ...about(run),
    facts: [fact('model.completed', `${run.runId}.1`, { payload })],
    decision: decision(2, 4, {
      status: 'waiting',
      stateName: 'approval',
      events: [transitioned, ...calls.map((call, n) => call.requested(at + n, at + 60_000))],
    }),
  })
  return { run, calls }
}

async function must(item: AppendItem): Promise<void> {
  const result = await bench.register.append(item)
  if (item.decision ? result.decisionCode !== 'ok' : result.factCodes.some((code) => code !== 'ok'))
    throw new Error(`refused: ${JSON.stringify(result)}`)
}

const fired = (call: Call) => fact('timer.fired', `fired:${call.callId}`)

const expiry = (through: number, call: Call) =>
  decision(4, through, { events: [transitioned, call.expired, call.denied] })

const ignored = (seq: number) =>
  event('event.ignored', { payload: { seq, type: 'approval.answered', state: 'cancelling' } })

const cancel = fact('cancel.requested', 'cancel', { payload: { action: 'interrupt' } })

describe('a request that waits', () => {
  it('brings the call, its arguments, and why somebody is asked', async () => {
    const tenantId = uuid7()
    const { run, calls } = await asking({ tenantId })
    const expected = {
      approvalId: calls[0]?.approvalId,
      runId: run.runId,
      threadId: run.threadId,
      agent: 'writer',
      root: { runId: run.runId, threadId: run.threadId, agent: 'writer' },
      callId: calls[0]?.callId,
      tool: 'pay',
      argsHash: 'h0',
      policyId: 'oap',
      policyDigest: 'd1',
      reason: 'money',
      requestedAt: 5_000,
      expiresAt: 65_000,
      args: { amount: 0 },
      position: `000000000005000_${run.runId}_6`,
    }
    expect(await reader.approvals(tenantId, {})).toEqual([expected])
    expect(await reader.approval(tenantId, calls[0]?.approvalId ?? '')).toEqual({
      ...expected,
      status: 'waiting',
      answer: null,
    })
  })

  it('is alone in that: its siblings wait, or do not, each by itself', async () => {
    const tenantId = uuid7()
    const { run, calls } = await asking({ tenantId }, { count: 3 })
    const [first, second, third] = calls
    if (!first || !second || !third) throw new Error('there are three')
    await must({ ...about(run), facts: [second.answer()] })
    const waiting = await reader.approvals(tenantId, { runId: run.runId })
    expect(waiting.map((one) => [one.callId, one.args])).toEqual([
      [first.callId, { amount: 0 }],
      [third.callId, { amount: 2 }],
    ])
    expect((await reader.approval(tenantId, first.approvalId))?.status).toBe('waiting')
    for (const runId of [newRun().runId, 'no uuid'])
      expect(await reader.approvals(tenantId, { runId })).toEqual([])
  })

  it('is paged by time, run and seq, and nothing twice', async () => {
    const tenantId = uuid7()
    const late = await asking({ tenantId }, { count: 2, at: 9_000 })
    const early = await asking({ tenantId }, { count: 2, at: 8_000 })
    const twin = await asking({ tenantId }, { count: 2, at: 8_000 })
    const seen: string[] = []
    let after: string | undefined
    for (;;) {
      const page = await reader.approvals(tenantId, {
        limit: 1,
        ...(after === undefined ? {} : { after }),
      })
      if (!page[0]) break
      seen.push(page[0].approvalId)
      after = page[0].position
    }
    const tied = [0, 1].flatMap((n) => [early.calls[n], twin.calls[n]])
    const order = [...tied, ...late.calls]
    expect(seen).toEqual(order.map((call) => call?.approvalId))
    const whole = await reader.approvals(tenantId, {})
    expect(whole.map((one) => one.approvalId)).toEqual(seen)
    for (const nonsense of ['x', `000000000005000_${'-'.repeat(36)}_6`])
      await expect(reader.approvals(tenantId, { after: nonsense })).rejects.toThrow(RangeError)
  })

  it('is of its tenant only', async () => {
    const { calls } = await asking({ tenantId: uuid7() })
    const [call] = calls
    expect(await reader.approvals(uuid7(), {})).toEqual([])
    expect(await reader.approval(uuid7(), call?.approvalId ?? '')).toBeNull()
  })
})

async function statusAfter(change: (run: RunIds, call: Call) => readonly AppendItem[]) {
  const tenantId = uuid7()
  const { run, calls } = await asking({ tenantId })
  const [call] = calls
  if (!call) throw new Error('there is one')
  for (const item of change(run, call)) await must(item)
  expect(await reader.approvals(tenantId, {})).toEqual([])
  return reader.approval(tenantId, call.approvalId)
}

describe('what became of a request', () => {
  it.each([
    ['approve', 'approved'],
    ['reject', 'rejected'],
    ['edit', 'edited'],
  ] as const)('is %s: %s', async (given, status) => {
    const by = { id: 'ann', role: 'approver' }
    const over = { decision: given, by, scope: 'always', note: 'fine' }
    const view = await statusAfter((run, call) => [{ ...about(run), facts: [call.answer(over)] }])
    expect(view).toMatchObject({
      status,
      answer: { decision: given, by, actor: 'user:ann', at: 7_000, scope: 'always', note: 'fine' },
    })
  })

  it('is an answer for this call alone, where it says no more', async () => {
    const view = await statusAfter((run, call) => [{ ...about(run), facts: [call.answer()] }])
    expect(view?.answer).toMatchObject({ by: null, scope: 'once', note: null })
  })

  it('is its expiry, also if somebody answered within the same decision', async () => {
    const alone = await statusAfter((run, call) => [
      { ...about(run), facts: [fired(call)], decision: expiry(7, call) },
    ])
    expect(alone).toMatchObject({ status: 'expired', answer: null })
    const raced = await statusAfter((run, call) => [
      { ...about(run), facts: [fired(call), call.answer()], decision: expiry(8, call) },
    ])
    expect(raced).toMatchObject({ status: 'expired', answer: null })
  })

  it('is cancelled with its run, at once', async () => {
    const asked = await statusAfter((run) => [{ ...about(run), facts: [cancel] }])
    expect(asked).toMatchObject({ status: 'cancelled', answer: null })
    const ended = await statusAfter((run) => [
      { ...about(run), facts: [fact('run.faulted')], decision: finalDecision(4, 7) },
    ])
    expect(ended).toMatchObject({ status: 'cancelled', answer: null })
    const refused = await statusAfter((run, call) => [
      {
        ...about(run),
        facts: [fact('x.done')],
        decision: decision(4, 7, { events: [transitioned, call.denied] }),
      },
    ])
    expect(refused).toMatchObject({ status: 'cancelled', answer: null })
  })

  it('is not an answer that the machine ignored', async () => {
    const view = await statusAfter((run, call) => [
      { ...about(run), facts: [cancel] },
      {
        ...about(run),
        facts: [call.answer()],
        decision: decision(4, 8, { events: [transitioned, ignored(8)], stateName: 'cancelling' }),
      },
    ])
    expect(view).toMatchObject({ status: 'cancelled', answer: null })
  })

  it('stays the answer when the run ends', async () => {
    const view = await statusAfter((run, call) => [
      { ...about(run), facts: [call.answer(), laterTurn], decision: finalDecision(4, 8) },
    ])
    expect(view).toMatchObject({ status: 'approved', answer: { at: 7_000 }, args: { amount: 0 } })
  })
})

describe('an approval by its id', () => {
  it('is the request that was made last', async () => {
    const tenantId = uuid7()
    const { run, calls } = await asking({ tenantId })
    const [call] = calls
    if (!call) throw new Error('there is one')
    await must({ ...about(run), facts: [call.answer({ decision: 'edit' })] })
    await must({
      ...about(run),
      decision: decision(4, 7, { events: [transitioned, call.requested(8_000)] }),
    })
    expect(await reader.approval(tenantId, call.approvalId)).toMatchObject({
      status: 'waiting',
      requestedAt: 8_000,
      answer: null,
    })
  })

  it('is nothing under an unknown id, or once it was erased', async () => {
    const tenantId = uuid7()
    const { run, calls } = await asking({ tenantId })
    expect(await reader.approval(tenantId, 'a_nobody')).toBeNull()
    const admin = new pg.Client(bench.database.adminUrl)
    await admin.connect()
    const erase =
      'update signalbox.event set payload = null, salt = null where run_id = $1 and type = $2'
    await admin.query(erase, [run.runId, 'model.completed'])
    const found = await reader.approval(tenantId, calls[0]?.approvalId ?? '')
    expect(found).toMatchObject({ status: 'waiting', args: null })
    await admin.query(erase, [run.runId, 'approval.requested'])
    await admin.end()
    expect(await reader.approval(tenantId, calls[0]?.approvalId ?? '')).toBeNull()
    expect(await reader.approvals(tenantId, {})).toEqual([])
  })
})
