/** The keys that counts are grouped by, as a query brings them. */
import { z } from '@hono/zod-openapi'
import { limits } from '@signalbox/core'

/** A list of some of these keys, in the order of the columns. */
export function groupBy<const Key extends string>(
  keys: readonly Key[],
  { default: otherwise, example }: { readonly default: Key; readonly example: string },
) {
  const isKey = (text: string): text is Key => keys.some((key) => key === text)
  return z
    .string()
    .max(limits.idCharsMax)
    .default(otherwise)
    .transform((text, context) => {
      const named = text.split(',').map((each) => each.trim())
      const known = named.filter(isKey)
      const isGood = known.length === named.length && new Set(named).size === named.length
      if (isGood && named.length <= limits.statsKeysMax) return known
      const message = `takes up to ${limits.statsKeysMax} of ${keys.join(', ')}, with commas between`
      context.addIssue({ code: 'custom', message })
      return z.NEVER
    })
    .openapi({ type: 'string', example })
}
