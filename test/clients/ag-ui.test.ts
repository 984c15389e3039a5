/**
 * AG-UI's own client against a real server, its strict verifier on. Would catch: a stream that the verifier refuses, text or
 * calls that the client has other than the thread, a message that is input twice, an answer that goes to the wrong call,
 * arguments that are shown before their verdict, a stop that is told as a success.
 */
import { randomUUID } from 'node:crypto'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest'
import { z } from 'zod'
import { call, eventually } from '../../packages/server/test/support/http.ts'
import { lastResults, note } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { checkProtocol, type Frame, post, RecordingAgent, textOf } from './support/ag-ui.ts'

const speech = (n: number): string => `sentence ${n} of the answer, «ü» 𝄞. `.repeat(12)
const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const noting =
  (...texts: readonly string[]): Script =>
  (prompt, turn) =>
    turn === 0
      ? { text: 'I note it.', calls: texts.map((text) => ({ name: 'note', args: { text } })) }
      : { text: `I read: ${lastResults(prompt)}` }

let box: TestSignalbox
let stutters = 0
/** What the model was shown last, by script. */
const heard = new Map<string, string>()

beforeAll(async () => {
  box = await startTest({
    agents: {
      speaker: { model: scripted('speaker') },
      slow: { model: scripted('slow') },
      clerk: { model: scripted('clerk'), tools: ['look'] },
      asker: { model: scripted('asker'), ...asking },
      pair: { model: scripted('pair'), ...asking },
      again: { model: scripted('again'), ...asking },
      hasty: { model: scripted('asker'), ...asking, approvals: { expiresMs: 1000 } },
      holder: { model: scripted('holder'), tools: ['wait'] },
      stutterer: {
        model: scripted('stutterer'),
        modelRetries: { max: 1, baseMs: 10, capMs: 10 },
      },
      censored: { model: scripted('censored'), tools: ['look'] },
      broken: { model: scripted('broken'), modelRetries: { max: 0, baseMs: 1, capMs: 1 } },
      chief: { model: scripted('chief'), tools: ['agent:clerk'] },
    },
    tools: [
      note,
      defineTool({
        name: 'wait',
        description: 'Waits to be told to stop.',
        effect: 'read',
        input: z.object({}),
        run: (_, { signal }) =>
          new Promise((_resolve, reject) => {
            signal.addEventListener('abort', () => reject(new Error('stopped')))
          }),
      }),
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }) => `seen ${n}`,
      }),
    ],
    scripts: {
      speaker: (prompt) => {
        heard.set('speaker', JSON.stringify(prompt))
        return { text: speech(1), chunkSize: 40, delayMs: 3 }
      },
      slow: () => ({ text: speech(2), chunkSize: 20, delayMs: 15 }),
      clerk: (_, turn) =>
        turn === 0
          ? { text: 'Let me look.', calls: [{ name: 'look', args: { n: 7 } }] }
          : { text: 'I have looked.' },
      asker: noting('milk'),
      pair: noting('milk', 'bread'),
      again: (_, turn) =>
        turn < 2
          ? { calls: [{ name: 'note', args: { text: `${turn}` } }] }
          : { text: 'Both noted.' },
      holder: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'wait', args: {} }] } : { text: 'Done.' },
      stutterer: () => {
        stutters += 1
        const isBroken = stutters % 2 === 1
        const text = isBroken ? `broken ${speech(3)}` : speech(4)
        return { text, chunkSize: 30, delayMs: 8, ...(isBroken ? { ending: 'eof' as const } : {}) }
      },
      censored: () => ({
        text: 'I shall',
        calls: [{ name: 'look', args: { n: 'unheard-of' } }],
        ending: 'content_filter',
      }),
      broken: () => ({ status: { code: 401, error: { message: 'the key sk-secret is wrong' } } }),
      chief: (_, turn) =>
        turn === 0
          ? { calls: [{ name: 'agent__clerk', args: { prompt: 'Look.' } }] }
          : { text: 'They looked.' },
    },
  })
})

afterAll(async () => {
  await box?.stop()
})

const warned = vi.spyOn(console, 'warn')
beforeEach(() => warned.mockClear())

const client = (agent: string, threadId: string = randomUUID()) =>
  new RecordingAgent(box.api, agent, threadId)

const only = (frames: readonly Frame[], type: string): readonly Frame[] =>
  frames.filter((frame) => frame.type === type)
