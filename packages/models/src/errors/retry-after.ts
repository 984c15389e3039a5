/**
 * How long the provider asked us to wait: `retry-after-ms`, then `retry-after` as seconds or as an HTTP date.
 * Milliseconds, never negative; undefined if it did not say, or said nothing readable.
 */
export function retryAfterMs(
  headers: Readonly<Record<string, string>>,
  now: number,
): number | undefined {
  const millis = number(headers['retry-after-ms'])
  if (millis !== undefined) return Math.ceil(millis)
  const raw = headers['retry-after']
  const seconds = number(raw)
  if (seconds !== undefined) return Math.ceil(seconds * 1000)
  const date = Date.parse(raw ?? '')
  return Number.isNaN(date) ? undefined : Math.max(0, date - now)
}

function number(raw: string | undefined): number | undefined {
  return raw !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : undefined
}
