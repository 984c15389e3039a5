/**
 * What chat pages made for LangGraph send and expect, by its own client against a real server. Would catch: an approval without
 * buttons, a decision that goes to another call, a refresh or a message that is refused, a thread that no list shows, a page that
 * is loaded anew and stays empty, a stop that looks like a breakpoint, a limit that is ignored, an error that says nothing.
 */
import { randomUUID } from 'node:crypto'
import type { Prompt } from '@signalbox/core'
import { definePolicy } from '@signalbox/server'
import { defineTool } from '@signalbox/tools'
import { Client } from 'langgraph-sdk-15'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, isHolding, letAllGo, letGo } from '../../packages/server/test/support/hold.ts'
import { call, eventually, readSse } from '../../packages/server/test/support/http.ts'
import { lastWords } from '../../packages/server/test/support/last-words.ts'
import { lastResults, note, noted, noting } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { collect, type Part } from './support/streamed.ts'

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const speech = Array.from({ length: 40 }, (_, n) => `sentence ${n} of the answer. `).join('')

let box: TestSignalbox
let client: Client
let answers = 0
const looks: string[] = []
const heard: Prompt[] = []

beforeAll(async () => {
  box = await startTest({
    agents: {
      // LangGraph's own example has this name, so the id that its server derives from it is known everywhere.
      agent: { model: scripted('counting') },
      asker: { model: scripted('once'), ...asking },
      pair: { model: scripted('pair'), ...asking },
      guarded: {
        model: scripted('once'),
        ...asking,
        guardrails: {
          approvalTools: ['note'],
          provider: definePolicy({
            id: 'no-poison',
            evaluate: ({ args }) => ({
              allow: args['text'] !== 'poison',
              reasons: [{ code: 'poison', message: 'Poison is not noted.' }],
            }),
          }),
        },
      },
      holder: { model: scripted('holding'), tools: ['hold'] },
      speaker: { model: scripted('speaking') },
      looker: { model: scripted('looking'), tools: ['look'] },
      short: { model: scripted('looking'), tools: ['look'], limits: { maxTurns: 1 } },
      broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
    },
    tools: [
      note,
      hold,
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }, { runId }) => {
          looks.push(runId)
          return `seen ${n}`
        },
      }),
    ],
    scripts: {
      counting: (prompt) => {
        heard.push(prompt)
        return { text: `answer ${(answers += 1)} to ${lastWords(prompt)}` }
      },
      once: noting(1),
      pair: (prompt, turn) =>
        turn === 0
          ? { calls: ['milk', 'bread'].map((text) => ({ name: 'note', args: { text } })) }
          : { text: `I read: ${lastResults(prompt)}` },
      holding: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' },
      speaking: () => ({ text: speech, chunkSize: 20, delayMs: 25 }),
      looking: (_, turn) => ({ calls: [{ name: 'look', args: { n: turn } }] }),
      broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
    },
  })
  client = new Client({ apiUrl: box.api, apiKey: null, callerOptions: { maxRetries: 0 } })
})

afterAll(async () => {
  letAllGo()
  await box?.stop()
})

interface Message {
  readonly id: string
  readonly type: string
  readonly content: string
}
interface Values {
  readonly messages: readonly Message[]
  readonly __interrupt__?: readonly { readonly id: string; readonly value: object }[]
}

const input = (content = 'Go.') => ({ messages: [{ type: 'human', content }] })
const wait = async (threadId: string, agent: string, payload: object): Promise<Values> =>
  Object.assign({ messages: [] }, await client.runs.wait(threadId, agent, payload))
const contents = ({ messages }: Values) => messages.map(({ content }) => content)

/** A thread whose run waits for a human. */
async function waiting(agent: string) {
  const threadId = randomUUID()
  const { __interrupt__: asked = [] } = await wait(threadId, agent, { input: input() })
  const [run] = await client.runs.list(threadId)
  return { threadId, runId: run?.run_id ?? '', asked }
}

/** What is sent as it is, since a page may be written in any way. */
const post = (path: string, body: object) => call(box.api, 'POST', path, { body })
const resume = (threadId: string, agent: string, value: unknown, more: object = {}) =>
  post(`/threads/${threadId}/runs/wait`, {
    assistant_id: agent,
    command: { resume: value },
    ...more,
  })

