/** Requests that never reach the app, since Node or its adapter cannot read them: they get a problem document like all others. */
import type { ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import { RequestError } from '@hono/node-server'
import { type ProblemFacts, problemDocument, problemResponse } from '../http/problem.ts'
import { type ProblemCode, problemKinds } from '../http/problem-codes.ts'

const codes: ReadonlyMap<string, ProblemCode> = new Map([
  ['HPE_HEADER_OVERFLOW', 'headers_too_large'],
  ['ERR_HTTP_REQUEST_TIMEOUT', 'request_timeout'],
])

/**
 * Answers on the bare socket, and closes it: where the request ends is not known.
 *
 * @param answering the last answer on this socket. In the middle of one, another would be read as a part of it.
 */
export function answerUnreadable(
  error: NodeJS.ErrnoException & { readonly rawPacket?: Buffer },
  socket: Duplex,
  answering: Pick<ServerResponse, 'headersSent' | 'writableEnded'> | undefined,
): void {
  const isWithin = answering?.headersSent === true && !answering.writableEnded
  if (error.code === 'ECONNRESET' || !socket.writable || isWithin) return void socket.destroy()
  const code = codes.get(error.code ?? '') ?? 'malformed_request'
  const body = JSON.stringify(problemDocument(code, factsOf(code)))
  const lines = [
    `HTTP/1.1 ${problemKinds[code].status} ${problemKinds[code].title}`,
    'content-type: application/problem+json',
    'cache-control: no-store',
    `content-length: ${Buffer.byteLength(body)}`,
    'connection: close',
  ]
  // What follows the headers of an answer to HEAD would be read as another answer.
  const isHead = error.rawPacket?.subarray(0, 5).toString('latin1') === 'HEAD '
  socket.end(`${lines.join('\r\n')}\r\n\r\n${isHead ? '' : body}`)
}

/** For what Node could read and its adapter could not: an address or a Host that no URL can be made of. */
export const onBrokenRequest = (error: unknown): Response =>
  error instanceof RequestError
    ? problemResponse('malformed_request', factsOf('malformed_request'))
    : problemResponse('internal', { detail: 'Something broke inside.' })

const factsOf = (code: ProblemCode): ProblemFacts => ({ detail: problemKinds[code].help })
