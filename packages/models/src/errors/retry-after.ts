/**
 * How long the provider asked us to wait: `retry-after-ms`, then `retry-after` as seconds or as an HTTP date. A date is
 * read against the provider's own clock where the answer shows it: ours may be ahead, and the wait must not be shorter
 * than what was asked. Milliseconds, never negative; undefined if it did not say, or said nothing readable.
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
  // Without a name of a day or a month it is no HTTP date: `Date` would read `-5` as the month of May.
  const until = /[a-z]{3}/i.test(raw ?? '') ? Date.parse(raw ?? '') : Number.NaN
  if (Number.isNaN(until)) return undefined
  const theirs = Date.parse(headers['date'] ?? '')
  return Math.max(0, until - (Number.isNaN(theirs) ? now : theirs))
}

function number(raw: string | undefined): number | undefined {
  return raw !== undefined && /^\s*\d+(\.\d+)?\s*$/.test(raw) ? Number(raw) : undefined
}
