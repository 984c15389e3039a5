/** A request as it is put together, part by part, and how it is written in the end. */
import type { Body, FuzzRequest } from './request.ts'

/** Names and values of queries are encoded already; those of headers are not. */
export interface Draft {
  readonly method: string
  readonly path: string
  readonly query: readonly (readonly [string, string])[]
  readonly headers: readonly (readonly [string, string])[]
  readonly body: Body | null
}

/** Makes a part of a request another one. */
export type Change = (draft: Draft) => Draft

/** Percent-encoded; halves of surrogate pairs, which have no encoding, as bytes that no UTF-8 has. */
export const encoded = (text: string): string =>
  text.isWellFormed()
    ? encodeURIComponent(text)
    : encodeURIComponent(text.toWellFormed()).replaceAll('%EF%BF%BD', '%ED%A0%80')

/** Characters that Node's client sends: the others break the request before it is one. */
const headerSafe = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/g, '\xa0')

/** The request of a draft. */
export function written({ method, path, query, headers: sent, body: text }: Draft): FuzzRequest {
  const asked = query.map(([name, value]) => `${name}=${value}`).join('&')
  const whole = asked === '' ? path : `${path}?${asked}`
  const safe = sent.map(([name, value]) => [name, headerSafe(value)] as const)
  // A body that is announced and never comes is waited for, a minute long: rightly so.
  const honest = safe.filter(([name]) => text !== null || name !== 'content-length')
  return { method, path: whole, headers: honest, body: text }
}
