/**
 * Who asks, from headers that a reverse proxy sets (`server.identity`).
 *
 * W1 Nothing about identity comes from a body or an address.
 * W2 A value that cannot be one identity is refused: a proxy that adds to what a client sent, instead of replacing it,
 *    makes a list of two.
 * W3 An end user is a pseudonym from here on; what it stands for is neither stored nor logged.
 */
import { createHmac } from 'node:crypto'
import type { Identity } from '../config/server-schema.ts'
import type { Authenticate, Identified } from './api.ts'
import { Problem } from './problem.ts'

/** Leaves room for a prefix in the columns that hold it. */
export const userIdCharsMax = 190

/** A stable name for an end user of a tenant. The same key gives the same name, in every process. */
export type Pseudonym = (tenantId: string, endUser: string) => string

/** Pseudonyms under a key: without it nobody can tell whose they are. */
export const pseudonymsBy =
  (key: string): Pseudonym =>
  (tenantId, endUser) =>
    `u_${createHmac('sha256', key).update(`${tenantId}\n${endUser}`).digest('hex').slice(0, 32)}`

/** Adds who the headers name to who was authenticated. Without them there is no user, and no end user. */
export const withIdentity =
  (authenticate: Authenticate, identity: Identity, pseudonym: Pseudonym): Authenticate =>
  async (headers) => {
    const caller = await authenticate(headers)
    if (!caller) return null
    const id = read(headers, identity.userHeader)
    const role = id === null ? null : read(headers, identity.roleHeader)
    const end = identity.endUserHeader === undefined ? id : read(headers, identity.endUserHeader)
    const { tenantId, actor } = caller
    return {
      ...caller,
      actor: id === null ? actor : `user:${id}`,
      ...(id === null ? {} : { user: { id, role } }),
      ...(end === null ? {} : { endUser: pseudonym(tenantId, end) }),
    } satisfies Identified
  }

function read(headers: Headers, name: string | undefined): string | null {
  const sent = name === undefined ? null : headers.get(name)
  if (sent === null || sent.trim() === '') return null
  const value = decode(sent)?.trim() ?? ''
  if (isUserId(value)) return value
  throw new Problem('invalid_header', {
    detail: `${name} takes one value of 1 to ${userIdCharsMax} characters, without commas.`,
    field: (name ?? '').toLowerCase(),
  })
}

/** May this be the id of a user? It is neither a list nor anything that could break a line. */
export const isUserId = (value: string): boolean =>
  value !== '' && value.length <= userIdCharsMax && !/[,\p{Cc}]/u.test(value)

/** Headers are bytes; names of people are UTF-8. */
function decode(sent: string): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(sent, 'latin1'))
  } catch {
    return null
  }
}
