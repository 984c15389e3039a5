/**
 * Policies and holds in a running server. Would catch: an identity that a body can forge, a suspended passport that still
 * lets calls through, a policy server whose absence allows, a raw name of an end user in the register.
 */
import { mkdtemp, rename, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type ConfigInput, defineDetector, definePolicy } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call, fed } from './support/http.ts'
import { note, noted, noting, lastResults } from './support/notes.ts'
import { type PolicyServer, servePolicy } from './support/policy-server.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const passport = (status: string) =>
  JSON.stringify({
    passport_id: 'p-live',
    spec_version: 'oap/1.0',
    status,
    assurance_level: 'L1',
    capabilities: [{ id: 'acme.note' }],
    limits: {},
  })

let dir: string
let box: TestSignalbox
let policy: PolicyServer

beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'signalbox-policies-'))
  await writeFile(join(dir, 'passport.json'), passport('active'))
  policy = await servePolicy({ allow: false, reasons: [{ code: 'closed', message: 'Closed.' }] })
  const away = await servePolicy(true)
  await away.stop()
  const tools = ['note']
  const model = { provider: 'scripted', model: 'once' } as const
  const config: ConfigInput = {
    agents: {
      admin: {
        model,
        tools,
        guardrails: {
          provider: definePolicy({
            id: 'admins',
            evaluate: ({ user }) => user?.id === 'ann' && user.role === 'admin',
          }),
        },
      },
      listed: {
        model,
        tools,
        guardrails: { provider: [{ use: 'allowlist', id: 'mine', deniedTools: ['note'] }] },
      },
      asked: { model, tools, guardrails: { provider: { use: 'http', url: policy.url } } },
      closed: { model, tools, guardrails: { provider: { use: 'http', url: away.url } } },
      open: {
        model,
        tools,
        guardrails: { provider: { use: 'http', url: away.url }, failClosed: false },
      },
      living: {
        model: { ...model, model: 'untilDenied' },
        tools,
        guardrails: {
          provider: {
            use: 'passport',
            file: './passport.json',
            capabilities: { note: 'acme.note' },
          },
        },
        limits: { maxTurns: 200, maxToolCalls: 200 },
        loop: { enabled: false },
      },
      unsafe: {
        model: { ...model, model: 'sensitive' },
        safety: {
          detectors: [
            defineDetector({ name: 'house rule', detect: ({ value }) => value === 'house_rule' }),
          ],
          hold: { stops: 2, withinMs: 600_000, holdMs: 600_000 },
        },
      },
    },
    tools: [note],
    scripts: {
      once: noting(1),
      sensitive: () => ({ text: 'Well', finishReason: 'house_rule' }),
      untilDenied: (prompt, turn) =>
        lastResults(prompt).includes('Error')
          ? { text: `Told: ${lastResults(prompt)}` }
          : { calls: [{ name: 'note', args: { text: String(turn) } }], delayMs: 10 },
    },
    server: {
      identity: { userHeader: 'x-user', roleHeader: 'x-role', endUserHeader: 'x-end-user' },
    },
  }
  box = await startTest(config, { dataDir: dir })
})
afterAll(async () => {
  await box?.stop()
  await policy?.stop()
  await rm(dir, { recursive: true, force: true })
})

const run = async (
  agent: string,
  headers: Readonly<Record<string, string>> = {},
  more: object = {},
) => {
  const body = { assistant_id: agent, input: 'Go on.', ...more }
  const waited = await call(box.api, 'POST', '/runs/wait', { body, headers })
  return { ...waited, runId: String(waited.body.run?.run_id) }
}
const eventsOf = async (runId: string, type: string) => {
  const { body } = await call(box.api, 'GET', `/runs/${runId}/events?limit=1000`)
  return body.events.filter((event: { type: string }) => event.type === type)
}

