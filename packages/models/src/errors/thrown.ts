/**
 * What was thrown, in our terms. Messages of the packages' own errors are not kept where they quote chunks: a chunk
 * may hold arguments of a call that must not be seen (I23).
 */
import { APICallError } from '@ai-sdk/provider'
import { fields, parseJson, text } from '../read.ts'
import { type ProviderError, readProviderError } from '../provider-error.ts'

export type ThrownFailure =
  /** The provider answered with an error. */
  | {
      readonly kind: 'provider'
      readonly error: ProviderError
      readonly headers: Readonly<Record<string, string>>
    }
  /** The connection failed. `answered`: after the provider had begun to answer. */
  | { readonly kind: 'network'; readonly answered: boolean; readonly code: string }
  /** A chunk that the package could not read. */
  | { readonly kind: 'unreadable' }
  /** The package noticed that the stream ended without a finish reason. */
  | { readonly kind: 'no_finish' }
  | { readonly kind: 'unknown'; readonly message: string }

/** Reads whatever `doStream` or its stream threw, or an `error` part carried. */
export function readFailure(thrown: unknown): ThrownFailure {
  if (APICallError.isInstance(thrown)) return readApiCallError(thrown)
  const network = networkCode(thrown)
  if (network !== undefined) return { kind: 'network', answered: true, code: network }
  const name = thrown instanceof Error ? thrown.name : ''
  switch (name) {
    case 'AI_TypeValidationError':
    case 'AI_JSONParseError':
      return { kind: 'unreadable' }
    case 'AI_InvalidResponseDataError':
      return { kind: 'no_finish' }
    case 'AI_EmptyResponseBodyError':
      return { kind: 'network', answered: true, code: 'empty_body' }
    default:
  }
  if (thrown instanceof Error && !fields(thrown)?.['data'])
    return { kind: 'unknown', message: `${thrown.name}: ${thrown.message}` }
  const error = readProviderError(fields(thrown)?.['data'] ?? thrown)
  return { kind: 'provider', error, headers: {} }
}

function readApiCallError(thrown: APICallError): ThrownFailure {
  const headers = thrown.responseHeaders ?? {}
  const status = thrown.statusCode
  const body = parseJson(thrown.responseBody ?? '') ?? thrown.data
  if (status === undefined || status < 400) {
    const code = networkCode(thrown) ?? (status === undefined ? 'no_connection' : 'broken_body')
    return { kind: 'network', answered: status !== undefined, code }
  }
  const said = readProviderError(body ?? thrown.message)
  return {
    kind: 'provider',
    headers,
    error: { ...typeOf(headers), ...said, status, message: messageOf(said, thrown) },
  }
}

/** The body's message, unless it has none. A body that is not JSON (a proxy's page) is not quoted. */
function messageOf(said: ProviderError, thrown: APICallError): string {
  if (said.message !== 'no message') return said.message
  return thrown.message || `HTTP status ${thrown.statusCode}`
}

/** Bedrock names its exception in a header: `ThrottlingException:http://internal.amazon.com/coral/`. */
function typeOf(headers: Readonly<Record<string, string>>): { readonly type?: string } {
  const type = headers['x-amzn-errortype']?.split(':', 1)[0]?.trim()
  return type ? { type } : {}
}

/** Codes of Node and OpenSSL for a certificate or a handshake that failed, such as `DEPTH_ZERO_SELF_SIGNED_CERT`. */
const tlsCode = /^(ERR_(TLS|SSL)_\w+|[A-Z_]*(CERT|SIGNATURE|ISSUER)[A-Z_]*)$/

/** The code of a failed connection, from the error or what caused it. */
function networkCode(thrown: unknown): string | undefined {
  for (let error = thrown, depth = 0; error instanceof Error && depth < 5; depth += 1) {
    const code = text('code' in error ? error.code : undefined)
    if (code && (/^(E[A-Z]+|UND_ERR_\w+)$/.test(code) || tlsCode.test(code))) return code
    if (error instanceof TypeError && /^(terminated|fetch failed)$/.test(error.message)) {
      const cause = networkCode(error.cause)
      return cause ?? error.message.replace(' ', '_')
    }
    error = error.cause
  }
  return undefined
}
