/**
 * Requests that say two things about one call, on every wire. Would catch: the first of both that is recorded, and executes, before the second
 * is found to be another one; an answer that names two calls and decides about the first.
 */
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { type Answer, call, eventually } from './support/http.ts'
import { note, noted } from './support/notes.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const calls = (...texts: readonly string[]) => ({
  calls: texts.map((text) => ({ name: 'note', args: { text } })),
})
const config: ConfigInput = {
  agents: {
    clerk: { model: { provider: 'scripted', model: 'one' }, ...asking },
    pair: { model: { provider: 'scripted', model: 'two' }, ...asking },
  },
  tools: [note],
  scripts: {
    one: (_, turn) => (turn === 0 ? calls('milk') : { text: 'Done.' }),
    two: (_, turn) => (turn === 0 ? calls('milk', 'bread') : { text: 'Done.' }),
  },
}

let database: TestDatabase
let box: TestSignalbox
beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(config, { env: { DATABASE_URL: database.adminUrl } })
})
afterAll(async () => {
  await box?.stop()
  await database?.drop()
})

interface Asked {
  readonly approvalId: string
  readonly callId: string
}

/** A run that waits, and what it asks. */
async function waiting(assistant: 'clerk' | 'pair') {
  const body = { assistant_id: assistant, input: 'Note it.' }
  const waited = await call(box.api, 'POST', '/runs/wait', { body })
  const { run_id: runId, thread_id: threadId } = waited.body.run
  const asked = await askedOf(runId)
  const [first] = asked
  if (!first) throw new Error('nothing is asked')
  return { runId: String(runId), threadId: String(threadId), first, asked }
}

async function askedOf(runId: string): Promise<readonly Asked[]> {
  const { body } = await call(box.api, 'GET', `/approvals?run_id=${runId}`)
  return body.map((each: { approval_id: string; call_id: string }) => ({
    approvalId: each.approval_id,
    callId: each.call_id,
  }))
}

/** What a request has changed. */
async function cameOf({ status }: Answer, runId: string) {
  const { body } = await call(box.api, 'GET', `/runs/${runId}/events?limit=1000`)
  const answers = body.events.filter(({ type }: { type: string }) => type === 'approval.answered')
  const isRefused = status >= 400 && status < 500
  return { isRefused, asked: await askedOf(runId), answers, noted: noted.get(runId) }
}

/** Refused, and nothing of it recorded: all that was asked is still asked, and no tool ran. */
const nothing = (asked: readonly Asked[]) => ({
  isRefused: true,
  asked,
  answers: [],
  noted: undefined,
})

describe.each([
  ['yes and no', true, false],
  ['no and yes', false, true],
])('%s about one call', (_name, one, other) => {
  const words = [one, other].map((yes) => ({ decision: yes ? 'approve' : 'reject' }))

  it('over AG-UI', async () => {
    const { runId, threadId, first, asked } = await waiting('clerk')
    const resume = [one, other].map((approved) => ({
      interruptId: first.approvalId,
      status: 'resolved',
      payload: { approved },
    }))
    const body = { threadId, runId: `go-${threadId}`, messages: [], resume }
    const answer = await call(box.api, 'POST', '/ag-ui/clerk', { body })
    expect(await cameOf(answer, runId)).toEqual(nothing(asked))
  })

  it('over LangGraph, by two names', async () => {
    const { runId, threadId, first, asked } = await waiting('pair')
    const resume = { [first.approvalId]: words[0], [first.callId]: words[1] }
    const body = { assistant_id: 'pair', command: { resume } }
    const answer = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, { body })
    expect(await cameOf(answer, runId)).toEqual(nothing(asked))
  })

  it('over A2A', async () => {
    const { runId, asked } = await waiting('clerk')
    const parts = words.map((data) => ({ kind: 'data', data }))
    const message = { kind: 'message', messageId: `m-${runId}`, role: 'user', parts, taskId: runId }
    const answer = await call(box.api, 'POST', '/a2a/clerk/v1/message:send', { body: { message } })
    expect(await cameOf(answer, runId)).toEqual(nothing(asked))
  })

  it('over the wire of the AI SDK', async () => {
    const id = `chat-${one}`
    const said = { id: 'u1', role: 'user', parts: [{ type: 'text', text: 'Note it.' }] }
    const begun = await call(box.api, 'POST', '/chat/clerk', { body: { id, messages: [said] } })
    expect(begun.status).toBe(200)
    const frame = await eventually(async () =>
      /"toolCallId":"([^"]+)"/.test(begun.body) ? begun.body : undefined,
    )
    const toolCallId = /"toolCallId":"([^"]+)"/.exec(frame)?.[1] ?? ''
    const approvalId = /"approvalId":"([^"]+)"/.exec(frame)?.[1] ?? ''
    const { body: approval } = await call(box.api, 'GET', `/approvals/${approvalId}`)
    const asked = await askedOf(approval.run_id)
    const parts = [one, other].map((approved) => ({
      type: 'tool-note',
      toolCallId,
      state: 'approval-responded',
      approval: { id: approvalId, approved },
    }))
    const answered = { id: approval.run_id, role: 'assistant', parts }
    const answer = await call(box.api, 'POST', '/chat/clerk', {
      body: { id, messages: [said, answered] },
    })
    expect(await cameOf(answer, approval.run_id)).toEqual(nothing(asked))
  })
})

it('an answer over A2A that names two calls decides about none', async () => {
  const { runId, asked } = await waiting('pair')
  const [milk, bread] = asked
  const data = { decision: 'approve', approval_id: milk?.approvalId, call_id: bread?.callId }
  const parts = [{ kind: 'data', data }]
  const message = { kind: 'message', messageId: `m-${runId}`, role: 'user', parts, taskId: runId }
  const answer = await call(box.api, 'POST', '/a2a/pair/v1/message:send', { body: { message } })
  expect(await cameOf(answer, runId)).toEqual(nothing(asked))
})

it('the same answer twice is one', async () => {
  const { runId, threadId, first } = await waiting('clerk')
  const entry = { interruptId: first.approvalId, status: 'resolved', payload: { approved: true } }
  const body = { threadId, runId: `go-${threadId}`, messages: [], resume: [entry, entry] }
  expect((await call(box.api, 'POST', '/ag-ui/clerk', { body })).status).toBe(200)
  await eventually(async () => noted.get(runId))
  expect(noted.get(runId)).toEqual(['milk'])
})
