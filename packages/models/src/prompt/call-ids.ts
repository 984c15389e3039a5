import { createHash } from 'node:crypto'

/**
 * The id of a call as providers accept it: `[a-zA-Z0-9_-]{1,40}`, the narrowest of them. An id that fits stays, any
 * other becomes a hash of itself, so a call and its result keep the same id in every request.
 */
export function wireCallId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,40}$/.test(id)) return id
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}
