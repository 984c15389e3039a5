import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@signalbox/core'
import { type Played, play } from './play.ts'
import type { Scripts } from './script.ts'

/** A server that plays scripts. */
export interface ScriptServer {
  /** The `baseURL` for the provider `openai-compatible`. */
  readonly url: string
  /** Requests answered so far, of one model or of all. */
  requests(model?: string): number
  close(): Promise<void>
}

/**
 * Serves scripts over HTTP on the loopback interface: `POST /v1/chat/completions`, streamed, the script chosen by the
 * request's `model`. Any key is accepted. Port 0, the default, takes a free one; rejects if the port is taken.
 */
export async function serveScripts(
  scripts: Scripts,
  options: { readonly port?: number } = {},
): Promise<ScriptServer> {
  const counts = new Map<string, number>()
  const server = createServer((request, response) => {
    answer(scripts, request, response).then(
      (model) => {
        if (model !== null) counts.set(model, (counts.get(model) ?? 0) + 1)
      },
      () => response.destroy(),
    )
  })
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(options.port ?? 0, '127.0.0.1', resolve)
  })
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    requests: (model) =>
      model === undefined
        ? [...counts.values()].reduce((sum, count) => sum + count, 0)
        : (counts.get(model) ?? 0),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Answers the model that was asked for, null if the request was none. */
async function answer(
  scripts: Scripts,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<string | null> {
  if (request.method !== 'POST' || request.url !== '/v1/chat/completions') {
    response.writeHead(404, { 'content-type': 'application/json' })
    response.end('{"error":{"message":"Only POST /v1/chat/completions is served."}}')
    return null
  }
  const played = play(scripts, await readBody(request))
  if (played.kind === 'status') {
    response.writeHead(played.status, played.headers)
    response.end(played.body)
  } else await sendEvents(played, response)
  return played.model
}

async function sendEvents(
  { events, delayMs, reset }: Extract<Played, { kind: 'stream' }>,
  response: ServerResponse,
): Promise<void> {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
  response.flushHeaders()
  for (const event of events) {
    if (delayMs > 0) await sleep(delayMs)
    if (response.destroyed) return
    await new Promise<void>((resolve) => response.write(event, () => resolve()))
  }
  if (reset) response.socket?.resetAndDestroy()
  else response.end()
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of request) {
    const piece = Buffer.from(chunk)
    bytes += piece.byteLength
    if (bytes > limits.turnBytesMax * 4) throw new Error('The request is too large.')
    chunks.push(piece)
  }
  return Buffer.concat(chunks).toString('utf8')
}
