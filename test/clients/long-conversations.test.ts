/**
 * Runs that read more than the window of their model holds, as clients of each wire see them, against a real server (context systems C9, §5.6, §18
 * rows 4 and 11). Would catch: a summary that is shown as an answer, a message or a result that a user loses when it is summed up, an event that a client
 * refuses, a run that is full and looks as if it had ended well, an operation that our own client cannot call.
 */
import { randomUUID } from 'node:crypto'
import { Role, type SendMessageRequest, type Task, TaskState } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { Prompt } from '@signalbox/core'
import { createClient, isEvent, type RunFrame, SignalboxError } from '@signalbox/client'
import type { Script } from '@signalbox/models'
import { defineTool } from '@signalbox/tools'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { call } from '../../packages/server/test/support/http.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { checkProtocol, type Frame, RecordingAgent } from './support/ag-ui.ts'
import { outline, readMessage, textOf } from './support/ai-sdk-chat.ts'
import { clientsOf, collect, type Part } from './support/streamed.ts'

const pages = 12
const summary = 'What a summary says is for models alone.'
const full = '[CONTEXT FULL]'

const isSummary = (prompt: Prompt): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

const lastPage = (prompt: Prompt): number =>
  Math.max(
    0,
    ...prompt.flatMap((message) =>
      message.role === 'assistant'
        ? message.parts.flatMap((part) =>
            part.type === 'tool_call' ? [Number(part.args['page'])] : [],
          )
        : [],
    ),
  )

/** Reads all pages, and says which each time. */
const reading: Script = (prompt) => {
  if (isSummary(prompt)) return { text: summary, chunkSize: 8 }
  const page = lastPage(prompt) + 1
  return page <= pages
    ? { text: `I read page ${page}.`, calls: [{ name: 'read_page', args: { page } }] }
    : { text: 'All are read.' }
}

const readPage = defineTool({
  name: 'read_page',
  description: 'Reads a page.',
  effect: 'read',
  input: z.object({ page: z.number() }),
  run: ({ page }) => `Page ${page}. ${'Nothing of note. '.repeat(350)}`,
})

const scripted = (model: string, contextWindow: number) =>
  ({ provider: 'scripted', model, contextWindow }) as const

let box: TestSignalbox
beforeAll(async () => {
  box = await startTest({
    agents: {
      archivist: { model: scripted('archivist', 8_000), tools: ['read_page'], context: {} },
      quick: { model: scripted('quick', 8_000) },
      // Its instructions alone are more than its model can take.
      cramped: {
        model: scripted('archivist', 1_000),
        instructions: 'i'.repeat(9_000),
        context: {},
      },
    },
    tools: [readPage],
    scripts: { archivist: reading, quick: () => ({ text: 'Yes.' }) },
  })
})
afterAll(() => box?.stop())

const answers = [
  ...Array.from({ length: pages }, (_, n) => `I read page ${n + 1}.`),
  'All are read.',
]
const results = Array.from({ length: pages }, (_, n) => `Page ${n + 1}. `)

/** Does the log of the run tell of summaries? */
async function expectSummedUp(runId: string): Promise<void> {
  const { body } = await call(box.api, 'GET', `/runs/${runId}/events?limit=1000`)
  const types: readonly string[] = body.events.map(({ type }: { type: string }) => type)
  expect(types.filter((type) => type === 'context.compacted').length).toBeGreaterThan(1)
}

/** Expects all answers and all results of tools, in order, as LangGraph has messages, and no summary. */
function expectWhole(messages: readonly Part['data'][]): void {
  const said = messages.filter(({ type, content }) => type === 'ai' && content !== '')
  expect(said.map(({ content }) => content)).toEqual(answers)
  const answered = messages.filter(({ type }) => type === 'tool')
  expect(answered.map(({ content }) => String(content).slice(0, 8).trim())).toEqual(
    results.map((each) => each.slice(0, 8).trim()),
  )
  expect(JSON.stringify(messages)).not.toContain(summary)
}