/** A decision that changes what is noted. */
const edit = (text: string) => ({
  decisions: [{ type: 'edit', edited_action: { name: 'note', args: { text } } }],
})

describe('an interrupt', () => {
  const calls = ['milk', 'bread']
  const requests = calls.map((text) => expect.objectContaining({ name: 'note', args: { text } }))
  const all = ['approve', 'edit', 'reject']
  const schema = {
    action_requests: requests,
    review_configs: calls.map(() => ({ action_name: 'note', allowed_decisions: all })),
    actionRequests: requests,
    reviewConfigs: calls.map(() => ({ actionName: 'note', allowedDecisions: all })),
  }

  it('is one for all calls of a turn, in the schema of LangChain, wherever it is shown', async () => {
    const { threadId, asked } = await waiting('pair')
    expect(asked).toMatchObject([{ value: schema }])
    const state = await client.threads.getState(threadId)
    expect(state.tasks.flatMap(({ interrupts }) => interrupts)).toEqual(asked)
    const [past] = await client.threads.getHistory(threadId, { limit: 1 })
    expect(past?.tasks.flatMap(({ interrupts }) => interrupts)).toMatchObject([{ value: schema }])
    const { interrupts } = await client.threads.get(threadId)
    expect(Object.values(interrupts).flat()).toEqual(asked)
  })

  it('is one on the tape of Agent Protocol v2 too', async () => {
    const threadId = randomUUID()
    const thread = client.threads.stream(threadId, { assistantId: 'pair' })
    await thread.run.start({ input: input() })
    const shown = await eventually(() => Promise.resolve(thread.interrupts[0]))
    const { tasks } = await client.threads.getState(threadId)
    const [asked] = tasks.flatMap(({ interrupts }) => interrupts)
    expect(thread.interrupts).toHaveLength(1)
    expect(shown).toMatchObject({ interruptId: asked?.id, payload: schema })
    await thread.input.respond({
      namespace: [],
      interrupt_id: shown.interruptId,
      response: { decisions: [{ type: 'approve' }, { type: 'reject' }] },
    })
    const [run] = await client.runs.list(threadId)
    await client.runs.join(threadId, run?.run_id ?? '')
    expect(noted.get(run?.run_id ?? '')).toEqual(['milk'])
    await thread.close()
  })

  it('of one call has its own fields too', async () => {
    const { asked } = await waiting('asker')
    const [interrupt] = asked
    expect(interrupt?.value).toMatchObject({
      for: 'approval',
      approval_id: interrupt?.id,
      tool: 'note',
      args: { text: 'milk' },
      action_requests: [{ name: 'note', args: { text: 'milk' } }],
    })
  })

  it.each([
    ['snake case', 'edited_action'],
    ['camel case', 'editedAction'],
  ])('is answered by position, in %s', async (_, edited) => {
    const { threadId, runId } = await waiting('pair')
    const decisions = [
      { type: 'edit', [edited]: { name: 'note', args: { text: 'tea' } } },
      { type: 'reject', message: 'There is bread.' },
    ]
    const { status, body } = await resume(threadId, 'pair', { decisions })
    expect(status).toBe(200)
    expect(body.run.run_id).toBe(runId)
    expect(noted.get(runId)).toEqual(['tea'])
    expect(body.messages.at(-1).content).toContain('There is bread.')
  })

  it('is answered whole under its id, as a client does that keeps several', async () => {
    const { threadId, runId, asked } = await waiting('pair')
    const id = asked[0]?.id ?? ''
    const decisions = [{ type: 'reject' }, { type: 'approve' }]
    expect(await resume(threadId, 'pair', { [id]: { decisions } })).toMatchObject({ status: 200 })
    expect(noted.get(runId)).toEqual(['bread'])
  })

  it.each([
    ['short', 'pair', [{ type: 'approve' }], 'command.resume.decisions', 'takes 2 values'],
    [
      'too many',
      'asker',
      [{ type: 'approve' }, { type: 'approve' }],
      'command.resume.decisions',
      'takes 1 value, one for each call that waits; there are 2',
    ],
    [
      'of another tool',
      'asker',
      [{ type: 'edit', editedAction: { name: 'pay', args: { text: 'x' } } }],
      'command.resume.decisions[0].editedAction.name',
      'takes "note"',
    ],
    [
      'without its action',
      'asker',
      [{ type: 'edit' }],
      'command.resume.decisions[0].args',
      'takes the arguments',
    ],
  ])('that has decisions %s stays open', async (_, agent, decisions, field, takes) => {
    const { threadId, runId, asked } = await waiting(agent)
    const refused = await resume(threadId, agent, { decisions })
    expect(refused).toMatchObject({ status: 422, body: { field } })
    expect(refused.body.detail).toContain(takes)
    const state = await client.threads.getState(threadId)
    expect(state.tasks).toMatchObject([{ interrupts: asked }])
    expect(noted.get(runId)).toBeUndefined()
  })

  it('takes no decisions under the id of one that was answered', async () => {
    const { threadId, asked } = await waiting('asker')
    const old = asked[0]?.id ?? ''
    await resume(threadId, 'asker', 'approve')
    const again = await wait(threadId, 'asker', { input: input() })
    expect(again.__interrupt__).toHaveLength(1)
    const refused = await resume(threadId, 'asker', { [old]: { decisions: [{ type: 'approve' }] } })
    expect(refused.status).toBe(422)
  })

  it('has an edit judged by the policies again', async () => {
    const { threadId, runId } = await waiting('guarded')
    expect(await resume(threadId, 'guarded', edit('poison'))).toMatchObject({
      status: 422,
      body: { code: 'edit_denied' },
    })
    expect((await resume(threadId, 'guarded', edit('tea'))).status).toBe(200)
    expect(noted.get(runId)).toEqual(['tea'])
  })

  it.each([
    ['{}', { input: {} }],
    ['null', { input: null }],
    ['no messages', { input: { messages: [] } }],
  ])('is answered beside an input of %s', async (_, more) => {
    const { threadId, runId } = await waiting('asker')
    const { status } = await resume(threadId, 'asker', { decisions: [{ type: 'approve' }] }, more)
    expect(status).toBe(200)
    expect(noted.get(runId)).toEqual(['milk'])
  })

  it('leaves an input of nothing refused where nothing is answered', async () => {
    for (const said of [{}, null, { messages: [] }, undefined])
      expect(await post('/runs', { assistant_id: 'agent', input: said })).toMatchObject({
        status: 422,
        body: { field: 'input' },
      })
  })
})

