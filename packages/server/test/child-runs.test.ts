/**
 * Runs that start runs, over HTTP: one server on embedded Postgres, scripted models. Would catch: a child that its parent
 * does not hear of, one that survives its parent's cancel, an answer that nobody is asked for, a key that passes for a child.
 */
import type { Prompt } from '@signalbox/core'
import type { Register } from '@signalbox/engine'
import { type ConfigInput, definePolicy } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { type Answer, call, eventually, readSse } from './support/http.ts'
import { lastResults, note, noted, noting } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const model = (name: string) => ({ provider: 'scripted', model: name }) as const

/** Does not answer; obeys an abort. */
const wait = defineTool({
  name: 'wait',
  description: 'Waits to be told to stop.',
  effect: 'read',
  input: z.object({}),
  run: (_, { signal }) =>
    new Promise((_resolve, reject) => {
      signal.addEventListener('abort', () => reject(new Error('stopped')))
    }),
})

const asked = (prompt: Prompt): string =>
  prompt.findLast((message) => message.role === 'user')?.parts.map((part) => Object(part).text)[0]

/** Starts a run for each prompt, in one turn, and says then what they answered. */
const starting =
  (agent: string, ...prompts: readonly string[]) =>
  (prompt: Prompt, turn: number) =>
    turn === 0
      ? { calls: prompts.map((text) => ({ name: `agent__${agent}`, args: { prompt: text } })) }
      : { text: `I read: ${lastResults(prompt)}` }

/** The agent that made each call, and whether its run was started by another one. */
const callers: string[] = []
const listens = definePolicy({
  id: 'listens',
  evaluate: ({ agent, isSubagent }) => {
    callers.push(`${agent} ${isSubagent}`)
    return true
  },
})

const config: ConfigInput = {
  agents: {
    writer: { model: model('writer'), tools: ['agent:helper'], guardrails: { provider: listens } },
    helper: { model: model('helper'), tools: ['note'], guardrails: { provider: listens } },
    chief: { model: model('chief'), tools: ['agent:clerk'] },
    clerk: { model: model('clerk'), tools: ['note'], guardrails: { approvalTools: ['note'] } },
    guide: { model: model('guide'), tools: ['agent:visitor'] },
    visitor: {
      model: model('clerk'),
      tools: ['note'],
      guardrails: { provider: { use: 'allowlist', deniedTools: ['note'] } },
    },
    top: { model: model('top'), tools: ['agent:middle'] },
    middle: { model: model('middle'), tools: ['agent:waiter'] },
    waiter: { model: model('waiter'), tools: ['wait'] },
    miser: { model: model('miser'), tools: ['agent:helper'], limits: { maxTurns: 4 } },
  },
  tools: [note, wait],
  scripts: {
    writer: starting('helper', 'milk', 'bread'),
    miser: starting('helper', 'milk', 'bread'),
    helper: (prompt, turn) =>
      turn === 0
        ? { calls: [{ name: 'note', args: { text: asked(prompt) } }] }
        : { text: `done: ${lastResults(prompt)}` },
    chief: starting('clerk', 'Note milk.'),
    clerk: noting(1),
    guide: starting('visitor', 'Note milk.'),
    top: starting('middle', 'Begin.'),
    middle: starting('waiter', 'Wait.'),
    waiter: () => ({ calls: [{ name: 'wait', args: {} }] }),
  },
}

let box: TestSignalbox
let register: Register
beforeAll(async () => {
  box = await startTest(config, {
    wrapPorts: (ports) => {
      ;({ register } = ports)
      return ports
    },
  })
})
afterAll(() => box?.stop())

const get = (path: string): Promise<Answer> => call(box.api, 'GET', path)
const create = async (agent: string): Promise<string> => {
  const body = { assistant_id: agent, input: 'Begin.' }
  return (await call(box.api, 'POST', '/runs', { body })).body.run_id
}
const childrenOf = async (runId: string) => (await get(`/runs/${runId}/children`)).body
/** The first child of a run, once it is there. */
const childOf = (runId: string): Promise<{ run_id: string }> =>
  eventually(async () => (await childrenOf(runId))[0])
const eventsOf = async (runId: string, type: string) => {
  const { body } = await get(`/runs/${runId}/events?limit=1000`)
  return body.events.filter((event: { type: string }) => event.type === type)
}
const ended = async (runId: string) => (await get(`/runs/${runId}/join`)).body

