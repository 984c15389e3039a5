/** Scripted models over HTTP, with the bytes of every request kept as they came. */
import { createServer } from 'node:http'
import { type Scripts, serveScripts } from '@signalbox/models'

export interface RecordedProvider {
  /** The `baseURL` for the provider `openai-compatible`. */
  readonly url: string
  /** Bodies of all requests, in the order in which they came. */
  readonly bodies: readonly string[]
  close(): Promise<void>
}

/** Stands before a server of scripts, and passes on what it says, piece by piece. */
export async function recordedProvider(scripts: Scripts): Promise<RecordedProvider> {
  const served = await serveScripts(scripts)
  const bodies: string[] = []
  const server = createServer((request, response) => {
    const gone = new AbortController()
    response.on('close', () => gone.abort())
    const pass = async (): Promise<void> => {
      const parts: Uint8Array[] = []
      for await (const part of request) parts.push(Buffer.from(part))
      const body = Buffer.concat(parts).toString('utf8')
      bodies.push(body)
      const headers = { 'content-type': 'application/json' }
      const url = `${served.url}/chat/completions`
      const answer = await fetch(url, { method: 'POST', headers, body, signal: gone.signal })
      const type = answer.headers.get('content-type') ?? 'text/plain'
      response.writeHead(answer.status, { 'content-type': type })
      const reader = answer.body?.getReader()
      for (let piece = await reader?.read(); piece?.value; piece = await reader?.read())
        response.write(piece.value)
      response.end()
    }
    // The client that asked is gone, or the scripted server broke the connection.
    pass().catch(() => response.destroy())
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  const port = typeof address === 'object' && address ? address.port : 0
  return {
    url: `http://127.0.0.1:${port}/v1`,
    bodies,
    async close() {
      await new Promise<void>((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      })
      await served.close()
    },
  }
}