/** Words as pages send them while a call is open: first an answer that they make up for it. */
const insteadOf = (callId: string) => ({
  messages: [
    {
      type: 'tool',
      id: `do-not-render-${randomUUID()}`,
      tool_call_id: callId,
      name: 'note',
      content: 'Successfully handled tool call.',
    },
    { type: 'human', id: randomUUID(), content: 'Never mind.' },
  ],
})
const callIdOf = (asked: Awaited<ReturnType<typeof waiting>>['asked']) =>
  String(Object.entries(asked[0]?.value ?? {}).find(([key]) => key === 'call_id')?.[1])

describe('a message while the run waits', () => {
  it('is heard in its turn, and what the page made up is not', async () => {
    const { threadId, runId, asked } = await waiting('asker')
    const payload = { input: insteadOf(callIdOf(asked)), multitaskStrategy: 'interrupt' as const }
    const { run_id } = await client.runs.create(threadId, 'agent', payload)
    await client.runs.join(threadId, run_id)
    expect(await client.runs.get(threadId, runId)).toMatchObject({ outcome: 'cancelled' })
    const { values } = await client.threads.getState<Values>(threadId)
    expect(contents(values)).toContain('Never mind.')
    expect(contents(values).at(-1)).toMatch(/^answer \d+ to Never mind\.$/)
    expect(JSON.stringify([values, heard.at(-1)])).not.toContain('Successfully handled')
    expect(noted.get(runId)).toBeUndefined()
  })

  it('waits for the answer by default', async () => {
    const { threadId, asked } = await waiting('asker')
    const run = await client.runs.create(threadId, 'agent', { input: insteadOf(callIdOf(asked)) })
    expect(run.status).toBe('pending')
    await resume(threadId, 'asker', 'approve')
    await client.runs.join(threadId, run.run_id)
    const { values } = await client.threads.getState<Values>(threadId)
    expect(contents(values).slice(-2)).toEqual([
      'Never mind.',
      expect.stringMatching(/^answer \d+ to Never mind\.$/),
    ])
  })

  it('answers no call that the thread does not have', async () => {
    const { threadId } = await waiting('asker')
    const body = { assistant_id: 'agent', input: insteadOf('call_of_nobody') }
    expect(await post(`/threads/${threadId}/runs`, body)).toMatchObject({
      status: 422,
      body: { field: 'input.messages[0].role' },
    })
  })
})

