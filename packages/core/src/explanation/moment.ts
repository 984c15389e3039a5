/** A time as ISO 8601. Computed, not asked of a clock: the core has none. */

const dayMs = 86_400_000
/** Days of 400 years of the Gregorian calendar, after which it repeats. */
const eraDays = 146_097

/** Milliseconds since the epoch as ISO 8601 in UTC; from the year 1 to the year 9999. */
export function momentOf(ms: number): string {
  const days = Math.floor(ms / dayMs)
  const rest = Math.floor(ms - days * dayMs)
  const clock = [rest / 3_600_000, (rest / 60_000) % 60, (rest / 1000) % 60]
  const time = clock.map((part) => padded(Math.floor(part), 2)).join(':')
  return `${dateOf(days)}T${time}.${padded(rest % 1000, 3)}Z`
}

/** Counts years from March, so that the day that some years have more is the last. */
function dateOf(days: number): string {
  // From the 1st of March of the year 0 to the epoch.
  const shifted = days + 719_468
  const era = Math.floor(shifted / eraDays)
  const dayOfEra = shifted - era * eraDays
  const yearOfEra = Math.floor(
    (dayOfEra -
      Math.floor(dayOfEra / 1460) +
      Math.floor(dayOfEra / 36_524) -
      Math.floor(dayOfEra / 146_096)) /
      365,
  )
  const dayOfYear =
    dayOfEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const fromMarch = Math.floor((5 * dayOfYear + 2) / 153)
  const day = dayOfYear - Math.floor((153 * fromMarch + 2) / 5) + 1
  const month = fromMarch < 10 ? fromMarch + 3 : fromMarch - 9
  const year = era * 400 + yearOfEra + (month <= 2 ? 1 : 0)
  return `${padded(year, 4)}-${padded(month, 2)}-${padded(day, 2)}`
}

const padded = (n: number, digits: number): string => String(n).padStart(digits, '0')
