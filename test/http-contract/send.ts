/** Sends requests as they are, right or not, and reads answers as far as they are worth it. */
import { Agent, type ClientRequest, type IncomingMessage, request as open } from 'node:http'
import { bytesOf, type FuzzRequest } from './request.ts'

export interface Received {
  readonly status: number
  readonly headers: Headers
  readonly rawHeaders: readonly string[]
  /** What of the body was read. */
  readonly text: string
  /** Was that all of it? Streams are given up after their first bytes, long waits after a while. */
  readonly isWhole: boolean
}

/** Neither an answer nor a closed connection within this is a hang. Milliseconds. */
const hangMs = 30_000
/** An answer that has begun and does not end is given up. Milliseconds. */
const patienceMs = 400

export type Outcome =
  | { readonly kind: 'answer'; readonly answer: Received }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut'; readonly why: string }

/** Keeps connections, as clients do: an answer that spoils its connection shows in the next one. */
export const createAgent = (): Agent => new Agent({ keepAlive: true, maxSockets: 16 })

/** Sends. A connection that the server closed between two requests is opened anew, once. */
export async function send(agent: Agent, base: string, request: FuzzRequest): Promise<Outcome> {
  const first = await sendOnce(agent, base, request)
  return first.kind === 'cut' ? sendOnce(null, base, request) : first
}

function sendOnce(agent: Agent | null, base: string, wanted: FuzzRequest): Promise<Outcome> {
  const { host, hostname, port } = new URL(base)
  const bytes = wanted.body && bytesOf(wanted.body)
  const names = new Set(wanted.headers.map(([name]) => name))
  const headers = [
    ...(names.has('host') ? [] : ['host', host]),
    ...wanted.headers.flat(),
    ...(bytes ? ['content-length', String(bytes.length)] : []),
  ]
  return new Promise((resolve) => {
    const sent: ClientRequest = open({
      hostname,
      port,
      method: wanted.method,
      path: wanted.path,
      headers,
      ...(agent ? { agent } : { agent: false }),
    })
    const end = (outcome: Outcome): void => {
      clearTimeout(hang)
      resolve(outcome)
      if (outcome.kind !== 'answer' || !outcome.answer.isWhole) sent.destroy()
    }
    const hang = setTimeout(() => end({ kind: 'hang' }), hangMs)
    sent.on('response', (answer) => {
      clearTimeout(hang)
      void read(answer).then((received) => end({ kind: 'answer', answer: received }))
    })
    sent.on('error', (error) => end({ kind: 'cut', why: error.message }))
    sent.end(bytes ?? undefined)
  })
}

const isStream = (type: string): boolean => /event-stream|ndjson|csv|parquet/.test(type)

async function read(answer: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = []
  const giveUp = setTimeout(() => answer.destroy(), patienceMs)
  try {
    for await (const chunk of answer) {
      chunks.push(chunk)
      if (isStream(answer.headers['content-type'] ?? '')) break
    }
  } catch {
    // Given up, or cut by the server: either way it is not whole.
  } finally {
    clearTimeout(giveUp)
  }
  const { rawHeaders, statusCode = 0 } = answer
  const headers = new Headers()
  for (let at = 0; at < rawHeaders.length; at += 2)
    headers.append(rawHeaders[at] ?? '', rawHeaders[at + 1] ?? '')
  return {
    status: statusCode,
    headers,
    rawHeaders,
    text: Buffer.concat(chunks).toString(),
    isWhole: answer.complete,
  }
}
