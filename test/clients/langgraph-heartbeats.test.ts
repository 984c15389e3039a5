/**
 * Heartbeats, as the server writes them, read by every version of LangGraph's client. Would catch: a comment that an older
 * client takes for an event, wherever between two events it stands.
 */
import { once } from 'node:events'
import { createServer } from 'node:http'
import { describe, expect, it } from 'vitest'
import { sseComment, sseEvent } from '../../packages/server/src/stream/sse.ts'
import { clientsOf, collect } from './support/streamed.ts'

/** A server that sends these texts to everybody. */
async function serve(texts: readonly string[]) {
  const server = createServer((_, response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' })
    response.end(texts.join(''))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return {
    url: `http://127.0.0.1:${address.port}`,
    async [Symbol.asyncDispose]() {
      server.close()
      await once(server, 'close')
    },
  }
}

describe.each([0, 1, 2])('client %i', (version) => {
  it('reads every event, and none of the heartbeats', async () => {
    const beat = sseComment('heartbeat')
    const events = [
      sseEvent({ event: 'metadata', data: { run_id: 'r' }, id: 1 }),
      sseEvent({ event: 'values', data: { messages: [] }, id: 2 }),
      sseEvent({ event: 'end', data: null, id: 3 }),
    ]
    await using server = await serve([beat, ...events.flatMap((event) => [event, beat, beat])])
    const client = clientsOf(server.url)[version]
    if (!client) throw new Error('no client')
    const parts = await collect(client.stream('t', 'clerk', { streamMode: ['values'], input: 'x' }))
    expect(parts.map(({ id, event }) => [id, event])).toEqual([
      ['1', 'metadata'],
      ['2', 'values'],
      ['3', 'end'],
    ])
  })
})
