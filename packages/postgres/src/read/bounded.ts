/** Questions that may be too large, each within a time that the database is given. */
import { limits } from '@signalbox/core'
import type { AsTenant } from './tenant-session.ts'

/** A question takes the database longer than it is given. The same one, narrowed, may not. */
export class TooBroad extends Error {
  override readonly name = 'TooBroad'
}

/** A session that works on one query for `limits.auditMsMax` at most, then throws `TooBroad`. */
export const bounding =
  (as: AsTenant): AsTenant =>
  async (tenantId, query) => {
    try {
      return await as(tenantId, query, limits.auditMsMax)
    } catch (error) {
      if (error instanceof Error && 'code' in error && error.code === '57014')
        throw new TooBroad('the question takes too long', { cause: error })
      throw error
    }
  }
