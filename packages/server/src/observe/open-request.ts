/**
 * The request that some work is done for, for the log. What a request has set going goes on in its context after it was answered; it
 * is another's work by then, so a request that was answered is none.
 */
import { AsyncLocalStorage } from 'node:async_hooks'

interface OpenRequest {
  readonly id: string
  isOpen: boolean
}

const requests = new AsyncLocalStorage<OpenRequest>()

/** Does the work as that of a request, until its answer begins. */
export async function withinRequest<T>(id: string, work: () => Promise<T>): Promise<T> {
  const request = { id, isOpen: true }
  try {
    return await requests.run(request, work)
  } finally {
    request.isOpen = false
  }
}

/** The id of the request under way; null if there is none. */
export function openRequestId(): string | null {
  const request = requests.getStore()
  return request?.isOpen ? request.id : null
}
