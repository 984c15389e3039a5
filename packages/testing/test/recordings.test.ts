/**
 * Recordings of `signalbox/testing`: answers of a provider over HTTP, kept in a file, and played without the provider. Would catch: a key
 * in the file, a recording that answers for another model, one that silently asks the provider.
 */
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { serveScripts } from '@signalbox/models'
import { expectRun, recorded, startTestBox, type TestAgent } from 'signalbox/testing'
import { beforeAll, expect, it, onTestFinished } from 'vitest'
import { payments } from './support/payments.ts'

const key = 'a-key-that-nobody-may-see'
const env = { MY_KEY: key }
let file: string
let baseURL: string

const clerkOf = (model: string): TestAgent => ({
  model: { provider: 'openai-compatible', model, baseURL, apiKeyEnv: 'MY_KEY' },
  tools: ['find_order'],
})

beforeAll(async () => {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-recording-'))
  file = join(dir, 'recordings', 'order.json')
  const provider = await serveScripts({
    large: (_, turn) =>
      turn === 0
        ? { text: 'I look.', calls: [{ name: 'find_order', args: { number: 7 } }] }
        : { text: `It comes to 12.00 EUR; your key is ${key}.`, chunkSize: 500 },
  })
  baseURL = provider.url
  const box = await startTestBox({
    agents: { clerk: clerkOf('large') },
    tools: payments().tools,
    env,
    recording: recorded(file, { record: true }),
  })
  const run = await box.run('clerk', 'What is order 7?')
  expectRun(run)
    .calledOnce('find_order')
    .answered(/12\.00/)
  await box.close()
  if (provider.requests('large') !== 2) throw new Error('the provider was not asked')
  await provider.close()
  return () => rm(dir, { recursive: true, force: true })
})

async function played(options: { readonly model?: string; readonly from?: string } = {}) {
  const { model = 'large', from = file } = options
  const box = await startTestBox({
    // No key is needed, and nobody listens at the address any more.
    agents: { clerk: clerkOf(model) },
    tools: payments().tools,
    env: {},
    recording: recorded(from, { record: false }),
  })
  onTestFinished(() => box.close())
  return box
}

it('holds the answers as they came, and no key', async () => {
  const text = await readFile(file, 'utf8')
  const { answers } = JSON.parse(text)
  expect(answers).toHaveLength(2)
  expect(answers[0]).toMatchObject({
    provider: 'openai-compatible',
    model: 'large',
    content_type: 'text/event-stream',
    body: expect.stringMatching(/^data: .*"tool_calls".*data: \[DONE\]\n\n$/s),
  })
  expect(text).not.toContain(key)
})

it('is played without the provider, through the same reading and judging', async () => {
  const box = await played()
  const run = await box.run('clerk', 'What is order 7?')
  expectRun(run)
    .calledOnce('find_order', { args: { number: 7 } })
    .answered(/^It comes to 12\.00 EUR/)
    .ended('completed')
    .replays()
})

it('that has no further answer says how to record anew', async () => {
  const box = await played()
  await box.run('clerk', 'What is order 7?')
  await expect(box.run('clerk', 'And order 8?')).rejects.toMatchObject({
    code: 'recording',
    message: expect.stringMatching(
      /has 2 answers, and the model was asked once more\. Record it anew/,
    ),
  })
})

it('of another model is refused', async () => {
  const box = await played({ model: 'larger' })
  await expect(box.run('clerk', 'What is order 7?')).rejects.toMatchObject({
    code: 'recording',
    message: expect.stringMatching(
      /is of openai-compatible large, and the agent has openai-compatible larger now/,
    ),
  })
})

it.each([
  ['that is missing', null, /There is no recording .*SIGNALBOX_RECORD=1/],
  ['that is none', '{"answers":[]}', /is no recording: .*signalbox_recording/s],
  ['that is no JSON', 'data: {}', /is no recording/],
])('a file %s', async (_, text, message) => {
  const from = join(file, '..', `${Math.random()}.json`)
  if (text !== null) await writeFile(from, text)
  const box = await played({ from })
  await expect(box.run('clerk', 'Hi.')).rejects.toMatchObject({
    code: 'recording',
    message: expect.stringMatching(message),
  })
})
