/** An OpenTelemetry collector that keeps what it is sent, as bytes. */
import { createServer } from 'node:http'

export interface Collector {
  readonly url: string
  readonly received: readonly Buffer[]
  close(): Promise<void>
}

export async function startCollector(): Promise<Collector> {
  const received: Buffer[] = []
  const server = createServer((request, response) => {
    request.on('data', (chunk: Buffer) => void received.push(chunk))
    request.on('end', () =>
      response.writeHead(200, { 'content-type': 'application/json' }).end('{}'),
    )
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const address = server.address()
  return {
    url: `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}`,
    received,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}
