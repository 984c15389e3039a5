/** Threads, as those who say something first on them make them. */
import type { JsonObject } from '@signalbox/core'
import type { Caller, Thread } from '@signalbox/engine'
import type { Api } from './api.ts'

/** A thread as a create makes it. */
export const newThread = (
  api: Pick<Api, 'now' | 'random'>,
  { tenantId }: Caller,
  { threadId, metadata }: { readonly threadId: string; readonly metadata: JsonObject },
): Thread => ({
  threadId,
  tenantId,
  metadata,
  createdAt: api.now(),
  contentKey: api.random.hex(32),
})
