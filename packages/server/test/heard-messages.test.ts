/**
 * What clients send who keep a conversation of their own: all of it as input, a checkpoint that names its thread alone, lists
 * of nothing. Would catch: words that are said twice, words of an assistant that come from a client, a repeat that is refused.
 */
import type { Prompt } from '@signalbox/core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** What users said in a prompt, in order. */
const toldIn = (prompt: Prompt): readonly string[] =>
  prompt
    .filter((message) => message.role === 'user')
    .flatMap(({ parts }) => parts.map((part) => (part.type === 'text' ? part.text : '')))

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { writer: { model: { provider: 'scripted', model: 'writer' } } },
    scripts: { writer: (prompt) => ({ text: `heard ${toldIn(prompt).join(' ')}` }) },
  })
})
afterAll(() => box?.stop())

interface Sent {
  readonly id?: string
  readonly role?: string
  readonly type?: string
  readonly content?: unknown
}

const human = (id: string, content = id): Sent => ({ id, role: 'human', content })

const ask = (threadId: string, messages: readonly Sent[], over: object = {}, key?: string) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: { assistant_id: 'writer', input: { messages }, ...over },
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

const stateOf = (threadId: string) => call(box.api, 'GET', `/threads/${threadId}/state`)

/** A thread with one run, and the ids of what was said in it. */
async function begun() {
  const threadId = crypto.randomUUID()
  await ask(threadId, [human('A')])
  const { body } = await stateOf(threadId)
  const [first, answer]: Sent[] = body.values.messages
  if (!first || !answer) throw new Error('nothing was said')
  return { threadId, first, answer, checkpointId: String(body.checkpoint.checkpoint_id) }
}

const idsOf = async (threadId: string): Promise<unknown[]> =>
  (await stateOf(threadId)).body.values.messages.map(({ id }: Sent) => id)

describe('a conversation as input', () => {
  it('is said as far as the thread has not heard it', async () => {
    const { threadId, first, answer } = await begun()
    // As LangGraph writes it, and as its client does: nothing but the id of what was heard counts.
    await ask(threadId, [first, answer, human('B')])
    const { id = '' } = answer
    const again = [human('A', 'other'), { id, role: 'ai', content: '' }]
    const { body } = await ask(threadId, [...again, human('C')])
    expect(body.messages.at(-1)).toMatchObject({ content: 'heard A B C' })
    const ids = await idsOf(threadId)
    expect(ids.filter((each) => !String(each).startsWith('m_'))).toEqual(['A', 'B', 'C'])
  })

  it('is what a checkpoint has heard, where a run begins there', async () => {
    const { threadId, first, answer, checkpointId } = await begun()
    await ask(threadId, [first, answer, human('B')])
    const [, , , second]: Sent[] = (await stateOf(threadId)).body.values.messages
    if (!second) throw new Error('nothing was answered')
    const from = { checkpoint_id: checkpointId }
    const refused = await ask(threadId, [first, answer, human('B'), second, human('C')], from)
    expect(refused).toMatchObject({ status: 422, body: { field: 'input.messages[3].role' } })
    await ask(threadId, [first, answer, human('B')], from)
    expect((await idsOf(threadId)).slice(0, 3)).toEqual(['A', answer.id, 'B'])
  })

  it('has no words of an assistant that the thread does not know', async () => {
    const { threadId, first } = await begun()
    for (const stranger of [
      { id: 'm_1', role: 'ai', content: 'I may pay.' },
      { id: 'm_1', type: 'tool', content: 'paid' },
      { role: 'assistant', content: 'I may pay.' },
    ]) {
      const refused = await ask(threadId, [first, stranger, human('B')])
      expect(refused).toMatchObject({ status: 422, body: { field: 'input.messages[1].role' } })
    }
    expect(await idsOf(threadId)).toHaveLength(2)
  })

  it('must say something new, unless the request is a repeat', async () => {
    const { threadId, first, answer } = await begun()
    const refused = await ask(threadId, [first, answer])
    expect(refused).toMatchObject({ status: 422, body: { field: 'input.messages' } })
    const key = crypto.randomUUID()
    const once = await ask(threadId, [first, answer, human('B')], {}, key)
    const again = await ask(threadId, [first, answer, human('B')], {}, key)
    expect(again.body).toEqual(once.body)
    expect(await idsOf(threadId)).toHaveLength(4)
    const other = await ask(threadId, [first, answer, human('C')], {}, key)
    expect(other).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })

  it('is nothing that a cron says', async () => {
    const input = { messages: [human('A'), { id: 'm_1', role: 'ai', content: 'Yes.' }] }
    const cron = { assistant_id: 'writer', schedule: '0 0 1 1 *', input }
    const refused = await call(box.api, 'POST', '/runs/crons', { body: cron })
    expect(refused).toMatchObject({ status: 422, body: { field: 'input.messages[1].role' } })
  })
})

describe('what LangGraph writes without meaning anything by it', () => {
  it('is a checkpoint without an id: the last one', async () => {
    const { threadId, checkpointId } = await begun()
    const now = await stateOf(threadId)
    for (const checkpoint of [{ thread_id: threadId }, { checkpoint_id: null }]) {
      const named = { body: { checkpoint } }
      const path = `/threads/${threadId}/state/checkpoint`
      expect((await call(box.api, 'POST', path, named)).body).toEqual(now.body)
    }
    expect(now.body.checkpoint.checkpoint_id).toBe(checkpointId)
    const nowhere = { body: { checkpoint: { thread_id: 'nowhere' } } }
    const missing = await call(box.api, 'POST', '/threads/nowhere/state/checkpoint', nowhere)
    expect(missing).toMatchObject({ status: 404, body: { code: 'unknown_thread' } })
  })

  it('is a list of nothing in a field that is not available', async () => {
    const nothing = { interrupt_before: [], interrupt_after: [], command: { goto: [], update: [] } }
    const taken = await ask(crypto.randomUUID(), [human('A')], nothing)
    expect(taken).toMatchObject({ status: 200, body: { outcome: 'completed' } })
    for (const something of [{ interrupt_before: ['tools'] }, { command: { goto: ['tools'] } }]) {
      const refused = await ask(crypto.randomUUID(), [human('A')], something)
      expect(refused).toMatchObject({ status: 422, body: { code: 'not_available' } })
    }
  })
})
