/** When a delivery that failed is tried again. */

const minute = 60_000
const hour = 60 * minute

/** The waits after each attempt but the last: eight attempts within a day. */
const delays: readonly number[] = [
  5_000,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  6 * hour,
  15 * hour,
]

/** A receiver may ask for as long at most. */
const askedMsMax = 6 * hour
/** Up to this share is added by chance, so that those that failed together do not come back together. */
const jitter = 0.1

/**
 * Milliseconds to wait after the n-th failure in a row, from 1; null: it was the last attempt. `askedMs` is what the receiver
 * asked for: it may make the pause longer, never shorter.
 */
export function retryDelay(
  n: number,
  { askedMs, chance }: { readonly askedMs: number | null; readonly chance: number },
): number | null {
  const delay = delays[n - 1]
  if (delay === undefined) return null
  const own = delay * (1 + jitter * chance)
  return Math.round(Math.max(own, Math.min(askedMs ?? 0, askedMsMax)))
}
