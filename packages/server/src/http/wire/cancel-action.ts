import { z } from '@hono/zod-openapi'

/** What a cancel does besides. */
export const CancelAction = z
  .enum(['interrupt', 'rollback'])
  .default('interrupt')
  .refine((action) => action === 'interrupt', {
    error: 'rollback is not available in this version. Use "interrupt".',
    params: { code: 'not_available' },
  })
