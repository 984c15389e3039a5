/**
 * The fate of a thread around a summary that is asked for by hand, over HTTP on Postgres (context systems §5.7, §17): cancelled, overtaken, deleted,
 * left alone in its middle; repeated, forked and read by other agents behind it. Would catch: a half summary that stays, words that are lost with it, a
 * refusal that calls it what it is not.
 */
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { call, eventually } from './support/http.ts'
import { type Odd, type OddProvider, oddProvider } from './support/odd-provider.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const summaryText = 'The user counts.'
const words = 'w'.repeat(3_000)

/** Where it is closed, summaries wait for it. */
let gate: PromiseWithResolvers<void> | null = null
let begun = 0

const talks: Odd = async ({ isSummary }) => {
  if (!isSummary) return { text: `answer ${words}` }
  begun += 1
  await gate?.promise
  return { text: summaryText }
}

let box: TestSignalbox
let provider: OddProvider

beforeAll(async () => {
  provider = await oddProvider({
    talk: { window: 32_000, play: talks },
    plain: { window: 32_000, play: talks },
    little: { window: 8_000, play: talks },
  })
  const model = (name: string, contextWindow: number) => ({
    provider: 'openai-compatible' as const,
    model: name,
    baseURL: provider.url,
    contextWindow,
  })
  box = await startTest({
    agents: {
      talk: { model: model('talk', 32_000), context: { compact: { keep: 100 } } },
      plain: { model: model('plain', 32_000) },
      little: { model: model('little', 8_000), context: {} },
      littlePlain: { model: model('little', 8_000) },
    },
  })
})
afterEach(() => {
  gate?.resolve()
  gate = null
})
afterAll(async () => {
  await box?.stop()
  await provider?.close()
})

const say = (threadId: string, text: string, more: object = {}) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: { assistant_id: 'talk', input: { messages: [{ role: 'user', content: text }] }, ...more },
  })

async function threadOf(turns: number): Promise<string> {
  const threadId = crypto.randomUUID()
  for (let n = 0; n < turns; n += 1) await say(threadId, `question ${n}`)
  return threadId
}

const compact = (threadId: string, body: unknown = {}) =>
  call(box.api, 'POST', `/threads/${threadId}/compact`, { body })

const contextOf = async (threadId: string) =>
  (await call(box.api, 'GET', `/threads/${threadId}/context`)).body

/** Asks for a summary that does not come, and waits until the model has begun it. */
async function begin(threadId: string) {
  gate = Promise.withResolvers()
  begun = 0
  const answer = compact(threadId)
  await eventually(async () => begun > 0)
  const { body } = await call(box.api, 'GET', `/threads/${threadId}/runs?limit=1`)
  return { answer, runId: String(body[0].run_id) }
}

/** The body of the last request that the model was sent. */
const shown = (): string => provider.requests.at(-1)?.body ?? ''

describe('a request that cannot be meant', () => {
  it.each([
    ['no words of what to keep', { instructions: '' }, 'instructions'],
    ['too many of them', { instructions: 'x'.repeat(8_001) }, 'instructions'],
    ['a number in their place', { instructions: 5 }, 'instructions'],
    ['a field that is not known', { instructions: 'Keep it.', more: 1 }, 'more'],
    ['a list', [], ''],
    ['nothing', null, ''],
  ])('%s', async (_, body, field) => {
    const answer = await compact(await threadOf(1), body)
    expect(answer).toMatchObject({ status: 422, body: { code: 'invalid_request', field } })
  })

  it('a thread on which nobody has spoken', async () => {
    const threadId = crypto.randomUUID()
    await call(box.api, 'POST', '/threads', { body: { thread_id: threadId } })
    expect(await compact(threadId)).toMatchObject({
      status: 422,
      body: { code: 'nothing_to_compact' },
    })
    expect(await contextOf(threadId)).toMatchObject({ tokens: null, cut: null, compactions: 0 })
  })
})

