import { z } from '@hono/zod-openapi'

/** Refuses a field unless it has a value that means what happens anyway. */
export const notYet = (instead: string, harmless: readonly unknown[] = []) =>
  z
    .unknown()
    .optional()
    .refine((value) => value === undefined || value === null || harmless.includes(value), {
      error: `is not available in this version. ${instead}`,
      params: { code: 'not_available' },
    })
    .openapi({ description: `Not available in this version. ${instead}` })
