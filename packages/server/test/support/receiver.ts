/** A receiver of webhooks: a real HTTP server that checks signatures as receivers do, with the library of the standard. */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { Webhook } from 'standardwebhooks'

export interface Received {
  readonly id: string
  readonly path: string
  /** Headers as they came. */
  readonly headers: IncomingMessage['headers']
  // Tests look into bodies freely.
  // oxlint-disable-next-line typescript/no-explicit-any
  readonly body: any
  readonly raw: string
}

export interface Receiver {
  readonly url: string
  readonly received: Received[]
  /** Those of one run, oldest first. */
  of(runId: string): readonly Received[]
  /** What it answers to the nth request of a path, from 0. Default: 204. */
  answers(path: string, answer: (nth: number, response: ServerResponse) => void): void
  close(): Promise<void>
}

/** Does the signature of a request hold by this secret? */
export function verifies(secret: string, { raw, headers }: Received): boolean {
  try {
    new Webhook(secret).verify(raw, {
      'webhook-id': String(headers['webhook-id']),
      'webhook-timestamp': String(headers['webhook-timestamp']),
      'webhook-signature': String(headers['webhook-signature']),
    })
    return true
  } catch {
    return false
  }
}

export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = []
  const answers = new Map<string, (nth: number, response: ServerResponse) => void>()
  const take = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const raw = await text(request)
    const { headers, url: path = '' } = request
    const nth = received.filter((each) => each.path === path).length
    const id = String(headers['webhook-id'])
    received.push({ id, path, headers, raw, body: JSON.parse(raw) })
    const answer = answers.get(path)
    if (answer) answer(nth, response)
    else response.writeHead(204).end()
  }
  // A sender that is killed or gives up cuts its request off, which has not been received then.
  const server = createServer((request, response) => {
    take(request, response).catch(() => response.destroy())
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}`,
    received,
    of: (runId) => received.filter(({ body }) => body.run_id === runId),
    answers: (path, answer) => void answers.set(path, answer),
    close: async () => {
      server.closeAllConnections()
      server.close()
      await once(server, 'close')
    },
  }
}