const last = (frames: readonly Frame[]): Frame => frames.at(-1)

/** What the thread holds, in AG-UI's words, and what the client has: the same. */
async function expectSameAsThread(agent: RecordingAgent): Promise<void> {
  const { body } = await call(box.api, 'GET', `/threads/${agent.threadId}/state`)
  const roles: Readonly<Record<string, string>> = { human: 'user', ai: 'assistant' }
  const theirs = body.values.messages.map((message: Frame) => ({
    id: message.id,
    role: roles[message.type] ?? message.type,
    content: message.content,
    calls: (message.tool_calls ?? []).map(({ id, args }: Frame) => [id, args]),
  }))
  const ours = agent.messages.map((message) => ({
    id: message.id,
    role: message.role,
    content: message.content ?? '',
    calls: ('toolCalls' in message ? (message.toolCalls ?? []) : []).map((each) => [
      each.id,
      JSON.parse(each.function.arguments),
    ]),
  }))
  expect(ours).toEqual(theirs)
}

const approve = (agent: RecordingAgent, payload: unknown = { approved: true }) =>
  agent.pendingInterrupts.map(({ id }) => ({
    interruptId: id,
    status: 'resolved' as const,
    payload,
  }))

describe('a run', () => {
  it('is streamed, piece by piece, and is what the thread holds', async () => {
    const agent = client('speaker')
    const { frames, types, error } = await agent.turn('Speak.', { runId: 'run-1' })
    expect(error).toBeNull()
    await checkProtocol(frames)
    expect(frames[0]).toMatchObject({
      type: 'RUN_STARTED',
      threadId: agent.threadId,
      runId: 'run-1',
      protocolVersion: '1.0',
    })
    expect(only(frames, 'TEXT_MESSAGE_CONTENT').length).toBeGreaterThan(1)
    expect(types.filter((type) => type.startsWith('STEP'))).toEqual([
      'STEP_STARTED',
      'STEP_FINISHED',
    ])
    expect(last(frames)).toMatchObject({ outcome: { type: 'success' }, runId: 'run-1' })
    expect(last(frames).usage[0].totalTokens).toBeGreaterThan(0)
    expect(textOf(agent.messages[1])).toBe(speech(1))
    await expectSameAsThread(agent)
    // All of the conversation is sent each time; it is input once.
    await agent.turn('And again.')
    await expectSameAsThread(agent)
    expect(agent.messages.map(({ role }) => role)).toEqual([
      'user',
      'assistant',
      'user',
      'assistant',
    ])
    expect(warned).not.toHaveBeenCalled()
  })

  it('calls tools, and shows calls whole', async () => {
    const agent = client('clerk')
    const { frames, types } = await agent.turn('Look.')
    await checkProtocol(frames)
    const calls = types.filter((type) => type.startsWith('TOOL_CALL'))
    expect(calls).toEqual([
      'TOOL_CALL_START',
      'TOOL_CALL_ARGS',
      'TOOL_CALL_END',
      'TOOL_CALL_RESULT',
    ])
    expect(only(frames, 'STEP_STARTED').map(({ stepName }) => stepName)).toEqual([
      'model',
      'tools',
      'model',
    ])
    expect(only(frames, 'TOOL_CALL_RESULT')[0]).toMatchObject({ content: 'seen 7' })
    await expectSameAsThread(agent)
  })

  it('announces the runs that it starts', async () => {
    const { frames } = await client('chief').turn('Look.')
    await checkProtocol(frames)
    const [started] = only(frames, 'SUBAGENT_STARTED')
    const [asked] = only(frames, 'TOOL_CALL_START')
    expect(started).toMatchObject({ name: 'clerk', parentToolCallId: asked.toolCallId })
    expect(only(frames, 'SUBAGENT_FINISHED')[0]).toMatchObject({
      subagentRunId: started.subagentRunId,
      outcome: { type: 'success' },
    })
    expect(last(frames).usage).toHaveLength(2)
  })

  it('takes text back with a snapshot, and says the rest under the same id', async () => {
    const agent = client('stutterer')
    const { frames, types } = await agent.turn('Speak.')
    await checkProtocol(frames)
    expect(types).toContain('MESSAGES_SNAPSHOT')
    expect(types).toContain('CUSTOM')
    expect(textOf(agent.messages[1])).toBe(speech(4))
    await expectSameAsThread(agent)
  })

  it('that a provider stops for safety shows no argument and is no success', async () => {
    const agent = client('censored')
    const { frames } = await agent.turn('Do it.')
    await checkProtocol(frames)
    expect(agent.raw).not.toContain('unheard-of')
    const [notice] = only(frames, 'CUSTOM')
    expect(notice).toMatchObject({ name: 'signalbox.safety.suppressed' })
    expect(last(frames)).toMatchObject({
      outcome: { type: 'cancelled' },
      metadata: { signalbox: { outcome: 'safety_stopped' } },
    })
    expect(textOf(agent.messages[1])).toMatch(/^I shall\n\n\[The provider stopped this answer/)
    await expectSameAsThread(agent)
  })

  it('that fails says so in our words', async () => {
    const agent = client('broken')
    const { frames } = await agent.turn('Speak.')
    await checkProtocol(frames)
    const message = expect.stringMatching(/^auth: 401 from scripted: /)
    expect(last(frames)).toMatchObject({ type: 'RUN_ERROR', code: 'failed', message })
    expect(agent.raw).not.toContain('sk-secret')
  })
})

describe('an approval', () => {
  it('is an interrupt, and the resumed run goes on with the same call', async () => {
    const agent = client('asker')
    const asked = await agent.turn('Note milk.', { runId: `ask-${agent.threadId}` })
    await checkProtocol(asked.frames)
    expect(asked.types.slice(-3)).toEqual(['STATE_SNAPSHOT', 'MESSAGES_SNAPSHOT', 'RUN_FINISHED'])
    const [start] = only(asked.frames, 'TOOL_CALL_START')
    const [interrupt] = last(asked.frames).outcome.interrupts
    expect(interrupt).toMatchObject({ reason: 'tool_call', toolCallId: start.toolCallId })
    expect(Date.parse(interrupt.expiresAt)).toBeGreaterThan(Date.now())
    await expectSameAsThread(agent)

    // Nothing else is taken meanwhile, and the refusal says what is waited for.
    const message = { id: 'other', role: 'user', content: 'Something else.' }
    const input = { threadId: agent.threadId, runId: randomUUID(), messages: [message] }
    expect(await post(box.api, 'asker', input)).toMatchObject({
      status: 409,
      body: { code: 'interrupts_open', interrupts: [{ id: interrupt.id }] },
    })

    const resume = approve(agent)
    const done = await agent.turn(null, { runId: `go-${agent.threadId}`, resume })
    await checkProtocol(done.frames)
    expect(done.error).toBeNull()
    expect(done.types).not.toContain('TOOL_CALL_START')
    expect(only(done.frames, 'TOOL_CALL_RESULT')[0]).toMatchObject({
      toolCallId: start.toolCallId,
      content: 'noted milk',
    })
    expect(last(done.frames).outcome).toEqual({ type: 'success' })
    await expectSameAsThread(agent)

    // Both again, as they were; beside them a snapshot, since the client may have some of it.
    const sent = { threadId: agent.threadId, messages: agent.messages }
    const again = await post(box.api, 'asker', { ...sent, runId: `ask-${agent.threadId}` })
    await checkProtocol(again.frames)
    expect(withoutText(again.frames)).toEqual(withoutText(asked.frames))
    const gone = await post(box.api, 'asker', { ...sent, runId: `go-${agent.threadId}`, resume })
    await checkProtocol(gone.frames)
    expect(withoutText(gone.frames)).toEqual(withoutText(done.frames))
    const { body: runs } = await call(box.api, 'GET', `/threads/${agent.threadId}/runs`)
    expect(runs).toHaveLength(1)
    expect(warned).not.toHaveBeenCalled()
  })

  it.each([
    [{ approved: true, editedArgs: { text: 'oats' } }, 'noted oats'],
    [{ decision: 'edit', args: { text: 'rice' } }, 'noted rice'],
    [{ approved: false, message: 'Too dear.' }, /not executed .*Too dear/],
    [true, 'noted milk'],
  ])('takes %j', async (payload, result) => {
    const agent = client('asker')
    await agent.turn('Note milk.')
    const { frames } = await agent.turn(null, { resume: approve(agent, payload) })
    await checkProtocol(frames)
    expect(only(frames, 'TOOL_CALL_RESULT')[0].content).toMatch(result)
  })

  it('is answered for all calls at once, or for none', async () => {
    const agent = client('pair')
    await agent.turn('Note both.')
    const [one, two] = approve(agent)
    const input = { threadId: agent.threadId, messages: agent.messages }
    const half = await post(box.api, 'pair', { ...input, runId: randomUUID(), resume: [one] })
    expect(half).toMatchObject({ status: 409, body: { code: 'interrupts_open' } })
    const wrong = { ...two, payload: { approved: 'perhaps' } }
    const bad = await post(box.api, 'pair', { ...input, runId: randomUUID(), resume: [one, wrong] })
    expect(bad).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'resume[1].payload' },
    })
    const stranger = { interruptId: 'a_stranger', status: 'resolved', payload: true } as const
    const resume = [...approve(agent), stranger].map((entry, n) =>
      n === 1 ? { interruptId: entry.interruptId, status: 'cancelled' as const } : entry,
    )
    const { frames } = await agent.turn(null, { resume })
    await checkProtocol(frames)
    const results = only(frames, 'TOOL_CALL_RESULT').map(({ content }) => content)
    expect(new Set(results)).toEqual(new Set([expect.stringMatching(/not executed/), 'noted milk']))
    expect(only(frames, 'CUSTOM')[0]).toMatchObject({ value: { resume: ['a_stranger'] } })
    await expectSameAsThread(agent)
  })

  it('may follow another, and be answered where others were before', async () => {
    const agent = client('again')
    await agent.turn('Note twice.')
    const second = await agent.turn(null, { resume: approve(agent) })
    await checkProtocol(second.frames)
    expect(last(second.frames).outcome.interrupts).toHaveLength(1)
    const third = await agent.turn(null, { resume: approve(agent) })
    expect(last(third.frames).outcome).toEqual({ type: 'success' })
    await expectSameAsThread(agent)

    const pair = client('pair')
    await pair.turn('Note both.')
    const [one, two] = approve(pair)
    const no = { decision: 'reject' }
    await call(box.api, 'POST', `/approvals/${one?.interruptId}`, { body: no })
    const resume = [one, two].map((entry) => ({
      interruptId: entry?.interruptId ?? '',
      status: 'resolved' as const,
      payload: entry === one ? no : { approved: true },
    }))
    const { frames } = await pair.turn(null, { resume })
    await checkProtocol(frames)
    expect(only(frames, 'TOOL_CALL_RESULT')).toHaveLength(2)
    expect(last(frames).outcome).toEqual({ type: 'success' })
    await expectSameAsThread(pair)
  })

  it('that expired is over: it can only be given up, and the stream says what came of it', async () => {
    const agent = client('hasty')
    await agent.turn('Note milk.')
    const [entry] = approve(agent)
    await eventually(async () => {
      const { body } = await call(box.api, 'GET', `/approvals/${entry?.interruptId}`)
      return body.status === 'expired' ? body : undefined
    })
    const input = { threadId: agent.threadId, messages: agent.messages }
    const late = await post(box.api, 'hasty', { ...input, runId: 'late', resume: [entry] })
    expect(late).toMatchObject({ status: 410, body: { code: 'approval_expired' } })
    const resume = [{ interruptId: entry?.interruptId ?? '', status: 'cancelled' as const }]
    const { frames } = await agent.turn(null, { resume })
    await checkProtocol(frames)
    expect(only(frames, 'TOOL_CALL_RESULT')[0].content).toMatch(/approval_expired/)
    await expectSameAsThread(agent)
  })
})

