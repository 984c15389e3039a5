/**
 * The artifacts of a run, through the clients of three vendors: each says it where the run has ended. Would catch: an artifact that
 * only one wire shows, a field for files on a run that has none.
 */
import { randomUUID } from 'node:crypto'
import { Role } from '@a2a-js/sdk'
import { ClientFactory, JsonRpcTransportFactory } from '@a2a-js/sdk/client'
import type { Script } from '@signalbox/models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { RecordingAgent } from './support/ag-ui.ts'
import { readMessage } from './support/ai-sdk-chat.ts'

const model = { provider: 'scripted', model: 'writer' } as const
const args = { path: 'outputs/report.md', content: 'whole' }

/** Writes a report if that is asked for. */
const writer: Script = (prompt, turn) =>
  turn === 0 && JSON.stringify(prompt).includes('report')
    ? { calls: [{ name: 'write_file', args }] }
    : { text: 'Done.' }

let box: TestSignalbox

beforeAll(async () => {
  box = await startTest({
    agents: { writer: { model, tools: ['workspace'] } },
    scripts: { writer },
  })
})

afterAll(async () => {
  await box?.stop()
})

const files = { 'outputs/report.md': { bytes: 5 } }
const asked = [
  ['Write the report.', { outcome: 'completed', files }],
  ['Say it.', { outcome: 'completed' }],
] as const

it.each(asked)('on AG-UI: %s', async (words, expected) => {
  const agent = new RecordingAgent(box.api, 'writer', randomUUID())
  const { frames, error } = await agent.turn(words)
  expect(error).toBeNull()
  expect(frames.at(-1)?.metadata).toEqual({ signalbox: expected })
})

it.each(asked)('on A2A: %s', async (words, expected) => {
  const transports = [new JsonRpcTransportFactory()]
  const client = await new ClientFactory({ transports }).createFromUrl(`${box.api}/a2a/writer/`)
  const task = await client.sendMessage({
    tenant: '',
    configuration: {
      acceptedOutputModes: [],
      taskPushNotificationConfig: undefined,
      historyLength: undefined,
      returnImmediately: false,
    },
    metadata: undefined,
    message: {
      messageId: randomUUID(),
      contextId: '',
      taskId: '',
      role: Role.ROLE_USER,
      parts: [
        {
          content: { $case: 'text', value: words },
          metadata: undefined,
          filename: '',
          mediaType: '',
        },
      ],
      metadata: undefined,
      extensions: [],
      referenceTaskIds: [],
    },
  })
  expect(task).toMatchObject({ metadata: { signalbox: expected } })
  expect(JSON.stringify(task).includes('"files"')).toBe('files' in expected)
})

it.each(asked)('on the AI SDK: %s', async (words, expected) => {
  const said = { id: randomUUID(), role: 'user', parts: [{ type: 'text', text: words }] }
  const answer = await fetch(`${box.api}/chat/writer`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ id: randomUUID(), messages: [said] }),
  })
  const { metadata } = await readMessage(answer)
  expect(metadata).toMatchObject({ status: 'ended', ...expected })
  expect(JSON.stringify(metadata).includes('"files"')).toBe('files' in expected)
})
