/** Counts uploads, by what became of them in this process. */
import type { Uploads } from '@signalbox/postgres'
import type { Metrics } from './metrics.ts'

/** The same uploads, counted. */
export const measuredUploads = (
  uploads: Uploads,
  metrics: Pick<Metrics, 'uploads' | 'uploadBytes'>,
): Uploads => ({
  putPart: async (tenantId, part) => {
    await uploads.putPart(tenantId, part)
    metrics.uploadBytes.inc(part.bytes.length)
  },
  finish: async (tenantId, threadId, stored) => {
    const code = await uploads.finish(tenantId, threadId, stored)
    metrics.uploads.inc({ outcome: code === 'ok' ? 'taken' : 'refused' }, stored.length)
    return code
  },
  use: async (tenantId, threadId, ids) => {
    const used = await uploads.use(tenantId, threadId, ids)
    if (used.length === ids.length) metrics.uploads.inc({ outcome: 'named' }, used.length)
    return used
  },
  drop: async (tenantId, ids) => {
    await uploads.drop(tenantId, ids)
    metrics.uploads.inc({ outcome: 'dropped' }, ids.length)
  },
})
