/**
 * §19 cache 2: what a provider says it wrote to its cache, from the bytes of its answer to the report. Would catch: money that the report
 * counts otherwise than the budget, tokens that count twice, a key that a provider is not told.
 */
import { createServer } from 'node:http'
import type { ConfigInput } from '@signalbox/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** An answer that counts 100 tokens of input: 60 from a cache, 30 put into it. */
const chunks = [
  { choices: [{ index: 0, delta: { role: 'assistant', content: 'Done.' }, finish_reason: null }] },
  { choices: [{ index: 0, delta: {}, finish_reason: 'stop' }] },
  {
    choices: [],
    usage: {
      prompt_tokens: 100,
      completion_tokens: 10,
      total_tokens: 110,
      prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 30 },
    },
  },
]
const answer = [
  ...chunks.map((chunk) =>
    JSON.stringify({ id: 'c', object: 'chat.completion.chunk', created: 1, model: 'm', ...chunk }),
  ),
  '[DONE]',
]
  .map((data) => `data: ${data}\n\n`)
  .join('')

const asked: string[] = []
const provider = createServer((request, response) => {
  const parts: Buffer[] = []
  request.on('data', (part: Buffer) => parts.push(part))
  request.on('end', () => {
    asked.push(Buffer.concat(parts).toString('utf8'))
    response.writeHead(200, { 'content-type': 'text/event-stream' }).end(answer)
  })
})

const price = {
  inputPerMTok: 4,
  outputPerMTok: 10,
  cachedInputPerMTok: 0.5,
  cacheWritePerMTok: 5,
}
/** 10 new, 60 read, 30 written, 10 answered: 40 + 30 + 150 + 100 millionths. */
const cost = 0.00032

let box: TestSignalbox
beforeAll(async () => {
  await new Promise<void>((resolve) => provider.listen(0, '127.0.0.1', resolve))
  const address = provider.address()
  const port = typeof address === 'object' ? address?.port : 0
  const baseURL = `http://127.0.0.1:${port}/v1`
  const config: ConfigInput = {
    agents: {
      keeper: {
        model: {
          provider: 'openai',
          model: 'm',
          apiKeyEnv: 'CACHE_TEST_KEY',
          baseURL,
          price,
          providerOptions: { openai: { promptCacheKey: true } },
        },
        limits: { maxCost: 1 },
      },
    },
  }
  box = await startTest(config, { env: { CACHE_TEST_KEY: 'key-of-the-test' } })
})
afterAll(async () => {
  await box?.stop()
  provider.close()
})

it('is in the event, in the report and in the metrics, and priced as it is configured', async () => {
  const { body } = await call(box.api, 'POST', '/runs/wait', {
    body: { assistant_id: 'keeper', input: 'Please.' },
  })
  const { events } = (await call(box.api, 'GET', `/runs/${body.run.run_id}/events?limit=1000`)).body
  const completed = events.find(({ type }: { type: string }) => type === 'model.completed')
  expect(completed.payload.turn.usage).toEqual({
    inputTokens: 100,
    outputTokens: 10,
    cachedInputTokens: 60,
    cacheWriteTokens: 30,
    reasoningTokens: 0,
  })
  await box.settled()
  const usage = (await call(box.api, 'GET', '/usage?by=agent')).body
  expect(usage.groups).toEqual([
    {
      agent: 'keeper',
      runs: 1,
      turns: 1,
      calls: 0,
      input_tokens: 100,
      cached_input_tokens: 60,
      cache_write_tokens: 30,
      output_tokens: 10,
      cost,
    },
  ])
})

it('the provider was told one key, which names neither thread nor tenant', async () => {
  const key: unknown = JSON.parse(asked[0] ?? '{}').prompt_cache_key
  expect(key).toMatch(/^[0-9a-f]{32}$/)
})
