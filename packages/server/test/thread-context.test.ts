/**
 * Summing up a thread by hand, and what a model is shown of it, over HTTP on Postgres (context systems §5.7, §19 "compaction" 6). Would catch: a
 * summary that stands beside the thread's order, words that are gone from the wires, a failure that answers as if it had worked.
 */
import type { Prompt } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { call, eventually, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
/** The text that the model returns where it is asked for a summary. */
let summary = 'The user counts.'
const asked: string[] = []

const isSummary = (prompt: Prompt): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

const words = 'w'.repeat(4_000)

beforeAll(async () => {
  box = await startTest({
    agents: {
      writer: {
        model: { provider: 'scripted', model: 'writer', contextWindow: 100_000 },
        context: { compact: { keep: 100 } },
      },
      payer: {
        model: {
          provider: 'scripted',
          model: 'writer',
          contextWindow: 100_000,
          price: { inputPerMTok: 2, outputPerMTok: 8 },
        },
        context: { compact: { keep: 100 } },
      },
      holder: { model: { provider: 'scripted', model: 'holding' }, tools: ['hold'] },
    },
    tools: [hold],
    scripts: {
      writer: (prompt) => {
        asked.push(JSON.stringify(prompt))
        return { text: isSummary(prompt) ? summary : `answer ${words}` }
      },
      holding: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
    },
  })
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const say = (threadId: string, text: string, agent = 'writer') =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: { assistant_id: agent, input: { messages: [{ role: 'user', content: text }] } },
  })

const compact = (threadId: string, body: object = {}, key?: string) =>
  call(box.api, 'POST', `/threads/${threadId}/compact`, {
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

/** The turns, tokens and money that the runs of an agent have used, by the usage report. */
async function usedBy(agent: string) {
  await box.settled()
  const { groups } = (await call(box.api, 'GET', '/usage?by=agent')).body
  const found = groups.find((group: { readonly agent: string }) => group.agent === agent)
  return found ?? { turns: 0, input_tokens: 0, cost: 0 }
}

const contextOf = (threadId: string) => call(box.api, 'GET', `/threads/${threadId}/context`)

async function threadOf(turns: number): Promise<string> {
  const threadId = crypto.randomUUID()
  for (let n = 0; n < turns; n += 1) await say(threadId, `question ${n}`)
  return threadId
}

describe('a thread', () => {
  it('is summed up: later requests begin with that, and every wire shows all that was said', async () => {
    const threadId = await threadOf(3)
    const { status, body } = await compact(threadId, { instructions: 'Keep the numbers.' })
    expect(status).toBe(200)
    expect(body.event).toMatchObject({
      type: 'context.compacted',
      payload: { summary: [{ type: 'text', text: 'The user counts.' }], how: 'shared' },
    })
    expect(asked.at(-1)).toContain('Keep the numbers.')
    await say(threadId, 'question 3')
    const last = asked.at(-1) ?? ''
    expect(last).toContain('The user counts.')
    expect(last).not.toContain('question 0')
    expect(last).toContain('question 3')
    const state = await call(box.api, 'GET', `/threads/${threadId}/state`)
    expect(JSON.stringify(state.body.values.messages)).toContain('question 0')
    expect(JSON.stringify(state.body.values.messages)).not.toContain('The user counts.')
  })

  it('says how much of it a model is shown', async () => {
    const threadId = await threadOf(3)
    const before = await contextOf(threadId)
    expect(before.body).toMatchObject({
      thread_id: threadId,
      window: 100_000,
      cut: null,
      pruned: null,
      compactions: 0,
      prunes: 0,
    })
    expect(before.body.tokens).toBeGreaterThan(0)
    const { body } = await compact(threadId)
    const after = await contextOf(threadId)
    const { through } = body.event.payload
    expect(after.body).toMatchObject({
      compactions: 1,
      cut: { run_id: through.runId, seq: through.seq },
    })
    expect(after.body.tokens).toBeLessThan(before.body.tokens)
  })

  it('is paid by the run that was made for it, and told apart in its report', async () => {
    const threadId = await threadOf(3)
    const { body } = await compact(threadId)
    const { inputTokens, outputTokens } = body.event.payload.usage
    const { usage } = (await call(box.api, 'GET', `/runs/${body.run_id}/report`)).body
    expect(usage.turns).toMatchObject({ calls: 0, input_tokens: 0 })
    expect(usage.compaction).toMatchObject({
      calls: 1,
      input_tokens: inputTokens,
      output_tokens: outputTokens,
    })
    const before = await usedBy('payer')
    const paid = crypto.randomUUID()
    for (let n = 0; n < 3; n += 1) await say(paid, `question ${n}`, 'payer')
    const turnsAlone = await usedBy('payer')
    const summed = (await compact(paid)).body.event.payload.usage
    const after = await usedBy('payer')
    // 2 and 8 for a million: money in the unit, as the summary alone has used it.
    expect(after.input_tokens - turnsAlone.input_tokens).toBe(summed.inputTokens)
    expect(after.turns).toBe(turnsAlone.turns)
    expect(after.cost - turnsAlone.cost).toBeCloseTo(
      Math.ceil(2 * summed.inputTokens + 8 * summed.outputTokens) / 1_000_000,
      9,
    )
    expect(before.turns).toBe(0)
  })

  it('is found by auditors, by type and verdict, and counted', async () => {
    const threadId = await threadOf(3)
    const { body } = await compact(threadId)
    const query = `thread_id=${threadId}&type=context.compacted&verdict=compacted`
    expect(await fed(box.api, query)).toMatchObject([
      { run_id: body.run_id, payload: { sources: { through: body.event.payload.through } } },
    ])
    summary = ' '
    const failed = await compact(await threadOf(3))
    summary = 'The user counts.'
    const unchanged = `run_id=${failed.body.run_id}&type=context.unchanged&verdict=empty`
    expect(await fed(box.api, unchanged)).toHaveLength(1)
    const metrics = (await call(box.api, 'GET', '/metrics')).body
    for (const outcome of ['compacted', 'empty'])
      expect(metrics).toMatch(
        new RegExp(
          `signalbox_context_calls_total\\{kind="context.compact",outcome="${outcome}"\\} [1-9]`,
        ),
      )
  })

  it('with the same key is summed up once', async () => {
    const threadId = await threadOf(3)
    const key = crypto.randomUUID()
    const first = await compact(threadId, {}, key)
    const second = await compact(threadId, {}, key)
    expect(second.body).toEqual(first.body)
    const other = await compact(threadId, { instructions: 'Other.' }, key)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })
})

describe('refused, and said why', () => {
  it('a thread with nothing before its newest turn', async () => {
    const threadId = await threadOf(1)
    expect(await compact(threadId)).toMatchObject({
      status: 422,
      body: { code: 'nothing_to_compact' },
    })
  })

  it('a request without a body asks for what an empty one asks for', async () => {
    const threadId = await threadOf(1)
    expect(await call(box.api, 'POST', `/threads/${threadId}/compact`)).toMatchObject({
      status: 422,
      body: { code: 'nothing_to_compact' },
    })
  })

  it('a thread that nobody knows', async () => {
    const threadId = crypto.randomUUID()
    expect(await compact(threadId)).toMatchObject({ status: 404, body: { code: 'unknown_thread' } })
    expect(await contextOf(threadId)).toMatchObject({ status: 404 })
  })

  it('a field that is not known', async () => {
    const threadId = await threadOf(1)
    expect(await compact(threadId, { instruction: 'x' })).toMatchObject({
      status: 422,
      body: {
        code: 'invalid_request',
        field: 'instruction',
        detail: 'instruction: there is no such field here',
      },
    })
  })

  it('a thread on which a run goes on', async () => {
    const threadId = crypto.randomUUID()
    const created = await call(box.api, 'POST', `/threads/${threadId}/runs`, {
      body: { assistant_id: 'holder', input: { messages: [{ role: 'user', content: 'x' }] } },
    })
    const runId = String(created.body.run_id)
    await eventually(async () => isHolding(runId))
    // It has no multitask_strategy to choose.
    expect(await compact(threadId)).toMatchObject({
      status: 422,
      body: { code: 'thread_busy', field: 'thread_id', detail: expect.stringContaining(threadId) },
    })
    letGo(runId)
  })

  it('a summary that cannot stand: the event says why, and the thread is what it was', async () => {
    const threadId = await threadOf(3)
    summary = '  '
    const { status, body } = await compact(threadId)
    summary = 'The user counts.'
    expect(status).toBe(200)
    expect(body.event).toMatchObject({
      type: 'context.unchanged',
      payload: { reason: 'empty' },
    })
    await say(threadId, 'question 3')
    expect(asked.at(-1)).toContain('question 0')
  })
})
