import { createHash } from 'node:crypto'

/**
 * The id of a call as providers accept it: `[a-zA-Z0-9_-]{1,40}`, the narrowest of them. An id that fits stays, any
 * other becomes a hash of itself, so a call and its result keep the same id in every request.
 */
export function wireCallId(id: string): string {
  if (/^[a-zA-Z0-9_-]{1,40}$/.test(id)) return id
  return `call_${createHash('sha256').update(id).digest('hex').slice(0, 32)}`
}

/**
 * The name of a tool as providers accept it: a request with another one is refused, whatever became of the call. Tools have such names;
 * a model may have asked for one that is none.
 */
export function wireToolName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/g, '_').slice(0, 64) || 'unknown'
}