describe('in its middle', () => {
  it('is cancelled: the event says so, and the thread is what it was', async () => {
    const threadId = await threadOf(3)
    const { answer, runId } = await begin(threadId)
    const cancelled = await call(
      box.api,
      'POST',
      `/threads/${threadId}/runs/${runId}/cancel?wait=1`,
    )
    expect(cancelled.status).toBe(204)
    expect(await answer).toMatchObject({
      status: 200,
      body: { run_id: runId, event: { type: 'context.unchanged', verdict: 'aborted' } },
    })
    expect(await contextOf(threadId)).toMatchObject({ cut: null, compactions: 0 })
    await say(threadId, 'question 3')
    for (const said of ['question 0', 'question 3']) expect(shown()).toContain(said)
  })

  it.each(['interrupt', 'rollback'])('a run comes that ends it (%s)', async (strategy) => {
    const threadId = await threadOf(3)
    const { answer } = await begin(threadId)
    const next = await say(threadId, 'question 3', { multitask_strategy: strategy })
    expect(next.status).toBe(200)
    expect(await answer).toMatchObject({ body: { event: { verdict: 'aborted' } } })
    expect(await contextOf(threadId)).toMatchObject({ cut: null, compactions: 0 })
    for (const said of ['question 0', 'question 3']) expect(shown()).toContain(said)
  })

  it('a run comes that waits for it, and reads the summary', async () => {
    const threadId = await threadOf(3)
    const { answer } = await begin(threadId)
    const next = say(threadId, 'question 3', { multitask_strategy: 'enqueue' })
    await eventually(async () => {
      const { body } = await call(box.api, 'GET', `/threads/${threadId}/runs?limit=10`)
      return body.length === 5
    })
    gate?.resolve()
    expect(await answer).toMatchObject({ body: { event: { type: 'context.compacted' } } })
    expect((await next).status).toBe(200)
    expect(shown()).toContain(summaryText)
    expect(shown()).not.toContain('question 0')
  })

  it('a run that waits for nobody is refused, and words to it are told where they would be heard', async () => {
    const threadId = await threadOf(3)
    const { runId } = await begin(threadId)
    expect(await say(threadId, 'Now.', { multitask_strategy: 'reject' })).toMatchObject({
      status: 422,
      body: { code: 'thread_busy' },
    })
    const told = await call(box.api, 'POST', `/runs/${runId}/input`, {
      body: { input: 'Hear me.' },
    })
    expect(told).toMatchObject({ status: 409, body: { code: 'run_asks_no_model' } })
    expect(told.body.detail).toContain('does nothing but sum up its thread')
  })

  it('its thread is deleted', async () => {
    const threadId = await threadOf(3)
    const { answer } = await begin(threadId)
    expect((await call(box.api, 'DELETE', `/threads/${threadId}`)).status).toBe(204)
    expect(await answer).toMatchObject({ body: { event: { verdict: 'aborted' } } })
  })

  it('whoever asked for it is gone: it stands all the same', async () => {
    const threadId = await threadOf(3)
    gate = Promise.withResolvers()
    begun = 0
    const leaving = new AbortController()
    const left = fetch(`${box.api}/threads/${threadId}/compact`, {
      method: 'POST',
      signal: leaving.signal,
    }).catch((error: unknown) => error)
    await eventually(async () => begun > 0)
    leaving.abort()
    await left
    gate.resolve()
    await eventually(async () => (await contextOf(threadId)).compactions === 1)
    expect((await contextOf(threadId)).compactions).toBe(1)
  })
})

describe('behind it', () => {
  it('its run is neither repeated nor retried, and called what it is', async () => {
    const { body } = await compact(await threadOf(3))
    for (const [way, code] of [
      ['rerun', 'rerun_refused'],
      ['retry', 'retry_refused'],
    ] as const) {
      const answer = await call(box.api, 'POST', `/runs/${body.run_id}/${way}`, { body: {} })
      expect(answer).toMatchObject({ status: 409, body: { code, field: 'run_id' } })
      expect(answer.body.detail).toContain('did nothing but sum up its thread')
      expect(answer.body.detail).not.toContain('edit')
    }
  })

  it('a fork from before it reads what was said, one from behind it the summary', async () => {
    const threadId = await threadOf(3)
    const checkpoint = async () =>
      (await call(box.api, 'GET', `/threads/${threadId}/state`)).body.checkpoint
    const before = await checkpoint()
    await compact(threadId)
    await say(threadId, 'question 3')
    const behind = await checkpoint()
    await say(threadId, 'fork before', { checkpoint: before })
    expect(shown()).toContain('question 0')
    expect(shown()).not.toContain(summaryText)
    await say(threadId, 'fork behind', { checkpoint: behind })
    expect(shown()).toContain(summaryText)
    expect(shown()).not.toContain('question 0')
  })

  it('its context is told by what the thread goes on from: a fork from before has no summary in it', async () => {
    const threadId = await threadOf(3)
    const before = await contextOf(threadId)
    await compact(threadId)
    expect(await contextOf(threadId)).toMatchObject({ compactions: 1 })
    const checkpoint = (
      await call(box.api, 'POST', `/threads/${threadId}/history`, { body: { limit: 100 } })
    ).body.at(-1).checkpoint
    await say(threadId, 'from the beginning', { checkpoint })
    const after = await contextOf(threadId)
    expect(after).toMatchObject({ compactions: 0, cut: null })
    expect(after.tokens).toBeLessThan(before.tokens)
  })

  it('an agent that says nothing of its context reads the summary, too', async () => {
    const threadId = await threadOf(3)
    await compact(threadId)
    await say(threadId, 'question 3', { assistant_id: 'plain' })
    expect(shown()).toContain(summaryText)
    expect(shown()).not.toContain('question 0')
  })
})

it.each(['little', 'littlePlain'])(
  'a chat of short runs goes on for ever, whatever its window holds (%s)',
  async (agent) => {
    const from = provider.requests.length
    const threadId = crypto.randomUUID()
    for (let n = 0; n < 20; n += 1) {
      const text = `question ${n} ${words.slice(0, 500)}`
      const { status, body } = await say(threadId, text, { assistant_id: agent })
      expect([status, body.messages.at(-1)?.content.slice(0, 6)]).toEqual([200, 'answer'])
    }
    const asked = provider.requests.slice(from)
    const own = asked.filter(({ isSummary }) => !isSummary)
    expect(own.length).toBeGreaterThanOrEqual(20)
    // With a context, none is paid over its mark: 80 % of the room of 6,400.
    const most = agent === 'little' ? 5_120 + 60 : Infinity
    expect(own.filter(({ tokens }) => tokens >= most)).toEqual([])
    expect(asked.some(({ isSummary }) => isSummary)).toBe(true)
  },
  120_000,
)
