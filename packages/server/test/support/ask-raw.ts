/** Requests as bytes: with hosts, addresses and headers that no client would send. */
import { connect } from 'node:net'

/** What of a request is not as it usually is. */
export interface Oddity {
  /** Stands before the path, for an address that is written out. */
  readonly before?: string
  /** Default: the host that is connected to. */
  readonly hosts?: readonly string[]
  readonly headers?: Readonly<Record<string, string>>
}

export interface RawAnswer {
  readonly status: number
  /** Of a problem; empty otherwise. */
  readonly code: string
  /** Everything before the body. */
  readonly head: string
}

/** Sends a request and reads its answer. A stream is left as soon as it has begun. */
export function askRaw(
  base: string,
  operation: string,
  { before = '', hosts = [new URL(base).host], headers = {} }: Oddity = {},
  body = '',
): Promise<RawAnswer> {
  const { hostname, port } = new URL(base)
  const [method = '', path = ''] = operation.split(' ')
  const lines = [
    `${method} ${before}${path} HTTP/1.1`,
    ...hosts.map((host) => `host: ${host}`),
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
    ...(body === '' ? [] : [`content-length: ${Buffer.byteLength(body)}`]),
    'connection: close',
  ]
  return new Promise((resolve, reject) => {
    let text = ''
    const socket = connect(Number(port), hostname)
    socket.setEncoding('utf8')
    socket.on('data', (chunk: string) => {
      text += chunk
      if (/\r\nx-accel-buffering: no\r\n/i.test(text)) socket.destroy()
    })
    socket.on('error', reject)
    socket.on('close', () => {
      const [head = '', ...rest] = text.split('\r\n\r\n')
      const code = /"code":"(\w+)"/.exec(rest.join())?.[1] ?? ''
      resolve({ status: Number(head.split(' ')[1]), code, head })
    })
    socket.write(`${lines.join('\r\n')}\r\n\r\n${body}`)
  })
}
