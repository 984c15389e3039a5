import { z } from '@hono/zod-openapi'

/** What a cancel does besides. */
export const CancelAction = z.enum(['interrupt', 'rollback']).default('interrupt').openapi({
  description: '`rollback`: what the run said and did to the workspace is undone, and hidden.',
})
export type CancelAction = z.output<typeof CancelAction>