describe('a refresh', () => {
  it('makes the turn again from the checkpoint before the answer', async () => {
    const threadId = randomUUID()
    const first = await wait(threadId, 'agent', { input: input('Say it.') })
    const history = await client.threads.getHistory<Values>(threadId)
    const answered = history.findLast(({ values }) =>
      values.messages.some(({ type }) => type === 'ai'),
    )
    const checkpoint = answered?.parent_checkpoint
    if (!checkpoint) throw new Error('the answer has no checkpoint before it')
    const again = await wait(threadId, 'agent', { input: null, checkpoint })
    const [before, after] = [first, again].map(contents)
    expect(before?.[0]).toBe('Say it.')
    expect(after).toEqual(['Say it.', expect.stringMatching(/^answer \d+ to Say it\.$/)])
    expect(after?.[1]).not.toBe(before?.[1])
    // Both answers are there, as two branches of the question.
    const all = await client.threads.getHistory<Values>(threadId, { limit: 100 })
    const ends = all.filter(({ next }) => next.length === 0).map(({ values }) => contents(values))
    expect(ends).toEqual([after, before])
    const ahead = await wait(threadId, 'agent', { input: input('And on.') })
    expect(contents(ahead).slice(0, 2)).toEqual(after)
  })

  it('is refused where nothing is left to answer', async () => {
    const threadId = randomUUID()
    await wait(threadId, 'agent', { input: input() })
    const { checkpoint } = await client.threads.getState(threadId)
    const body = { assistant_id: 'agent', checkpoint }
    expect(await post(`/threads/${threadId}/runs`, body)).toMatchObject({
      status: 422,
      body: { field: 'checkpoint_id' },
    })
  })
})

describe('a thread', () => {
  /** Known to every user of LangGraph: the assistant of a graph "agent". */
  const known = 'fe096781-5601-53d2-b2f6-0d3403f7e9ca'

  it('is found by the agent of its first run', async () => {
    const mark = randomUUID()
    const { thread_id } = await client.threads.create({ metadata: { mark } })
    await wait(thread_id, 'agent', { input: input() })
    await wait(thread_id, 'asker', { input: input() })
    const metadata = { mark, graph_id: 'agent', assistant_id: known }
    expect(await client.threads.get(thread_id)).toMatchObject({ metadata })
    for (const one of [{ graph_id: 'agent' }, { assistant_id: known }]) {
      const found = await client.threads.search({ metadata: { mark, ...one } })
      expect(found.map((thread) => thread.thread_id)).toEqual([thread_id])
    }
  })

  it('that a run makes says so from its beginning, and keeps what it was given', async () => {
    const run = await client.runs.create(null, 'agent', { input: input() })
    const made = await client.threads.get(run.thread_id)
    expect(made.metadata).toEqual({ graph_id: 'agent', assistant_id: known })
    const [batched] = await client.runs.createBatch([{ assistantId: 'asker', input: input() }])
    const batch = await client.threads.get(batched?.thread_id ?? '')
    expect(batch.metadata).toMatchObject({ graph_id: 'asker' })
    // The client leaves out a graph_id among the metadata.
    const { body } = await post('/threads', { metadata: { graph_id: 'mine' } })
    await wait(body.thread_id, 'agent', { input: input() })
    const metadata = { graph_id: 'mine', assistant_id: known }
    expect((await client.threads.get(body.thread_id)).metadata).toEqual(metadata)
  })

  it('that was copied has the state of the other', async () => {
    const threadId = randomUUID()
    await wait(threadId, 'agent', { input: input() })
    const { thread_id: copyId } = Object.assign(
      { thread_id: '' },
      await client.threads.copy(threadId),
    )
    const state = await client.threads.getState(threadId)
    const copied = await client.threads.getState(copyId)
    const there = JSON.stringify(state).replaceAll(threadId, copyId)
    expect(copied).toEqual(JSON.parse(there))
    const { metadata } = await client.threads.get(copyId)
    expect(metadata).toEqual((await client.threads.get(threadId)).metadata)
  })
})

