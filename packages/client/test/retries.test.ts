/**
 * What is sent again, and what is not, against a server that answers as it is told. Would catch: a request that does
 * something twice, a wait longer than the caller bears, an answer without end.
 */
import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import { type Client, type ClientOptions, createClient } from '@signalbox/client'
import { describe, expect, it } from 'vitest'
import { backoffMs } from '../src/pause.ts'
import { SeenText } from '../src/seen-text.ts'

const problem = (status: number, code: string, more: object = {}) =>
  ({ status, headers: {}, body: JSON.stringify({ status, code, detail: 'No.', ...more }) }) as const
const run = { status: 200, headers: {}, body: '{ "run_id": "r-1" }' }

interface Said {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

/** A server that gives these answers, the last one for ever, and a client of it. */
async function withServer<T>(
  answers: readonly Said[] | RequestListener,
  ask: (client: Client, seen: readonly string[]) => Promise<T>,
  options: Partial<ClientOptions> = {},
): Promise<T> {
  const seen: string[] = []
  const server = createServer((request, response) => {
    seen.push(
      `${request.method} ${request.url} ${String(request.headers['idempotency-key'] ?? '')}`,
    )
    if (typeof answers === 'function') return answers(request, response)
    const { status, headers, body } = answers[Math.min(seen.length, answers.length) - 1] ?? run
    response.writeHead(status, headers).end(body)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  const url = `http://127.0.0.1:${address.port}/base/`
  const retry = { pauseMs: 1, pauseMsMax: 50, patienceMs: 200, ...options.retry }
  try {
    return await ask(createClient({ url, ...options, retry }), seen)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

const create = { assistant_id: 'a', input: 'Go.' }
const createOne = (client: Client) => client.runs.create(create)

const empty: RequestListener = (_, response) => {
  response.writeHead(200, { 'content-type': 'text/event-stream' }).end()
}
const frame = (name: string, data: object, id?: number): string =>
  `event: ${name}\n${id === undefined ? '' : `id: ${id}\n`}data: ${JSON.stringify(data)}\n\n`

const now = { 'retry-after': '0' }

describe('a request', () => {
  it('is repeated for 502, 503, 504 and for 429 that says when, with the same key', async () => {
    const passing = [502, 503, 504].map((status) => problem(status, 'register_unavailable'))
    const answers = [...passing, { ...problem(429, 'thread_full'), headers: now }, run]
    await withServer(answers, async (client, seen) => {
      await client.runs.create(create, { key: 'k-1' })
      expect(seen).toEqual(Array.from({ length: 5 }, () => 'POST /base/runs k-1'))
    })
  })

  it.each([
    ['429 without a time', problem(429, 'thread_full')],
    ['a conflict', problem(409, 'idempotency_conflict')],
    ['an error inside', problem(500, 'internal')],
    ['what the server calls lasting', problem(503, 'x', { retryable: false })],
    ['a pause that is too long', { ...problem(503, 'x'), headers: { 'retry-after': '60' } }],
    ['something that is no Signalbox', { status: 404, headers: {}, body: '<html>' }],
  ])('is not repeated for %s', async (_, said) => {
    await withServer([said], async (client, seen) => {
      await expect(client.runs.create(create)).rejects.toMatchObject({ status: said.status })
      expect(seen).toHaveLength(1)
    })
  })

  it('is repeated where the problem says so, and says how often', async () => {
    const told: number[] = []
    const onRetry: ClientOptions['onRetry'] = ({ tries, error }) => {
      told.push(tries)
      expect(error.code).toBe('internal')
    }
    const said = problem(500, 'internal', { retryable: true })
    await withServer([said, said, run], createOne, { onRetry })
    expect(told).toEqual([1, 2])
  })

  it('that may do something twice is repeated for 429 alone', async () => {
    const first = { ...problem(429, 'x'), headers: now }
    await withServer([first, problem(503, 'x')], async (client, seen) => {
      const resolve = client.request('POST /runs/{run_id}/effects/{effect_id}/resolve', {
        path: { run_id: 'r', effect_id: 'e' },
        body: { resolution: 'retry' },
      })
      await expect(resolve).rejects.toMatchObject({ status: 503, retry: { mayHelp: true } })
      expect(seen).toHaveLength(2)
      await expect(client.threads.create({ thread_id: 't' })).rejects.toMatchObject({ status: 503 })
      expect(seen).toHaveLength(3)
    })
  })

  it('is given up after the tries it has', async () => {
    await withServer(
      (request) => request.socket.destroy(),
      async (client, seen) => {
        await expect(client.runs.get('r')).rejects.toMatchObject({
          code: 'unreachable',
          status: null,
        })
        expect(seen).toHaveLength(3)
      },
      { retry: { triesMax: 3 } },
    )
  })

  it('asks for its headers each time, and names ids as they are', async () => {
    let token = 0
    const sent: unknown[] = []
    await withServer(
      ({ headers }, response) => {
        sent.push([headers['authorization'], headers['x-token']])
        response.writeHead(sent.length === 1 ? 503 : 200).end('{ "code": "x", "detail": "" }')
      },
      async (client, seen) => {
        await client.runs.get('a/b?c')
        expect(seen).toEqual(['GET /base/runs/a%2Fb%3Fc ', 'GET /base/runs/a%2Fb%3Fc '])
        for (const id of ['', '.', '..'])
          await expect(client.runs.children(id)).rejects.toThrow(/run_id takes an id/)
      },
      { apiKey: 'k', headers: () => ({ 'x-token': String((token += 1)) }) },
    )
    expect(sent).toEqual([
      ['Bearer k', '1'],
      ['Bearer k', '2'],
    ])
  })

  it('is not led to another address', async () => {
    const elsewhere = { status: 307, headers: { location: '/elsewhere' }, body: '' }
    await withServer(
      [elsewhere, run],
      async (client, seen) => {
        await expect(client.runs.get('r')).rejects.toMatchObject({ code: 'unreachable' })
        expect(seen).toHaveLength(1)
      },
      { retry: { triesMax: 1 } },
    )
  })
})

describe('an answer', () => {
  it('that is too large is not read, nor asked for again', async () => {
    const answers = [{ status: 200, headers: {}, body: `"${'x'.repeat(2000)}"` }]
    await withServer(
      answers,
      async (client, seen) => {
        await expect(client.runs.get('r')).rejects.toMatchObject({ code: 'answer_too_large' })
        expect(seen).toHaveLength(1)
      },
      { answerBytesMax: 1000 },
    )
  })

  it.each(['event: x\ndata: ', ''])(
    'of a stream may have no frame without end (%j)',
    async (begin) => {
      const endless: RequestListener = (_, response) => {
        const type = begin === '' ? 'application/x-ndjson' : 'text/event-stream'
        response.writeHead(200, { 'content-type': type })
        response.write(begin + 'x'.repeat(5000))
      }
      await withServer(
        endless,
        async (client) => {
          const items = begin === '' ? client.events.export() : client.runs.stream('r')
          await expect(items.next()).rejects.toMatchObject({ code: 'answer_too_large' })
        },
        { answerBytesMax: 1000 },
      )
    },
  )

  it('of a stream that lets nothing through is given up', async () => {
    await withServer(empty, async (client, seen) => {
      await expect(client.runs.stream('r').next()).rejects.toMatchObject({ code: 'unreachable' })
      expect(seen.length).toBeGreaterThan(2)
    })
  })

  it('withdraws a text once, with the event that does it', async () => {
    let connections = 0
    const piece = { message_id: 'm', attempt: 1, offset: 0, text: 'abc' }
    const reset = frame('reset-step', { message_id: 'm', reason: 'retry' })
    const parts = [
      frame('message.delta', piece) + reset,
      frame('message.delta', { ...piece, text: 'abcd' }) + reset + frame('x', { seq: 1 }, 1),
      frame('x', { seq: 1 }, 1) + frame('y', { seq: 2 }, 2) + frame('new', { n: 1 }),
      frame('end', { status: 'success' }),
    ]
    const answer: RequestListener = (_, response) => {
      response.writeHead(200, { 'content-type': 'text/event-stream' })
      response.end(parts[connections++])
    }
    const seen: string[] = []
    await withServer(answer, async (client) => {
      for await (const shown of client.runs.stream('r'))
        seen.push(shown.kind === 'text' ? `${shown.offset} ${shown.text}` : shown.kind)
    })
    expect(seen).toEqual(['0 abc', '3 d', 'reset', 'event', 'event', 'end'])
  })
})

describe('options', () => {
  it.each([
    { url: 'ftp://a' },
    { url: 'http://user:secret@a' },
    { url: 'nonsense' },
    { url: 'http://a', retry: { triesMax: 0 } },
    { url: 'http://a', retry: { pauseMs: Number.NaN } },
    { url: 'http://a', answerBytesMax: 0.5 },
  ])('that cannot be are refused: %j', (options) => {
    expect(() => createClient(options)).toThrow(/takes|Invalid URL/)
  })

  it('keep pauses between half and all of what doubles', () => {
    const rule = { pauseMs: 100, pauseMsMax: 1000 }
    for (const [tries, most] of [
      [1, 100],
      [3, 400],
      [99, 1000],
    ] as const)
      for (let n = 0; n < 50; n++) {
        expect(backoffMs(tries, rule)).toBeGreaterThanOrEqual(most / 2)
        expect(backoffMs(tries, rule)).toBeLessThanOrEqual(most)
      }
  })

  it('know text of an older attempt, and of another message', () => {
    const seen = new SeenText()
    const piece = { kind: 'text', messageId: 'm', attempt: 2, offset: 0, text: 'ab' } as const
    expect(seen.take(piece)).toEqual(piece)
    expect(seen.take({ ...piece, attempt: 1 })).toBeNull()
    expect(seen.take({ ...piece, attempt: 3 })).toEqual({ ...piece, attempt: 3 })
    expect(seen.take({ ...piece, messageId: 'n', attempt: 1 })).toMatchObject({ text: 'ab' })
  })
})