describe.each(['1.12.4', '2.0.0', '1.15.0'])("LangGraph's client %s", (name) => {
  const clientNamed = () => {
    const found = clientsOf(box.api).find((each) => each.name === name)
    if (!found) throw new Error(`there is no client ${name}`)
    return found
  }

  it('has every message, and no summary', async () => {
    const threadId = randomUUID()
    let runId = ''
    const wish = {
      streamMode: ['values', 'messages-tuple', 'updates', 'events', 'tasks', 'checkpoints'],
      input: { messages: [{ role: 'user', content: 'Read all pages.' }] },
      onRun: (run: { readonly runId: string }) => void (runId = run.runId),
    }
    const parts = await collect(clientNamed().stream(threadId, 'archivist', wish))
    expect(parts.at(-1)).toMatchObject({ event: 'end', data: { status: 'success' } })
    expectWhole(parts.findLast(({ event }) => event === 'values')?.data.messages)
    expect(JSON.stringify(parts)).not.toContain(summary)
    await expectSummedUp(runId)
    // A step in which it waits for a summary says so.
    const { body } = await call(box.api, 'GET', `/threads/${threadId}/history?limit=1000`)
    const waits = body.filter(({ next }: Part['data']) => next.includes('context'))
    expect(waits.length).toBeGreaterThan(1)
  })

  it('is told that a conversation is full', async () => {
    const wish = { streamMode: ['values'], input: 'Go.' }
    const parts = await collect(clientNamed().stream(randomUUID(), 'cramped', wish))
    expect(parts.at(-1)).toMatchObject({ event: 'end', data: { status: 'error' } })
    expect(JSON.stringify(parts)).toContain(full)
  })
})

describe("AG-UI's client", () => {
  it('has every message, and a step for each summary', async () => {
    const agent = new RecordingAgent(box.api, 'archivist', randomUUID())
    const { frames, error, messages } = await agent.turn('Read all pages.')
    expect(error).toBeNull()
    await checkProtocol(frames)
    const steps = frames.filter(({ type }: Frame) => type === 'STEP_STARTED')
    expect(steps.filter(({ stepName }: Frame) => stepName === 'context').length).toBeGreaterThan(1)
    const said = messages.filter(({ role, content }) => role === 'assistant' && content)
    expect(said.map(({ content }) => content)).toEqual(answers)
    expect(messages.filter(({ role }) => role === 'tool')).toHaveLength(pages)
    expect(agent.raw).not.toContain(summary)
  })

  it('is told that a conversation is full', async () => {
    const agent = new RecordingAgent(box.api, 'cramped', randomUUID())
    const { frames } = await agent.turn('Go.')
    await checkProtocol(frames)
    expect(frames.some(({ name }: Frame) => name === 'signalbox.context.exhausted')).toBe(true)
    expect(frames.at(-1)).toMatchObject({ type: 'RUN_ERROR', code: 'failed' })
    expect(JSON.stringify(frames.at(-1))).toContain('context_full')
  })
})

