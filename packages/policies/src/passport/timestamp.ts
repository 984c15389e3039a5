/** Times as passports write them, without a clock or a calendar of the platform. */

const shape =
  /^(\d{4})-(\d{2})-(\d{2})(?:[Tt ](\d{2}):(\d{2}):(\d{2})(?:\.(\d{1,9}))?([Zz]|[+-]\d{2}:\d{2}))?$/

const daysIn = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31] as const

const isLeap = (year: number): boolean => (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0

/**
 * Milliseconds since the epoch of an RFC 3339 time, or of a date (its first moment, in UTC); null for anything else,
 * a time without a zone included.
 */
export function millisecondsOf(text: string): number | null {
  const match = shape.exec(text)
  if (!match) return null
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((digits) => Number(digits ?? 0))
  const length = (daysIn[month - 1] ?? 0) + (month === 2 && isLeap(year) ? 1 : 0)
  if (day < 1 || day > length || hour > 23 || minute > 59 || second > 60) return null
  const fraction = Math.floor(Number(`0.${match[7] ?? '0'}`) * 1000)
  const local = ((daysSinceEpoch(year, month, day) * 24 + hour) * 60 + minute) * 60 + second
  return (local - offsetSeconds(match[8] ?? 'Z')) * 1000 + fraction
}

function daysSinceEpoch(year: number, month: number, day: number): number {
  const before = year - 1
  const leaps = Math.floor(before / 4) - Math.floor(before / 100) + Math.floor(before / 400)
  const leapDay = month > 2 && isLeap(year) ? 1 : 0
  const inYear = daysIn.slice(0, month - 1).reduce((sum, days) => sum + days, leapDay)
  // 719162 days lie between 0001-01-01 and 1970-01-01.
  return before * 365 + leaps + inYear + day - 1 - 719_162
}

function offsetSeconds(zone: string): number {
  if (zone === 'Z' || zone === 'z') return 0
  const [hours = 0, minutes = 0] = zone.slice(1).split(':').map(Number)
  return (zone.startsWith('-') ? -1 : 1) * (hours * 60 + minutes) * 60
}
