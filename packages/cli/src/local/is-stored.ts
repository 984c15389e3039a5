import { checkStored, isChanged } from '@signalbox/engine'

/** Is this what was stored under the hash? */
export function isStored(hash: string, body: unknown): boolean {
  if (body === undefined) return false
  try {
    checkStored(hash, body)
    return true
  } catch (error) {
    if (isChanged(error)) return false
    throw error
  }
}
