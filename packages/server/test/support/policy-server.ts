/** A policy server with an OPA-compatible data API. */
import { createServer, type Server } from 'node:http'

export interface PolicyServer {
  readonly url: string
  /** The requests it was asked about. */
  readonly asked: { readonly input: unknown }[]
  stop(): Promise<void>
}

/** Answers `{ result }` to everything, on a port of its own. */
export async function servePolicy(result: unknown, port = 0): Promise<PolicyServer> {
  const asked: { input: unknown }[] = []
  const server: Server = createServer((request, response) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.on('end', () => {
      asked.push(JSON.parse(Buffer.concat(chunks).toString()))
      response.setHeader('content-type', 'application/json')
      response.end(JSON.stringify({ result }))
    })
  })
  await new Promise<void>((listening) => server.listen(port, '127.0.0.1', listening))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}/v1/data/x`,
    asked,
    stop: () =>
      new Promise((stopped) => {
        server.close(() => stopped())
        server.closeAllConnections()
      }),
  }
}