/** Asks as the transport of the AI SDK does. */
const send = (agent: string, text: string): Promise<Response> =>
  fetch(`${box.api}/chat/${agent}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      id: randomUUID(),
      trigger: 'submit-message',
      messages: [{ id: randomUUID(), role: 'user', parts: [{ type: 'text', text }] }],
    }),
  })

describe('the AI SDK', () => {
  it('has every step of the answer, and no summary', async () => {
    const response = await send('archivist', 'Read all pages.')
    const raw = response.clone().text()
    const message = await readMessage(response)
    expect(textOf(message)).toBe(answers.join(''))
    expect(outline(message).filter((each) => each.startsWith('tool-'))).toEqual(
      results.map(() => 'tool-read_page output-available'),
    )
    expect(message.metadata).toMatchObject({ status: 'ended', outcome: 'completed' })
    expect(await raw).not.toContain(summary)
  })

  it('is told that a conversation is full', async () => {
    const response = await send('cramped', 'Go.')
    const raw = await response.text()
    expect(raw).toContain(full)
    expect(raw).toContain('context_full')
  })
})

/** The task that a message came to. */
const sent = async (agent: string, text: string): Promise<Task> => {
  const factory = new ClientFactory({ transports: [new JsonRpcTransportFactory()] })
  const client = await factory.createFromUrl(`${box.api}/a2a/${agent}/`)
  const request: SendMessageRequest = {
    tenant: '',
    metadata: undefined,
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      historyLength: undefined,
      returnImmediately: false,
    },
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: text },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  }
  const result = await client.sendMessage(request)
  if (!('status' in result)) throw new Error('a message instead of a task')
  return result
}

describe("A2A's client", () => {
  it('has every answer as an artifact, and no summary', async () => {
    const task = await sent('archivist', 'Read all pages.')
    expect(task.status?.state).toBe(TaskState.TASK_STATE_COMPLETED)
    const texts = task.artifacts.map(({ parts }) =>
      parts.map(({ content }) => (content?.$case === 'text' ? content.value : '')).join(''),
    )
    expect(texts).toEqual(answers)
    expect(JSON.stringify(task)).not.toContain(summary)
  })

  it('is told that a conversation is full', async () => {
    const task = await sent('cramped', 'Go.')
    expect(task.status?.state).toBe(TaskState.TASK_STATE_FAILED)
    expect(JSON.stringify(task.status?.message)).toContain('context_full')
  })
})

const ours = () => createClient({ url: box.api })

describe('our own client', () => {
  it('sees the events of summaries, and no text of theirs', async () => {
    const client = ours()
    const { run_id } = await client.runs.create({ assistant_id: 'archivist', input: 'Read all.' })
    const frames: RunFrame[] = []
    for await (const frame of client.runs.stream(run_id)) frames.push(frame)
    expect(frames.at(-1)).toMatchObject({ kind: 'end', outcome: 'completed' })
    const summed = frames.flatMap((frame) =>
      frame.kind === 'event' && isEvent(frame.event, 'context.compacted')
        ? [frame.event.payload.summary]
        : [],
    )
    expect(summed.length).toBeGreaterThan(1)
    for (const words of summed) expect(words).toEqual([{ type: 'text', text: summary }])
    const streamed = frames.flatMap((frame) => (frame.kind === 'text' ? [frame.text] : []))
    expect(streamed.join('')).not.toContain('summary')
  })

  it('sums a thread up by hand, and reads what a model is shown of it', async () => {
    const client = ours()
    const threadId = `by-hand-${randomUUID()}`
    const path = { thread_id: threadId }
    for (const input of ['Read all pages.', 'And again.']) {
      const run = await client.runs.create({ assistant_id: 'archivist', input }, { threadId })
      await client.runs.join(run.run_id)
    }
    const before = await client.request('GET /threads/{thread_id}/context', { path })
    const { event } = await client.request('POST /threads/{thread_id}/compact', {
      path,
      body: { instructions: 'Keep the numbers of pages.' },
    })
    expect(event?.type).toBe('context.compacted')
    const after = await client.request('GET /threads/{thread_id}/context', { path })
    expect([after.window, after.compactions]).toEqual([8_000, before.compactions + 1])
    const short = { thread_id: `short-${randomUUID()}` }
    const wish = { threadId: short.thread_id }
    const run = await client.runs.create({ assistant_id: 'quick', input: 'Go.' }, wish)
    await client.runs.join(run.run_id)
    const refused = client.request('POST /threads/{thread_id}/compact', { path: short, body: {} })
    await expect(refused).rejects.toMatchObject({ code: 'nothing_to_compact', status: 422 })
    await expect(refused).rejects.toBeInstanceOf(SignalboxError)
  })
})
