import { z } from '@hono/zod-openapi'

/** Refuses a field unless it has a value that means what happens anyway. A list of nothing asks for nothing. */
export const notYet = (instead: string, harmless: readonly unknown[] = []) =>
  z
    .unknown()
    .optional()
    .refine((value) => asksNothing(value) || harmless.includes(value), {
      error: `is not available in this version. ${instead}`,
      params: { code: 'not_available' },
    })
    .openapi({ description: `Not available in this version. ${instead}` })

const asksNothing = (value: unknown): boolean =>
  value === undefined || value === null || (Array.isArray(value) && value.length === 0)