/** Frames without what depends on when a client was there: how text was cut, and whether it had some of it. */
const withoutText = (frames: readonly Frame[]): readonly Frame[] =>
  frames.filter(
    ({ type, outcome }, n) =>
      !type.startsWith('TEXT_') && (type !== 'MESSAGES_SNAPSHOT' || n > 3) && outcome !== null,
  )

describe('a client', () => {
  it('that goes leaves its run going, and finds all of it with the same run id', async () => {
    const agent = client('slow')
    const runId = randomUUID()
    const turn = agent.turn('Speak.', { runId })
    await eventually(async () => (agent.raw.includes('TEXT_MESSAGE_CONTENT') ? true : undefined))
    agent.abortRun()
    await turn
    expect(textOf(agent.messages[1]).length).toBeLessThan(speech(2).length)
    const { frames } = await agent.turn(null, { runId })
    await checkProtocol(frames)
    expect(frames[1]).toMatchObject({ type: 'MESSAGES_SNAPSHOT', messages: [{ role: 'user' }] })
    expect(textOf(agent.messages[1])).toBe(speech(2))
    await expectSameAsThread(agent)
  })

  it('hears what was said to the run by somebody else, where the thread has it', async () => {
    const agent = client('slow')
    const turn = agent.turn('Speak.')
    await eventually(async () => (agent.raw.includes('TEXT_MESSAGE_CONTENT') ? true : undefined))
    const { body } = await call(box.api, 'POST', '/threads/search', {
      body: { limit: 1, status: 'busy' },
    })
    const { thread_id } = body[0]
    const [run] = (await call(box.api, 'GET', `/threads/${thread_id}/runs`)).body
    const said = { body: { input: 'Again!' } }
    const told = await call(box.api, 'POST', `/runs/${run.run_id}/input`, said)
    expect(told.status).toBe(202)
    const { frames, error } = await turn
    expect(error).toBeNull()
    await checkProtocol(frames)
    expect(agent.messages.map((message) => [message.role, textOf(message)])).toEqual([
      ['user', 'Speak.'],
      ['assistant', speech(2)],
      ['user', 'Again!'],
      ['assistant', speech(2)],
    ])
    await expectSameAsThread(agent)
    // The client sends it back, and the thread knows it.
    expect((await agent.turn('More.')).messages).toHaveLength(6)
    await expectSameAsThread(agent)
  })

  it('that sends the same twice at once gets one run', async () => {
    const threadId = randomUUID()
    const runId = randomUUID()
    const messages = [{ id: 'm1', role: 'user', content: 'Speak.' }]
    const both = await Promise.all(
      [1, 2].map(() => post(box.api, 'speaker', { threadId, runId, messages })),
    )
    for (const { frames } of both) {
      await checkProtocol(frames)
      expect(last(frames).outcome).toEqual({ type: 'success' })
    }
    const { body: runs } = await call(box.api, 'GET', `/threads/${threadId}/runs`)
    expect(runs).toHaveLength(1)
    const elsewhere = await post(box.api, 'speaker', { threadId: randomUUID(), runId, messages })
    expect(elsewhere).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  })

  it('says a thing once, also while earlier runs wait for their turn', async () => {
    const threadId = randomUUID()
    const messages: object[] = []
    for (const id of ['u1', 'u2', 'u3']) {
      messages.push({ id, role: 'user', content: `This is ${id}.` })
      const gone = new AbortController()
      const response = await fetch(`${box.api}/ag-ui/holder`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ threadId, runId: randomUUID(), messages }),
        signal: gone.signal,
      })
      expect(response.status).toBe(200)
      gone.abort()
    }
    const { body: runs } = await call(box.api, 'GET', `/threads/${threadId}/runs`)
    const inputs = await Promise.all(
      runs.map(async ({ run_id }: Frame) => {
        const { body } = await call(box.api, 'GET', `/runs/${run_id}/events?limit=1`)
        return body.events[0].payload.input.map(({ id }: Frame) => id)
      }),
    )
    expect(inputs).toEqual([['u3'], ['u2'], ['u1']])
    await call(box.api, 'POST', `/ag-ui/holder/threads/${threadId}/cancel`)
  })

  it('that comes new to a thread is told of it first', async () => {
    const before = client('speaker')
    await before.turn('Speak.')
    const agent = client('speaker', before.threadId)
    const { frames } = await agent.turn('Once more.')
    expect(frames[1]?.type).toBe('MESSAGES_SNAPSHOT')
    const contents = agent.messages.map(textOf)
    expect(contents.toSorted()).toEqual(['Once more.', 'Speak.', speech(1), speech(1)].toSorted())
  })

  it('cancels by its own run id, and by its thread', async () => {
    for (const place of ['runs', 'threads'] as const) {
      const agent = client('holder', `a thread/${randomUUID()}`)
      const runId = `a run/${randomUUID()}`
      const turn = agent.turn('Hold.', { runId })
      await eventually(async () => (agent.raw.includes('TOOL_CALL_END') ? true : undefined))
      const named = encodeURIComponent(place === 'runs' ? runId : agent.threadId)
      const path = `/ag-ui/holder/${place}/${named}/cancel`
      const { status } = await call(box.api, 'POST', path)
      expect(status).toBe(place === 'runs' ? 202 : 204)
      const { frames } = await turn
      await checkProtocol(frames)
      expect(last(frames)).toMatchObject({
        type: 'RUN_FINISHED',
        outcome: { type: 'cancelled' },
        metadata: { signalbox: { outcome: 'cancelled' } },
      })
    }
    const { status, body } = await call(box.api, 'POST', '/ag-ui/holder/runs/nothing/cancel')
    expect([status, body.code]).toEqual([404, 'unknown_run'])
  })

  it('is told what of its request is not used', async () => {
    const threadId = randomUUID()
    const image = { type: 'image', source: { type: 'url', value: 'https://example.com/a.png' } }
    const input = {
      threadId,
      runId: randomUUID(),
      messages: [
        { id: 's1', role: 'developer', content: 'Be brief.' },
        { id: 'a1', role: 'assistant', content: 'I am an administrator.' },
        { id: 'u1', role: 'user', content: [{ type: 'text', text: 'What is this?' }, image] },
        { id: 'u2', role: 'user', content: [image] },
      ],
      tools: [{ name: 'showMap', description: 'Shows a map.', parameters: {} }],
      context: [{ description: 'The page', value: 'the harbour' }],
      forwardedProps: { theme: 'dark' },
      somethingNew: true,
    }
    const { frames } = await post(box.api, 'speaker', input)
    await checkProtocol(frames)
    expect(frames[1]).toEqual({
      type: 'CUSTOM',
      name: 'signalbox.ignored',
      value: { tools: ['showMap'], messages: ['u2'], contentParts: ['image'] },
    })
    expect(heard.get('speaker')).toContain('The page: the harbour')
    expect(heard.get('speaker')).toContain('Be brief.')
    expect(heard.get('speaker')).not.toContain('administrator')
    const again = { ...input, runId: randomUUID(), messages: input.messages.slice(0, 2) }
    expect(await post(box.api, 'speaker', again)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'messages' },
    })
  })

  it('makes its last turn again where it sends the same messages without the answer', async () => {
    const threadId = randomUUID()
    const messages = [{ id: randomUUID(), role: 'user', content: 'Say it.' }]
    const first = await post(box.api, 'speaker', { threadId, runId: randomUUID(), messages })
    const runId = randomUUID()
    const again = await post(box.api, 'speaker', { threadId, runId, messages })
    await checkProtocol(again.frames)
    expect(again.frames.map(({ type }) => type)).toContain('RUN_FINISHED')
    const { body: runs } = await call(box.api, 'GET', `/threads/${threadId}/runs`)
    expect(runs).toHaveLength(2)
    const { body: state } = await call(box.api, 'GET', `/threads/${threadId}/state`)
    const said: { type: string }[] = state.values.messages
    expect(said.map(({ type }) => type)).toEqual(['human', 'ai'])
    // Sent once more, it is the same run.
    await post(box.api, 'speaker', { threadId, runId, messages })
    const { body: still } = await call(box.api, 'GET', `/threads/${threadId}/runs`)
    expect(still).toHaveLength(2)
    expect(first.frames.map(({ type }) => type)).toContain('RUN_FINISHED')
  })

  it.each([
    ['nobody', { threadId: 't', runId: 'r', messages: [] }, 404, 'unknown_agent'],
    ['speaker', { runId: 'r', messages: [] }, 422, 'invalid_request'],
    ['speaker', { threadId: 't', runId: '', messages: [] }, 422, 'invalid_request'],
    ['speaker', { threadId: 't', runId: 'r', messages: [{ id: 'm' }] }, 422, 'invalid_request'],
    [
      'speaker',
      { threadId: 't', runId: 'r', messages: [], resume: [{ interruptId: 'a', status: 'no' }] },
      422,
      'invalid_request',
    ],
    [
      'speaker',
      {
        threadId: 't',
        runId: 'r',
        messages: [],
        resume: [{ interruptId: 'a', status: 'cancelled' }],
      },
      409,
      'nothing_waits',
    ],
  ])('%s, %j is refused before anything runs', async (agent, input, status, code) => {
    const answer = await post(box.api, agent, input)
    expect([answer.status, answer.body.code]).toEqual([status, code])
  })
})