/** The text that pieces of messages make. */
const textOf = (parts: readonly Part[]): string =>
  parts
    .filter(({ event, data }) => event === 'messages' && data[0].type === 'AIMessageChunk')
    .map(({ data }) => data[0].content)
    .join('')

describe('a page that is loaded anew', () => {
  it('gets the modes that the run was created with, and the text so far at once', async () => {
    const threadId = randomUUID()
    const streamMode = ['values' as const, 'messages-tuple' as const]
    const first = client.runs.stream(threadId, 'speaker', { input: input(), streamMode })
    let seen = ''
    for await (const part of first) {
      seen += textOf([part])
      if (seen.length > 100) break
    }
    const [run] = await client.runs.list(threadId)
    const runId = run?.run_id ?? ''
    const parts = await collect(client.runs.joinStream(threadId, runId, { lastEventId: '-1' }))
    const atOnce = textOf(parts.filter(({ event }) => event === 'messages').slice(0, 1))
    expect(atOnce.length).toBeGreaterThanOrEqual(seen.length)
    expect(speech.length).toBeGreaterThan(atOnce.length)
    expect(textOf(parts)).toBe(speech)
    expect(new Set(parts.map(({ event }) => event))).toEqual(
      new Set(['metadata', 'values', 'messages', 'end']),
    )
    const asked = client.runs.joinStream(threadId, runId, { streamMode: 'updates' })
    expect(new Set((await collect(asked)).map(({ event }) => event))).toEqual(
      new Set(['metadata', 'updates', 'end']),
    )
  })

  it('resumes with what it asked for, whatever the run was created with', async () => {
    const path = `/threads/${randomUUID()}/runs`
    const { body: run } = await post(path, {
      assistant_id: 'agent',
      input: 'x',
      stream_mode: ['updates'],
    })
    const joined = await fetch(`${box.api}${path}/${run.run_id}/stream?stream_mode=values`)
    await joined.text()
    const resumed = await fetch(`${box.api}${joined.headers.get('location')}`)
    expect(await resumed.text()).toContain('event: values')
  })
})

describe('a stop', () => {
  it('leaves nothing that comes next, at once', async () => {
    const threadId = randomUUID()
    const { run_id } = await client.runs.create(threadId, 'holder', { input: input() })
    await eventually(() => Promise.resolve(isHolding(run_id)))
    await client.runs.cancel(threadId, run_id)
    const [newest] = await client.threads.getHistory(threadId, { limit: 1 })
    expect(newest).toMatchObject({ next: [], tasks: [] })
    expect(await client.threads.getState(threadId)).toMatchObject({ next: [], tasks: [] })
    letGo(run_id)
    await client.runs.join(threadId, run_id)
    expect(await client.runs.get(threadId, run_id)).toMatchObject({ outcome: 'cancelled' })
    expect(await client.threads.getState(threadId)).toMatchObject({ next: [], tasks: [] })
  })

  it('takes back what was asked', async () => {
    const { threadId, runId } = await waiting('asker')
    await client.runs.cancel(threadId, runId)
    const [newest] = await client.threads.getHistory(threadId, { limit: 1 })
    for (const state of [newest, await client.threads.getState(threadId)])
      expect(state).toMatchObject({ next: [], tasks: [] })
  })
})

describe('a system message', () => {
  it('is read as an instruction of the conversation, not as words of the user', async () => {
    const messages = [
      { type: 'system', content: 'Speak French.' },
      { type: 'human', content: 'Hello in French.' },
    ]
    const said = await wait(randomUUID(), 'agent', { input: { messages } })
    expect(contents(said).at(-1)).toMatch(/^answer \d+ to Hello in French\.$/)
    const [system, ...others] = heard.at(-1) ?? []
    expect(system).toMatchObject({ role: 'system', text: expect.stringMatching(/client.*French/s) })
    expect(JSON.stringify(others)).not.toContain('Speak French.')
    // It stays a message of the thread.
    expect(said.messages[0]).toMatchObject({ type: 'system', content: 'Speak French.' })
  })
})

const within = (limit: number) => ({ input: input(), config: { recursion_limit: limit } })

