/**
 * Questions of a model as other vendors' clients see them: an interrupt of LangGraph's, an interrupt of AG-UI's, and a task of A2A's that wants
 * input. Would catch: an answer that begins another run or another stream's story, and a client that cannot tell what is asked.
 */
import { randomUUID } from 'node:crypto'
import { type Message, Role, type Task, TaskState } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { Prompt } from '@signalbox/core'
import { Client } from 'langgraph-sdk-2'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { call } from '../../packages/server/test/support/http.ts'
import { lastResults } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { checkProtocol, RecordingAgent } from './support/ag-ui.ts'

const questions = {
  words: { question: 'Which account?' },
  options: { question: 'Which one?', options: ['Savings', 'Checking'] },
  form: { question: 'How much?', form: [{ name: 'amount', type: 'number' }] },
}

const asking = (...asked: readonly object[]) => ({
  calls: asked.map((args) => ({ name: 'ask_clarification', args: { ...args } })),
})
const asks =
  (...asked: readonly object[]) =>
  (prompt: Prompt, turn: number) =>
    turn === 0 ? asking(...asked) : { text: `I read: ${lastResults(prompt)}` }

const agentOf = (model: string) => ({
  model: { provider: 'scripted' as const, model },
  clarification: true as const,
})

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: {
      words: agentOf('words'),
      options: agentOf('options'),
      form: agentOf('form'),
      both: agentOf('both'),
    },
    scripts: {
      words: asks(questions.words),
      options: asks(questions.options),
      form: asks(questions.form),
      both: asks(questions.words, questions.options),
    },
  })
})
afterAll(() => box?.stop())

const runsOf = async (thread: string) =>
  (await call(box.api, 'GET', `/threads/${thread}/runs`)).body.length

describe('LangGraph', () => {
  const input = { messages: [{ role: 'user', content: 'Go.' }] }

  it('reads an interrupt, and the same run goes on with `command.resume`', async () => {
    const client = new Client({ apiUrl: box.api })
    const { thread_id } = await client.threads.create()
    const frames: unknown[] = []
    for await (const frame of client.runs.stream(thread_id, 'words', {
      input,
      streamMode: 'updates',
    }))
      frames.push(frame.data)
    expect(JSON.stringify(frames)).toContain('Which account?')
    const state = await client.threads.getState(thread_id)
    const [interrupt] = state.tasks.flatMap(({ interrupts }) => interrupts)
    expect(interrupt?.value).toMatchObject({ for: 'input', kind: 'text' })
    expect(state.next).toEqual(['input'])
    const values = await client.runs.wait(thread_id, 'words', { command: { resume: 'the first' } })
    expect(JSON.stringify(values)).toContain('I read: The user answered: the first')
    expect(await runsOf(thread_id)).toBe(1)
  })

  it('answers several by their ids', async () => {
    const client = new Client({ apiUrl: box.api })
    const { thread_id } = await client.threads.create()
    await client.runs.wait(thread_id, 'both', { input })
    const state = await client.threads.getState(thread_id)
    const ids = state.tasks.flatMap(({ interrupts }) => interrupts.map(({ id }) => id ?? ''))
    const [one = '', two = ''] = ids
    const resume = { [one]: 'mine', [two]: 'Savings' }
    const values = await client.runs.wait(thread_id, 'both', { command: { resume } })
    expect(JSON.stringify(values)).toContain('The user chose: Savings')
  })
})

describe('AG-UI', () => {
  it.each([
    ['words', { text: 'the first' }, 'The user answered: the first'],
    ['options', { option: 'Savings' }, 'The user chose: Savings'],
    ['form', { values: { amount: 3 } }, 'The user filled in the form: {"amount":3}'],
  ] as const)('%s: is an interrupt, and the resumed run goes on', async (name, payload, words) => {
    const agent = new RecordingAgent(box.api, name, randomUUID())
    const asked = await agent.turn('Go.')
    await checkProtocol(asked.frames)
    const [interrupt] = asked.frames.at(-1).outcome.interrupts
    expect(interrupt).toMatchObject({ reason: 'input_required', message: questions[name].question })
    expect(interrupt.responseSchema.required).toEqual(Object.keys(payload))
    const resume = [{ interruptId: interrupt.id, status: 'resolved' as const, payload }]
    const runId = randomUUID()
    const done = await agent.turn(null, { runId, resume })
    await checkProtocol(done.frames)
    expect(done.error).toBeNull()
    const [result] = done.frames.filter(({ type }) => type === 'TOOL_CALL_RESULT')
    expect(result).toMatchObject({ toolCallId: interrupt.toolCallId, content: words })
    expect(done.frames.at(-1).outcome).toEqual({ type: 'success' })
    expect(await runsOf(agent.threadId)).toBe(1)
  })

  it('is left without an answer by whoever closes it', async () => {
    const agent = new RecordingAgent(box.api, 'form', randomUUID())
    const asked = await agent.turn('Go.')
    const [interrupt] = asked.frames.at(-1).outcome.interrupts
    const resume = [{ interruptId: interrupt.id, status: 'cancelled' as const }]
    const done = await agent.turn(null, { resume })
    expect(JSON.stringify(done.frames)).toContain('did not want to answer')
  })
})

const message = (parts: Message['parts'], about: Partial<Message> = {}): Message => ({
  messageId: randomUUID(),
  contextId: '',
  taskId: '',
  role: Role.ROLE_USER,
  parts,
  metadata: undefined,
  extensions: [],
  referenceTaskIds: [],
  ...about,
})

const part = (content: Message['parts'][number]['content']): Message['parts'][number] => ({
  content,
  metadata: undefined,
  filename: '',
  mediaType: '',
})

const text = (value: string) => part({ $case: 'text', value })

const data = (value: unknown) => part({ $case: 'data', value })

async function sent(agent: string, said: Message): Promise<Task> {
  const client = await new ClientFactory({
    transports: [new JsonRpcTransportFactory()],
  }).createFromUrl(`${box.api}/a2a/${agent}/`)
  const result = await client.sendMessage({
    tenant: '',
    message: said,
    configuration: undefined,
    metadata: undefined,
  })
  if (!('status' in result)) throw new Error('a message instead of a task')
  return result
}

describe('A2A', () => {
  it.each([
    ['words', text('the first'), 'The user answered: the first'],
    ['options', text('Savings'), 'The user chose: Savings'],
    ['form', data({ values: { amount: 3 } }), 'The user filled in the form'],
  ] as const)('%s: a task that wants input takes it', async (name, answer, words) => {
    const task = await sent(name, message([text('Go.')]))
    expect(task.status?.state).toBe(TaskState.TASK_STATE_INPUT_REQUIRED)
    const [asked, about] = task.status?.message?.parts ?? []
    expect(asked?.content).toEqual({ $case: 'text', value: questions[name].question })
    expect(about?.content).toMatchObject({ value: { for: 'input' } })
    const done = await sent(name, message([answer], { taskId: task.id }))
    expect(done.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    expect(JSON.stringify(done.artifacts)).toContain(words)
    expect(done.id).toBe(task.id)
  })

  it('an option that is none is refused by its field', async () => {
    const task = await sent('options', message([text('Go.')]))
    await expect(sent('options', message([text('Gold')], { taskId: task.id }))).rejects.toThrow(
      /option/,
    )
  })
})
