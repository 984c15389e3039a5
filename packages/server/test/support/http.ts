/** JSON over HTTP, and server-sent events read by the rules of the specification. */
import { forThisMachine } from '../../../../test/support/for-this-machine.ts'

export interface Answer {
  readonly status: number
  readonly headers: Headers
  // Tests look into answers freely; the schemas are what is tested.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
}

export async function call(
  base: string,
  method: string,
  path: string,
  options: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const response = await fetch(`${base}${path}`, {
    method,
    headers: {
      ...(options.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...options.headers,
    },
    ...(options.body === undefined ? {} : { body: JSON.stringify(options.body) }),
  })
  const text = await response.text()
  const isJson = /json/.test(response.headers.get('content-type') ?? '')
  const isLines = /ndjson/.test(response.headers.get('content-type') ?? '')
  const body: unknown = isJson && !isLines && text !== '' ? JSON.parse(text) : text
  return { status: response.status, headers: response.headers, body }
}

export interface Sse {
  readonly event: string
  /** The last event id as a client keeps it: events without an id do not change it. */
  readonly id: string
  readonly hasId: boolean
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly data: any
}

/** Parses a stream: fields, blank lines dispatch, comments are dropped (WHATWG, section 9.2.6). */
export async function* readSse(body: ReadableStream<Uint8Array>): AsyncGenerator<Sse> {
  const decoder = new TextDecoder()
  let rest = ''
  let id = ''
  let [event, data, hasId] = ['', '', false]
  for await (const chunk of body) {
    rest += decoder.decode(chunk, { stream: true })
    const lines = rest.split('\n')
    rest = lines.pop() ?? ''
    for (const line of lines) {
      if (line === '') {
        if (data !== '') yield { event: event || 'message', id, hasId, data: JSON.parse(data) }
        event = ''
        data = ''
        hasId = false
      } else if (line.startsWith('event: ')) event = line.slice(7)
      else if (line.startsWith('data: ')) data += line.slice(6)
      else if (line.startsWith('id: ')) {
        id = line.slice(4)
        hasId = true
      }
    }
  }
}

/** Polls until the answer is there, for at most `ms`. */
export async function eventually<T>(
  ask: () => Promise<T | false | undefined>,
  ms = forThisMachine(50_000),
): Promise<T> {
  const until = Date.now() + ms
  for (;;) {
    const answer = await ask()
    if (answer !== undefined && answer !== false) return answer
    if (Date.now() > until) throw new Error('it did not happen in time')
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

/**
 * Events of the audit's feed, once they are `enough`. It shows nothing that is younger than the oldest transaction of the
 * whole server, which the databases of other tests share.
 */
export function fed(
  api: string,
  query: string,
  enough: (events: Answer['body']) => boolean = (events) => events.length > 0,
  headers: Readonly<Record<string, string>> = {},
): Promise<Answer['body']> {
  return eventually(async () => {
    const { body } = await call(api, 'GET', `/events?${query}`, { headers })
    return enough(body.events) ? body.events : undefined
  })
}

/** What `/ok` says once it says that. On a busy machine a check may take longer than it is given. */
export function health(api: string, status: 200 | 503): Promise<Answer> {
  return eventually(async () => {
    const answer = await call(api, 'GET', '/ok')
    return answer.status === status ? answer : undefined
  })
}
