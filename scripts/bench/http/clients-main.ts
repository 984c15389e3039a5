/** The clients, in a process of their own: many that create runs, and many that hold a stream. */
import { Agent, request } from 'node:http'
import { answering } from './answering.ts'
import { ClientOrder, type ClientReport } from './messages.ts'

const agent = new Agent({ keepAlive: true, maxSockets: Infinity })
const now = (): number => performance.timeOrigin + performance.now()
const nothing: ClientReport = { times: [], wallMs: 0, endedAt: [] }
/** Streams that are being opened at the same time. */
const openedAtATime = 20
let ends: Promise<number>[] = []

interface Request {
  readonly method: string
  readonly url: string
  readonly body: string | null
}

interface Opened {
  /** The first bytes were there. */
  readonly begun: Promise<void>
  /** When the answer was whole. */
  readonly ended: Promise<number>
}

function send({ method, url, body }: Request): Opened {
  const begun = Promise.withResolvers<void>()
  const ended = Promise.withResolvers<number>()
  const fail = (error: Error): void => {
    begun.reject(error)
    ended.reject(error)
  }
  const headers = body === null ? {} : { 'content-type': 'application/json' }
  const sent = request(url, { method, agent, headers }, (response) => {
    if (response.statusCode !== 200) fail(new Error(`${url} answered ${response.statusCode}`))
    response.on('data', () => begun.resolve())
    response.on('end', () => ended.resolve(now()))
    response.on('error', fail)
  })
  sent.on('error', fail)
  sent.end(body)
  return { begun: begun.promise, ended: ended.promise }
}

const create = (url: string): Request => ({
  method: 'POST',
  url: `${url}/threads/${crypto.randomUUID()}/runs`,
  body: '{"assistant_id":"quick","input":"Go."}',
})

async function enqueue(url: string, clients: number, requests: number): Promise<ClientReport> {
  const times: number[] = []
  let left = requests
  const client = async (): Promise<void> => {
    while (left > 0) {
      left -= 1
      const began = performance.now()
      await send(create(url)).ended
      times.push(performance.now() - began)
    }
  }
  const began = performance.now()
  await Promise.all(Array.from({ length: clients }, client))
  return { ...nothing, times, wallMs: performance.now() - began }
}

/** Opens all streams, so many at a time as a server answers in time, and leaves them open. */
async function open(streams: readonly Request[]): Promise<ClientReport> {
  const began = performance.now()
  const left = streams.values()
  const opener = async (): Promise<void> => {
    for (const stream of left) {
      const { begun, ended } = send(stream)
      ended.catch(() => {})
      ends.push(ended)
      await begun
    }
  }
  ends = []
  await Promise.all(Array.from({ length: openedAtATime }, opener))
  return { ...nothing, wallMs: performance.now() - began }
}

answering(ClientOrder, async (order): Promise<ClientReport> => {
  if (order.kind === 'enqueue') return enqueue(order.url, order.clients, order.requests)
  if (order.kind === 'open') return open(order.streams)
  if (order.kind === 'ends') return { ...nothing, endedAt: await Promise.all(ends) }
  return nothing
})
