/** Logs without secrets, spans with the names of OpenTelemetry and without content. */
import { InMemorySpanExporter } from '@opentelemetry/sdk-trace-node'
import type { ModelTurn } from '@signalbox/core'
import { createLog, createRedact, secretsOf } from '@signalbox/server'
import { describe, expect, it } from 'vitest'
import { exportTo } from '../src/observe/otlp-tracing.ts'
import { textStream } from '../src/stream/sse.ts'

describe('the log', () => {
  const env = {
    KIMI_KEY: 'moonshot-value-1',
    DATABASE_URL: 'postgres://u:p%40ss-word@host/db',
    GITHUB_TOKEN: 'token-value-2',
    HOME: '/home/someone',
    SHORT_SECRET: 'abc',
  }
  const logged = (say: (log: ReturnType<typeof createLog>) => void): string => {
    let text = ''
    const destination = { write: (line: string) => void (text += line) }
    say(createLog({ level: 'debug', secrets: secretsOf(env, ['KIMI_KEY']), destination }))
    return text
  }

  it('is one JSON object per line, with level, time, message and fields', () => {
    const line = logged((log) => log.warn('something', { runId: 'r', ms: 3 }))
    expect(JSON.parse(line)).toMatchObject({ level: 'warn', msg: 'something', runId: 'r', ms: 3 })
    expect(Date.parse(JSON.parse(line).time)).toBeGreaterThan(0)
  })

  it('never prints a secret, wherever it stands', () => {
    const text = logged((log) => {
      log.info(`key moonshot-value-1`, { a: { b: ['token-value-2'] } })
      log.error('failed', { error: new Error('cannot reach postgres://u:p%40ss-word@host/db') })
      log.info('p@ss-word decoded')
      log.info('Authorization: Bearer abcdefgh.ijk', { apiKey: 'whatever', password: 'hunter2' })
      log.info('sk-abcdefghijklmnop AKIAABCDEFGHIJKLMNOP eyJhbGciOiJI.eyJzdWIiOiIx.sig')
    })
    for (const secret of [
      'moonshot-value-1',
      'token-value-2',
      'p%40ss-word',
      'p@ss-word',
      'abcdefgh.ijk',
      'whatever',
      'hunter2',
      'sk-abcdefghijklmnop',
      'AKIAABCDEFGHIJKLMNOP',
      'eyJhbGciOiJI',
    ])
      expect(text).not.toContain(secret)
    expect(text).toContain('/db')
  })

  it('leaves other texts alone', () => {
    const redact = createRedact(secretsOf(env, []))
    const value = { run: 'abc', path: '/home/someone', tokens: 12, list: [1, null, true] }
    expect(redact(value)).toEqual(value)
  })
})

describe('a trace', () => {
  const turn: ModelTurn = {
    verdict: 'complete',
    message: { id: 'm', role: 'assistant', parts: [{ type: 'text', text: 'very private' }] },
    suppressed: [],
    evidence: [],
    finish: { unified: 'stop' },
    usage: { inputTokens: 7, outputTokens: 3 },
    provider: 'openai',
    model: 'gpt-x-1',
  }
  const request = {
    model: {
      provider: 'openai' as const,
      model: 'gpt-x',
      idleTimeoutMs: 1,
      endMarker: 'required' as const,
    },
    detectors: undefined,
    prompt: [{ role: 'system' as const, text: 'very private' }],
    tools: [],
    messageId: 'm',
    callIdPrefix: 'c',
    argsHash: () => 'a',
    hmacKey: '00',
    guard: null,
    endUser: null,
  }
  const call = {
    name: 'note',
    version: 'v',
    args: { text: 'very private' },
    idempotencyKey: 'run.1',
    attempt: 1,
    tenantId: 'default',
    threadId: 't',
    runId: 'r',
    callId: 'c_0',
    timeoutMs: 1,
    progress: () => {},
  }

  it('has a span per model call and execution, and no content', async () => {
    const exporter = new InMemorySpanExporter()
    const tracing = exportTo(exporter)
    tracing.modelCall(request).answered(turn, 12)
    tracing.toolCall(call).ended({ status: 'failed', error: { code: 'tool_error', message: 'x' } })
    await tracing.flush()
    const [model, tool] = exporter.getFinishedSpans()
    expect(model?.name).toBe('chat gpt-x')
    expect(model?.attributes).toMatchObject({
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': 'openai',
      'gen_ai.request.model': 'gpt-x',
      'gen_ai.response.model': 'gpt-x-1',
      'gen_ai.usage.input_tokens': 7,
      'gen_ai.usage.output_tokens': 3,
      'gen_ai.response.finish_reasons': ['stop'],
    })
    expect(tool?.name).toBe('execute_tool note')
    expect(tool?.attributes).toMatchObject({
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': 'note',
      'gen_ai.tool.call.id': 'c_0',
      'error.type': 'tool_error',
    })
    const text = JSON.stringify([model?.attributes, tool?.attributes])
    expect(text).not.toContain('very private')
    await tracing.close()
  })
})

async function* breaking(): AsyncGenerator<string, void, undefined> {
  yield 'x'
  throw new Error('password "hunter2" is wrong')
}

describe('a text stream', () => {
  const silent = { error: () => {} }

  it('breaks the connection of a client that does not read, and ends its source', async () => {
    let ended = false
    async function* endless(): AsyncGenerator<string, void, undefined> {
      try {
        for (;;) yield 'x'
      } finally {
        ended = true
      }
    }
    let gone = 0
    const stream = textStream(endless(), { stallMs: 20, onGone: () => (gone += 1), log: silent })
    const reader = stream.getReader()
    await reader.read()
    await expect.poll(() => ended, { timeout: 20_000 }).toBe(true)
    expect(gone).toBeGreaterThan(0)
    await expect(reader.read()).rejects.toThrow('does not read')
  })

  it('pulls nothing before somebody waits for it', async () => {
    let pulled = 0
    async function* counted(): AsyncGenerator<string, void, undefined> {
      for (;;) yield String((pulled += 1))
    }
    const options = { stallMs: 60_000, onGone: () => {}, log: silent }
    const reader = textStream(counted(), options).getReader()
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBe(0)
    await reader.read()
    await new Promise((resolve) => setImmediate(resolve))
    expect(pulled).toBe(1)
    await reader.cancel()
  })

  it('shows that it lives while its source waits, and loses no piece', async () => {
    const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
    async function* waiting(): AsyncGenerator<string, void, undefined> {
      yield 'one'
      await answered
      yield 'two'
    }
    const beat = { text: ': heartbeat\n', afterMs: 10 }
    const options = { stallMs: 60_000, onGone: () => {}, log: silent, beat }
    const reader = textStream(waiting(), options).getReader()
    const seen: string[] = []
    const read = async () => {
      const { value } = await reader.read()
      if (value) seen.push(new TextDecoder().decode(value))
    }
    for (let n = 0; n < 4; n++) await read()
    expect(seen).toEqual(['one', beat.text, beat.text, beat.text])
    answer()
    while (seen.at(-1) === beat.text) await read()
    expect(seen.filter((each) => each !== beat.text)).toEqual(['one', 'two'])
    expect((await reader.read()).done).toBe(true)
  })

  it('says nothing of what broke it but to the log', async () => {
    const logged: string[] = []
    const log = { error: (_: string, about?: object) => logged.push(JSON.stringify(about)) }
    const reader = textStream(breaking(), { stallMs: 60_000, onGone: () => {}, log }).getReader()
    await reader.read()
    await expect(reader.read()).rejects.toThrow(/^the stream broke off; the log says why$/)
    expect(logged.join()).toContain('hunter2')
  })
})