describe('a run that starts two', () => {
  it('reads their answers in the order of its calls, and shows them as its children', async () => {
    const runId = await create('writer')
    const values = await ended(runId)
    expect(values).toMatchObject({ outcome: 'completed', run: { parent: null } })
    expect(values.messages.at(-1).content).toBe('I read: done: noted milk\ndone: noted bread')
    const children = await childrenOf(runId)
    const started = await eventsOf(runId, 'child.started')
    expect(children).toHaveLength(2)
    for (const child of children) {
      const [event] = started.filter(
        ({ payload }: { payload: { childRunId: string } }) => payload.childRunId === child.run_id,
      )
      expect(event.tool).toBe('agent__helper')
      expect(child).toMatchObject({
        assistant_id: 'helper',
        status: 'success',
        parent: { run_id: runId, call_id: event.payload.callId },
      })
      expect(child.thread_id).not.toBe(values.run.thread_id)
      const { body: alone } = await get(`/runs/${child.run_id}`)
      const { ended_at: endedAt, ...rest } = alone
      const { spent, ...document } = child
      expect(rest).toEqual({ ...document, waiting: [], waits_for: null })
      expect(spent).toMatchObject({ turns: 2, calls: 1 })
      expect(endedAt).toEqual(expect.any(String))
      const { body: listed } = await get(`/threads/${child.thread_id}/runs`)
      expect(listed).toEqual([document])
      const { body: joined } = await get(`/runs/${child.run_id}/join`)
      expect(joined.run.parent).toEqual(child.parent)
    }
    const below = `/threads/${values.run.thread_id}/runs/${runId}/children`
    expect((await get(below)).body).toEqual(children)
    expect(await childrenOf(children[0].run_id)).toEqual([])
    const { body: metrics } = await get('/metrics')
    for (const status of ['started', 'ended'])
      expect(metrics).toMatch(
        new RegExp(`signalbox_effects_total\\{kind="run\\.start",status="${status}"\\} [2-9]`),
      )
    // Its policies know whose call it is.
    expect(new Set(callers)).toEqual(new Set(['writer false', 'helper true']))
  })

  it('tells so on its stream, as of everything else', async () => {
    const response = await fetch(
      `${box.api}/runs/${await create('writer')}/stream?stream_mode=signalbox`,
    )
    const seen: string[] = []
    if (response.body) for await (const { event } of readSse(response.body)) seen.push(event)
    expect(seen.filter((event) => event.startsWith('child.')).toSorted()).toEqual([
      'child.ended',
      'child.ended',
      'child.started',
      'child.started',
    ])
    expect(seen.at(-1)).toBe('end')
  })

  it('shares its budget with them', async () => {
    const runId = await create('miser')
    expect((await ended(runId)).outcome).toBe('budget_exhausted')
    // One turn is the parent's own, three are left for two runs that need two each.
    const outcomes = (await childrenOf(runId)).map(({ outcome }: { outcome: string }) => outcome)
    expect(outcomes.toSorted()).toEqual(['budget_exhausted', 'completed'])
  })
})

describe('a child', () => {
  it('that is denied a call is told of in the log of its parent', async () => {
    const runId = await create('guide')
    expect((await ended(runId)).outcome).toBe('completed')
    const [{ payload }] = await eventsOf(runId, 'child.ended')
    expect(payload).toMatchObject({
      outcome: 'completed',
      verdicts: [{ type: 'call.denied', tool: 'note', code: 'oap.tool_not_allowed' }],
    })
    const [denied] = await eventsOf(payload.childRunId, 'call.denied')
    expect(payload.verdicts[0].seq).toBe(denied.seq)
  })

  it('asks for its approvals under its own name, and its parent goes on with the answer', async () => {
    const runId = await create('chief')
    const child = await childOf(runId)
    const request = await eventually(
      async () => (await get(`/approvals?run_id=${child.run_id}`)).body[0],
    )
    expect(request).toMatchObject({ run_id: child.run_id, assistant_id: 'clerk', tool: 'note' })
    expect((await get('/approvals')).body).toMatchObject([{ approval_id: request.approval_id }])
    expect((await get(`/runs/${runId}`)).body).toMatchObject({ status: 'running', waiting: [] })
    await call(box.api, 'POST', `/approvals/${request.approval_id}`, {
      body: { decision: 'approve' },
    })
    const values = await ended(runId)
    expect(values.messages.at(-1).content).toBe('I read: I read: noted milk')
    expect(noted.get(child.run_id)).toEqual(['milk'])
  })
})

describe('a cancel', () => {
  it('of the run at the top reaches the last of its descendants', async () => {
    const runId = await create('top')
    const middle = await childOf(runId)
    const waiter = await childOf(middle.run_id)
    await eventually(async () => (await eventsOf(waiter.run_id, 'effect.started'))[1])
    const { status } = await call(box.api, 'POST', `/runs/${runId}/cancel?wait=1`)
    expect(status).toBe(204)
    for (const id of [middle.run_id, waiter.run_id]) {
      expect((await get(`/runs/${id}`)).body).toMatchObject({ outcome: 'cancelled' })
      const [cancel] = await eventsOf(id, 'cancel.requested')
      expect(cancel.payload).toEqual({ action: 'interrupt', reason: 'parent' })
    }
  })
})

describe('a request', () => {
  it('with a key of the form that children have is refused, and says why', async () => {
    const body = { assistant_id: 'helper', input: 'Begin.' }
    for (const key of ['child:x', '"child:x"', 'child:', 'cron:x:1']) {
      const headers = { 'idempotency-key': key }
      const refused = await call(box.api, 'POST', '/runs', { body, headers })
      expect(refused).toMatchObject({
        status: 400,
        body: { code: 'invalid_header', field: 'idempotency-key' },
      })
      expect(refused.body.detail).toContain('runs that runs have started')
    }
  })

  it('for the children of a run that is not there, or of another tenant, is refused', async () => {
    const other = { tenantId: 'other', threadId: 'of-another' }
    await register.ensureThread({
      ...other,
      metadata: {},
      createdAt: Date.now(),
      contentKey: '0'.repeat(64),
    })
    const definition = box.agents.get('writer')
    if (!definition) throw new Error('no agent')
    const created = await box.engine.commands.createRun({
      ...other,
      actor: 'test',
      definition,
      metadata: {},
      alias: null,
      input: [{ id: 'u', role: 'user', parts: [{ type: 'text', text: 'Begin.' }] }],
    })
    if (created.code !== 'created') throw new Error(created.code)
    const [child] = await eventually(async () => {
      const found = await register.children(created.runId)
      return found.length === 2 ? found : undefined
    })
    for (const id of ['nobody', created.runId, child?.runId])
      expect(await get(`/runs/${id}/children`)).toMatchObject({
        status: 404,
        body: { code: 'unknown_run' },
      })
  })
})
