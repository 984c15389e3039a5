/**
 * The listing of calls whose outcome is unknown: all that somebody needs who asks the other side. Would catch: arguments that are not
 * those that were executed, arguments that a key without the scope `read` sees, a worker or a time that is missing.
 */
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { call, eventually } from './support/http.ts'
import { showing } from './support/key-maker.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const operator = showing('o'.repeat(20))
const told: string[] = []

const config: ConfigInput = {
  server: { graceMs: 500 },
  agents: {
    payer: { model: { provider: 'scripted', model: 'payer' }, tools: ['pay'] },
    asker: {
      model: { provider: 'scripted', model: 'payer' },
      tools: ['pay'],
      guardrails: { approvalTools: ['pay'] },
    },
  },
  tools: [
    defineTool({
      name: 'pay',
      description: 'Pays.',
      effect: 'once',
      timeoutMs: 50,
      input: z.object({ amount: z.number() }),
      // Does not obey its timeout: after a grace nobody knows what it did.
      run: (_, { idempotencyKey }) => {
        told.push(idempotencyKey)
        return new Promise(() => {})
      },
    }),
  ],
  scripts: { payer: () => ({ calls: [{ name: 'pay', args: { amount: 7 } }] }) },
}

let box: TestSignalbox
beforeAll(async () => {
  box = await startTest(config, { env: { SIGNALBOX_API_KEY: 'o'.repeat(20) } })
})
afterAll(() => box?.stop())

const ask = (method: string, path: string, body?: unknown, headers = operator) =>
  call(box.api, method, path, { headers, ...(body === undefined ? {} : { body }) })
const create = async (assistant_id: string): Promise<string> =>
  (await ask('POST', '/runs', { assistant_id, input: 'Pay.' })).body.run_id
const unknownOf = (run: string, headers = operator) =>
  eventually(async () => {
    const { body } = await ask('GET', '/unknown', undefined, headers)
    return body.find(({ run_id }: { run_id: string }) => run_id === run)
  })

it('has arguments, reason, worker, times and the key that the tool was given', async () => {
  const began = Date.now()
  const run = await create('payer')
  const effect = await unknownOf(run)
  expect(effect).toMatchObject({
    tool: 'pay',
    args: { amount: 7 },
    args_hash: expect.stringMatching(/^hk1:[0-9a-f]{64}$/),
    reason: 'not_settled',
    attempt: 1,
  })
  expect(told).toContain(effect.idempotency_key)
  const { body: log } = await ask('GET', `/runs/${run}/events`)
  const eventOf = (type: string) =>
    log.events.find(
      (event: { type: string; payload: { effectId?: string } }) =>
        event.type === type && event.payload.effectId === effect.effect_id,
    )
  expect(effect.worker).toBe(eventOf('effect.started').payload.owner)
  expect(effect.started_at).toBe(eventOf('effect.started').at)
  expect(effect.unknown_at).toBe(eventOf('tool.unknown').at)
  expect(Date.parse(effect.started_at)).toBeGreaterThan(began - 60_000)
})

it('has the arguments that a human put there instead', async () => {
  const run = await create('asker')
  const approval = await eventually(async () => {
    const { body } = await ask('GET', '/approvals')
    return body.find(({ run_id }: { run_id: string }) => run_id === run)
  })
  const edit = { decision: 'edit', args: { amount: 5 } }
  await ask('POST', `/approvals/${approval.approval_id}`, edit)
  expect(await unknownOf(run)).toMatchObject({ args: { amount: 5 } })
})

it('is a line in the log, as what a run waits for is, without arguments', async () => {
  const run = await create('asker')
  const approval = await eventually(async () => {
    const { body } = await ask('GET', '/approvals')
    return body.find(({ run_id }: { run_id: string }) => run_id === run)
  })
  await ask('POST', `/approvals/${approval.approval_id}`, { decision: 'approve' })
  const effect = await unknownOf(run)
  const lines = await eventually(async () => {
    const found = box.logged.filter((line) => line.includes(run))
    return found.some((line) => line.includes('resolution of pay')) && found
  })
  const [begun, asked, lost, waits] = lines.map((line) => {
    const at = line.indexOf('{')
    return { line: line.slice(0, at - 1), ...JSON.parse(line.slice(at)) }
  })
  const about = { runId: run, agent: 'asker', threadId: expect.any(String) }
  expect(lines).toHaveLength(4)
  expect(begun).toMatchObject({ line: 'info run begun', ...about })
  expect(asked).toMatchObject({ line: 'info run waits', ...about, waitsFor: 'approval of pay' })
  expect(lost).toMatchObject({
    line: 'warn outcome of a tool call unknown',
    ...about,
    tool: 'pay',
    effectId: effect.effect_id,
    reason: 'not_settled',
  })
  expect(waits).toMatchObject({ line: 'info run waits', ...about, waitsFor: 'resolution of pay' })
  expect(lines.join()).not.toContain('amount')
})

it('has no arguments for a key that may approve and not read', async () => {
  const run = await create('payer')
  const issued = await ask('POST', '/keys', { name: 'desk', scopes: ['approve'] })
  const desk = showing(issued.body.key)
  expect(await unknownOf(run, desk)).toMatchObject({ tool: 'pay', args: null })
})
