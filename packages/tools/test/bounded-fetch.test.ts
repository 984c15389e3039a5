import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import { expect, it, onTestFinished } from 'vitest'
import { boundedFetch } from '../src/mcp/bounded-fetch.ts'
import { messageBytesMax } from '../src/mcp/child-transport.ts'

const block = Buffer.alloc(1024 * 1024, 'x')
const blocks = messageBytesMax / block.length + 2

async function serve(type: string, between: string): Promise<string> {
  const send = async (response: ServerResponse): Promise<void> => {
    response.writeHead(200, { 'content-type': type })
    for (let sent = 0; sent < blocks && !response.destroyed; sent++) {
      if (!response.write(block))
        await Promise.race([once(response, 'drain'), once(response, 'close')])
      response.write(between)
    }
    response.end()
  }
  const server = createServer((_, response) => void send(response)).listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const address = server.address()
  if (address === null || typeof address === 'string') throw new Error('no port')
  return `http://127.0.0.1:${address.port}/`
}

async function bytesOf(url: string): Promise<number> {
  const response = await boundedFetch(url)
  let bytes = 0
  for await (const chunk of response.body ?? []) bytes += chunk.byteLength
  return bytes
}

it('fails an answer that is too long', async () => {
  const url = await serve('application/json', '')
  await expect(bytesOf(url)).rejects.toThrow('more than')
})

it('fails an event that is too long, and lets a long stream of short ones through', async () => {
  await expect(bytesOf(await serve('text/event-stream', ''))).rejects.toThrow('more than')
  const url = await serve('text/event-stream', '\n\n')
  expect(await bytesOf(url)).toBe(blocks * (block.length + 2))
})

it.each([
  ['CRLF, as sse-starlette of the Python SDK writes it', '\r\n\r\n'],
  ['CR', '\r\r'],
  ['two kinds', '\n\r\n'],
])('whichever end the lines of its events have: %s', async (_name, between) => {
  const url = await serve('text/event-stream', between)
  expect(await bytesOf(url)).toBe(blocks * (block.length + between.length))
})