describe('an identity', () => {
  it('that a body claims is nobody', async () => {
    const forged = { id: 'ann', role: 'admin', user_id: 'ann', user_role: 'admin' }
    const claims = { user: forged, identity: forged, ...forged }
    const more = { ...claims, metadata: claims }
    for (const there of [{ config: { configurable: claims } }, { context: claims }])
      expect(await run('admin', {}, there)).toMatchObject({
        status: 422,
        body: { code: 'not_available' },
      })
    const { runId } = await run('admin', {}, more)
    expect(noted.get(runId)).toBeUndefined()
    expect(await eventsOf(runId, 'call.denied')).toMatchObject([
      { payload: { policyId: 'admins' } },
    ])
    const intern = await run('admin', { 'x-user': 'ann', 'x-role': 'intern' }, more)
    expect(noted.get(intern.runId)).toBeUndefined()
    const real = await run('admin', { 'x-user': 'ann', 'x-role': 'admin' })
    expect(noted.get(real.runId)).toEqual(['milk'])
  })

  it('that two wrote into one header is refused', async () => {
    const refused = await run('admin', { 'x-user': 'ann, eve' })
    expect(refused).toMatchObject({
      status: 400,
      body: { code: 'invalid_header', field: 'x-user' },
    })
  })

  it('of an end user is kept as a pseudonym alone', async () => {
    const headers = { 'x-user': 'ann', 'x-end-user': 'zoe.secret@example.com' }
    const [first, second] = [await run('listed', headers), await run('listed', headers)]
    const created = await eventsOf(first.runId, 'run.created')
    const { endUser, user } = created[0].payload
    expect(endUser).toMatch(/^u_[0-9a-f]{32}$/)
    expect(user).toEqual({ id: 'ann', role: null })
    expect((await eventsOf(second.runId, 'run.created'))[0].payload.endUser).toBe(endUser)
    await fed(box.api, `run_id=${second.runId}`)
    const { body } = await call(box.api, 'GET', '/events', {
      headers: { accept: 'application/x-ndjson' },
    })
    expect(`${String(body)}${box.logged.join('\n')}`).not.toContain('zoe.secret')
    expect((await stat(join(dir, 'pseudonym.key'))).mode & 0o777).toBe(0o600)
  })

  it('makes an idempotency key another request for somebody else', async () => {
    const headers = { 'idempotency-key': 'mine-1' }
    const first = await run('listed', { ...headers, 'x-user': 'ann' })
    const other = await run('listed', { ...headers, 'x-user': 'eve' })
    expect(first.status).toBe(200)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })
})

describe('a policy', () => {
  it('denies in its own name', async () => {
    const { runId } = await run('listed')
    const [denied] = await eventsOf(runId, 'call.denied')
    expect(denied.payload).toMatchObject({
      policyId: 'mine',
      policyDigest: expect.stringMatching(/^sha256:[0-9a-f]{64}$/),
      code: 'oap.tool_not_allowed',
    })
    expect(noted.get(runId)).toBeUndefined()
  })

  it('of a server is asked about the call, and who it is for', async () => {
    const { runId } = await run('asked', { 'x-user': 'ann', 'x-role': 'lead' })
    expect(policy.asked).toMatchObject([
      { input: { tool: 'note', args: { text: 'milk' }, user: { id: 'ann', role: 'lead' }, runId } },
    ])
    expect(await eventsOf(runId, 'call.denied')).toMatchObject([{ payload: { code: 'closed' } }])
    expect(noted.get(runId)).toBeUndefined()
  })

  it('whose server is away denies, unless the agent fails open: then the fault is told', async () => {
    const closed = await run('closed')
    const denied = await eventsOf(closed.runId, 'call.denied')
    expect(denied).toMatchObject([{ payload: { code: 'oap.evaluator_error' } }])
    expect(noted.get(closed.runId)).toBeUndefined()
    const open = await run('open')
    expect(noted.get(open.runId)).toEqual(['milk'])
    expect(await eventsOf(open.runId, 'policy.faulted')).toMatchObject([
      { payload: { policyId: 'http', tool: 'note' } },
    ])
  })

  it('that is a living passport stops a running agent when it is suspended', async () => {
    const body = { assistant_id: 'living', input: 'Go on.' }
    const { body: created } = await call(box.api, 'POST', '/runs', { body })
    const runId = String(created.run_id)
    await expect.poll(() => noted.get(runId)?.length ?? 0, { timeout: 30_000 }).toBeGreaterThan(0)
    await writeFile(join(dir, 'next.json'), passport('suspended'))
    await rename(join(dir, 'next.json'), join(dir, 'passport.json'))
    const { body: joined } = await call(box.api, 'GET', `/runs/${runId}/join`)
    expect(joined.outcome).toBe('completed')
    expect(joined.messages.at(-1).content).toContain('oap.passport_suspended')
    const [denied, ...more] = await eventsOf(runId, 'tool.denied')
    expect(more).toEqual([])
    expect(denied.payload.answer).toMatchObject({ effect: 'deny', policyId: 'passport' })
    const ran = noted.get(runId)?.length ?? 0
    expect(await eventsOf(runId, 'tool.completed')).toHaveLength(ran)
  })
})

describe('a hold', () => {
  it('keeps an end user from starting runs after too many safety stops, and says until when', async () => {
    const headers = { 'x-end-user': 'mallory' }
    for (let n = 0; n < 2; n++) {
      const { body, runId } = await run('unsafe', headers)
      expect(body.outcome).toBe('safety_stopped')
      const [suppressed] = await eventsOf(runId, 'safety.suppressed')
      expect(suppressed.payload.evidence).toMatchObject([{ detector: 'house rule' }])
    }
    const held = await run('unsafe', headers)
    expect(held).toMatchObject({ status: 429, body: { code: 'user_held' } })
    const until = Date.parse(held.body.until)
    expect(until).toBeGreaterThan(Date.now())
    const seconds = Number(held.headers.get('retry-after'))
    expect(seconds).toBeGreaterThan(0)
    expect(seconds).toBeLessThanOrEqual(600)
    const other = await run('unsafe', { 'x-end-user': 'zoe' })
    expect(other.body.outcome).toBe('safety_stopped')
  })
})
