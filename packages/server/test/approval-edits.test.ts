/**
 * Edits of calls over HTTP. Would catch: an edit as a way around a passport, an edit into another tool's arguments, two
 * decisions that both count, and a body that one reader judges and another one executes otherwise.
 */
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import type { ConfigInput } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const saved: unknown[] = []
const save = defineTool({
  name: 'save',
  description: 'Saves a text.',
  input: z.object({ output: z.string(), content: z.string() }),
  judged: { path: ['output'] },
  run: (input) => {
    saved.push(input)
    return 'saved'
  },
})
const passport = {
  passport_id: 'p1',
  spec_version: 'oap/1.0',
  status: 'active',
  assurance_level: 'L1',
  capabilities: [{ id: 'data.file.write' }],
  limits: { 'data.file.write': { allowed_paths: ['reports'], approval_required: true } },
}
const config: ConfigInput = {
  agents: {
    clerk: {
      model: { provider: 'scripted', model: 'saves' },
      tools: ['save'],
      guardrails: {
        provider: {
          use: 'passport',
          passport,
          capabilities: { save: 'data.file.write' },
        },
      },
    },
  },
  tools: [save],
  scripts: {
    saves: (_: unknown, turn: number) =>
      turn === 0
        ? { calls: [{ name: 'save', args: { output: 'reports/a.md', content: 'x' } }] }
        : { text: 'Done.' },
  },
}

let database: TestDatabase
let boxes: TestSignalbox[] = []
beforeAll(async () => {
  database = await createTestDatabase()
  const start = () => startTest(config, { env: { DATABASE_URL: database.adminUrl } })
  boxes = [await start(), await start()]
})
afterAll(async () => {
  for (const box of boxes) await box.stop()
  await database?.drop()
})

const api = (n = 0): string => boxes[n]?.api ?? ''

async function asked() {
  const body = { assistant_id: 'clerk', input: 'Save it.' }
  const waited = await call(api(), 'POST', '/runs/wait', { body })
  const { value } = waited.body.__interrupt__[0]
  return {
    runId: String(waited.body.run.run_id),
    threadId: String(waited.body.run.thread_id),
    id: String(value.approval_id),
    callId: String(value.call_id),
  }
}
const edit = (id: string, args: object) =>
  call(api(), 'POST', `/approvals/${id}`, { body: { decision: 'edit', args } })

describe('an edit', () => {
  it('into a path that the passport denies is told so, by what the tool declares, and runs nothing', async () => {
    const { id } = await asked()
    for (const output of ['/etc/cron.d/x', 'keys/a.md', 'reports/../package.json', '~/.bashrc'])
      expect(await edit(id, { output, content: 'x' })).toMatchObject({
        status: 422,
        body: { code: 'edit_denied', field: 'args' },
      })
    expect(
      await edit(id, { output: 'reports/b.md', content: 'x', target: '/etc/x' }),
    ).toMatchObject({
      status: 422,
      body: { code: 'edit_denied', reasons: [{ code: 'oap.undeclared_argument' }] },
    })
    expect(saved).toEqual([])
    const { body } = await call(api(), 'GET', `/approvals/${id}`)
    expect(body.status).toBe('waiting')
  })

  it('into the arguments of another tool does not fit', async () => {
    const { id } = await asked()
    expect(await edit(id, { command: 'ls' })).toMatchObject({
      status: 422,
      body: { code: 'invalid_arguments' },
    })
  })
})

describe('two people who answer at once, at two servers', () => {
  it.each([
    [{ decision: 'approve' }, { decision: 'reject' }],
    [
      { decision: 'edit', args: { output: 'reports/b.md', content: 'b' } },
      { decision: 'edit', args: { output: 'reports/c.md', content: 'c' } },
    ],
    [{ decision: 'approve' }, { decision: 'edit', args: { output: 'reports/d.md', content: 'd' } }],
  ])('one of them decides, and the other is told what stands: %j %j', async (one, other) => {
    const { id, runId } = await asked()
    const said = await Promise.all(
      [one, other].map((body, n) => call(api(n), 'POST', `/approvals/${id}`, { body })),
    )
    expect(said.map(({ status }) => status).toSorted((a, b) => a - b)).toEqual([200, 409])
    const first = said[0]?.status === 200 ? one : other
    expect(said.find(({ status }) => status === 409)?.body).toMatchObject({
      code: 'approval_conflict',
      decision: first.decision,
    })
    const { body } = await call(api(), 'GET', `/runs/${runId}/events?limit=1000`)
    const answers = body.events.filter(({ type }: { type: string }) => type === 'approval.answered')
    expect(answers).toHaveLength(1)
    // Its call may not have been executed yet, and the tests that follow count what is.
    await call(api(), 'GET', `/runs/${runId}/join`)
  })
})

describe('a body that can be read in two ways', () => {
  const bodies: readonly (readonly [string, string, string])[] = [
    ['a key twice', '{"output":"reports/a.md","output":"/etc/x","content":"x"}', 'ambiguous_json'],
    [
      'the same key in escapes',
      String.raw`{"output":"a","\u006futput":"/etc/x"}`,
      'ambiguous_json',
    ],
    ['a number beyond 2^53', '{"output":"a","content":"x","n":9007199254740993}', 'ambiguous_json'],
    ['__proto__', '{"__proto__":{"output":"/etc/x"},"content":"x"}', 'forbidden_key'],
    ['constructor', '{"constructor":{"prototype":{"output":"a"}}}', 'forbidden_key'],
  ]
  it.each(bodies)('is refused on every way an edit comes: %s', async (_, args, code) => {
    const { id, runId, callId, threadId } = await asked()
    const before = saved.length
    const said = `{"decision":"edit","args":${args}}`
    const ways: readonly (readonly [string, string])[] = [
      [`/approvals/${id}`, said],
      [`/runs/${runId}/approvals/${callId}`, said],
      [
        `/threads/${threadId}/runs/wait`,
        `{"assistant_id":"clerk","command":{"resume":{"${callId}":${said}}}}`,
      ],
      ['/ag-ui/clerk', `{"threadId":"${threadId}","runId":"r","resume":[{"payload":${said}}]}`],
      ['/a2a/clerk/message:send', `{"message":{"parts":[{"data":${said}}]}}`],
    ]
    for (const [path, body] of ways) {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch(`${api()}${path}`, { method: 'POST', headers, body })
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        400,
        expect.stringContaining(code),
      ])
    }
    expect((await call(api(), 'GET', `/approvals/${id}`)).body.status).toBe('waiting')
    expect(saved).toHaveLength(before)
  })
})
