/** Days of the calendar, in UTC, from moments and back: without a clock, so that the same moment is the same day everywhere. */

const dayMs = 86_400_000

/** `2026-11-29`. Milliseconds since the epoch. */
export function dayOf(ms: number): string {
  // Days since 1 March of the year 0, by eras of 400 years: the leap day is the last one of each year then.
  const days = Math.floor(ms / dayMs) + 719_468
  const era = Math.floor(days / 146_097)
  const ofEra = days - era * 146_097
  const yearOfEra = Math.floor(
    (ofEra - Math.floor(ofEra / 1460) + Math.floor(ofEra / 36_524) - Math.floor(ofEra / 146_096)) /
      365,
  )
  const ofYear = ofEra - (365 * yearOfEra + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100))
  const shifted = Math.floor((5 * ofYear + 2) / 153)
  const day = ofYear - Math.floor((153 * shifted + 2) / 5) + 1
  const month = shifted < 10 ? shifted + 3 : shifted - 9
  const year = yearOfEra + era * 400 + (month <= 2 ? 1 : 0)
  return `${digits(year, 4)}-${digits(month, 2)}-${digits(day, 2)}`
}

const digits = (n: number, width: number): string => String(n).padStart(width, '0')

/** The end of a day that is written so, in milliseconds since the epoch; null for what is no day. */
export function endOfDay(day: string): number | null {
  const [, y = '', m = '', d = ''] = /^(\d{4})-(\d{2})-(\d{2})$/.exec(day) ?? []
  const [year, month, date] = [Number(y), Number(m), Number(d)]
  if (year < 1 || month < 1 || month > 12 || date < 1) return null
  const shifted = month <= 2 ? year - 1 : year
  const era = Math.floor(shifted / 400)
  const yearOfEra = shifted - era * 400
  const ofYear = Math.floor((153 * (month > 2 ? month - 3 : month + 9) + 2) / 5) + date - 1
  const ofEra = yearOfEra * 365 + Math.floor(yearOfEra / 4) - Math.floor(yearOfEra / 100) + ofYear
  const ms = (era * 146_097 + ofEra - 719_468 + 1) * dayMs - 1
  return dayOf(ms) === day ? ms : null
}