describe('what an assistant said elsewhere', () => {
  const few = [
    { type: 'human', content: 'Two and two?' },
    { type: 'ai', content: 'Four.' },
    { role: 'user', content: 'Three and three?' },
    { role: 'assistant', content: [{ type: 'text', text: 'Six.' }] },
    { type: 'human', content: 'Four and four?' },
  ]
  const words = ['Two and two?', 'Four.', 'Three and three?', 'Six.', 'Four and four?']

  it('is taken by a thread that is new, and read as said by the model', async () => {
    const threadId = randomUUID()
    const said = await wait(threadId, 'agent', { input: { messages: few } })
    expect(contents(said).slice(0, 5)).toEqual(words)
    expect(said.messages.map(({ type }) => type)).toEqual([
      'human',
      'ai',
      'human',
      'ai',
      'human',
      'ai',
    ])
    const roles = (heard.at(-1) ?? []).map(({ role }) => role)
    expect(roles).toEqual(['user', 'assistant', 'user', 'assistant', 'user'])
    const more = await wait(threadId, 'agent', { input: input('And five?') })
    expect(contents(more).slice(0, 5)).toEqual(words)
  })

  it.each([
    ['ends with it', few.slice(0, 4), 'input.messages'],
    [
      'has calls in it',
      [{ type: 'ai', content: '', tool_calls: [{ name: 'note' }] }, ...few],
      'input.messages[0].role',
    ],
    [
      'has results in it',
      [{ type: 'tool', content: 'x', tool_call_id: 'c' }, ...few],
      'input.messages[0].role',
    ],
  ])('is refused where the input %s', async (_, messages, field) => {
    expect(await post('/runs', { assistant_id: 'agent', input: { messages } })).toMatchObject({
      status: 422,
      body: { field },
    })
  })

  it('is what a rerun goes on from too', async () => {
    const threadId = randomUUID()
    await wait(threadId, 'agent', { input: { messages: few } })
    const [first] = await client.runs.list(threadId)
    const { body: again } = await post(`/runs/${first?.run_id}/rerun`, {})
    await client.runs.join(again.thread_id, again.run_id)
    const { values } = await client.threads.getState<Values>(again.thread_id)
    expect(contents(values).slice(0, 5)).toEqual(words)
  })

  it('is refused by a thread that has heard something', async () => {
    const threadId = randomUUID()
    await wait(threadId, 'agent', { input: input() })
    const body = { assistant_id: 'agent', input: { messages: few } }
    expect(await post(`/threads/${threadId}/runs`, body)).toMatchObject({
      status: 422,
      body: { field: 'input.messages[1].role' },
    })
  })
})

describe('recursion_limit', () => {
  it.each([
    [4, 2],
    [5, 3],
  ])('of %s steps is %s turns, and ends as in LangGraph', async (limit, turns) => {
    const threadId = randomUUID()
    const parts = await collect(client.runs.stream(threadId, 'looker', within(limit)))
    const error = parts.find(({ event }) => event === 'error')
    expect(error?.data.error).toBe('GraphRecursionError')
    expect(error?.data.message).toContain(
      `Recursion limit of ${limit} reached without hitting a stop condition.`,
    )
    const [run] = await client.runs.list(threadId)
    const of = looks.filter((runId) => runId === run?.run_id)
    expect(of.length).toBeLessThanOrEqual(turns)
    expect(of.length).toBeGreaterThanOrEqual(turns - 1)
    const { body } = await call(box.api, 'GET', `/threads/${threadId}/runs/${run?.run_id}/join`)
    expect(body.__error__).toMatchObject({ error: 'GraphRecursionError' })
  })

  it('raises no limit of the agent, and is no error where the run ends within it', async () => {
    const parts = await collect(client.runs.stream(randomUUID(), 'agent', within(2)))
    expect(parts.map(({ event }) => event)).not.toContain('error')
    const threadId = randomUUID()
    await client.runs.wait(threadId, 'short', { ...within(100), raiseError: false })
    const [run] = await client.runs.list(threadId)
    expect(looks.filter((runId) => runId === run?.run_id).length).toBeLessThanOrEqual(1)
  })

  it('takes a whole number from 1', async () => {
    for (const recursion_limit of [0, 1.5, 'x'])
      expect(
        await post('/runs', { assistant_id: 'agent', input: 'x', config: { recursion_limit } }),
      ).toMatchObject({ status: 422, body: { field: 'config.recursion_limit' } })
  })
})

describe('fields for tools and policies', () => {
  it.each([
    ['context', { context: { tier: 'gold' } }, 'context.tier'],
    ['configurable', { config: { configurable: { tier: 'gold' } } }, 'config.configurable.tier'],
  ])('in %s are refused by name, since none is declared', async (_, more, field) => {
    expect(await post('/runs', { assistant_id: 'agent', input: 'x', ...more })).toMatchObject({
      status: 422,
      body: { code: 'not_available', field },
    })
  })

  it('are told from what clients pass along', async () => {
    const configurable = { thread_id: 't', checkpoint_ns: '', langgraph_auth_user: {}, tier: null }
    const config = { configurable, tags: ['a'] }
    const said = await wait(randomUUID(), 'agent', { input: input(), config, context: {} })
    expect(contents(said)).toHaveLength(2)
  })
})

describe('frames', () => {
  it('of checkpoints and debug name their checkpoint as states do', async () => {
    const threadId = randomUUID()
    const streamMode = ['checkpoints' as const, 'debug' as const]
    const parts = await collect(
      client.runs.stream(threadId, 'agent', { input: input(), streamMode }),
    )
    const states = await client.threads.getHistory(threadId)
    const places = states
      .map(({ checkpoint, parent_checkpoint }) => ({ checkpoint, parent_checkpoint }))
      .toReversed()
    const shown = parts.filter(({ event }) => event === 'checkpoints').map(({ data }) => data)
    const debugged = parts
      .filter(({ event, data }) => event === 'debug' && data.type === 'checkpoint')
      .map(({ data }) => data.payload)
    expect(shown).toHaveLength(places.length)
    for (const frames of [shown, debugged]) expect(frames).toMatchObject(places)
  })

  it('of an error say which it was, and nothing that the provider said', async () => {
    const threadId = randomUUID()
    const parts = await collect(client.runs.stream(threadId, 'broken', { input: input() }))
    const error = parts.find(({ event }) => event === 'error')?.data
    expect(error).toMatchObject({ error: 'failed', cause: { class: 'auth', status: 401 } })
    expect(error.message).toMatch(/key/)
    const waited = await client.runs.wait(threadId, 'broken', { input: input(), raiseError: false })
    expect(waited).toMatchObject({ __error__: { cause: { class: 'auth', status: 401 } } })
    const state = await client.threads.getState(threadId)
    expect(state.tasks).toMatchObject([{ error: error.message }])
    expect(JSON.stringify([parts, waited, state])).not.toContain('sk-secret')
  })
})

describe('assistants', () => {
  it('list the versions whose metadata is asked for; each update makes one', async () => {
    const { assistants } = client
    const made = await assistants.create({ graphId: 'agent', metadata: { stage: 'a' } })
    const id = made.assistant_id
    await assistants.update(id, { metadata: { stage: 'b' } })
    await assistants.update(id, {})
    const versions = async (metadata: Record<string, unknown>) =>
      (await assistants.getVersions(id, { metadata })).map(({ version }) => version)
    expect(await versions({})).toEqual([3, 2, 1])
    expect(await versions({ stage: 'a' })).toEqual([1])
    expect(await versions({ stage: 'b' })).toEqual([3, 2])
    expect(await versions({ stage: 'c' })).toEqual([])
    expect(await assistants.getVersions('agent', { metadata: { created_by: 'nobody' } })).toEqual(
      [],
    )
  })
})

describe('a subscription', () => {
  it('is opened before the thread is there', async () => {
    const threadId = randomUUID()
    const response = await fetch(`${box.api}/threads/${threadId}/stream/events`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ channels: ['lifecycle'] }),
    })
    expect(response.status).toBe(200)
    const params = { assistant_id: 'agent', input: input() }
    await post(`/threads/${threadId}/commands`, { id: 1, method: 'run.start', params })
    if (!response.body) throw new Error('no body')
    const seen: string[] = []
    for await (const { data } of readSse(response.body)) {
      seen.push(data.params.data.event)
      if (seen.includes('completed')) break
    }
    expect(seen).toEqual(['running', 'completed'])
  })
})
