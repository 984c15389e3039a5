/**
 * Schedules: five fields, in a time zone. What a local time means on the days when clocks are set is croner's: one that
 * does not exist comes right after the gap, one that occurs twice comes once, and intervals go on as time does.
 */
import { limits } from '@signalbox/core'
import { Cron } from 'croner'

/** When a cron runs. */
export interface Schedule {
  /** Minute, hour, day of the month, month, day of the week. */
  readonly schedule: string
  /** Of the IANA database; null: UTC. */
  readonly timezone: string | null
  /** No time at or after it. Milliseconds since the epoch; null: no end. */
  readonly endAt: number | null
}

/** The first time after `after`, null if there is none. Milliseconds since the epoch. */
export function nextTime({ schedule, timezone, endAt }: Schedule, after: number): number | null {
  const cron = new Cron(schedule, {
    mode: '5-part',
    paused: true,
    timezone: timezone ?? 'UTC',
    ...(endAt === null ? {} : { stopAt: new Date(endAt) }),
  })
  return cron.nextRun(new Date(after))?.getTime() ?? null
}

const fields = 'minute, hour, day of the month, month, day of the week'

/** What is wrong with a schedule, null if nothing. Says what would be right. */
export function scheduleProblem(schedule: string): string | null {
  if (schedule.length > limits.scheduleCharsMax)
    return `takes at most ${limits.scheduleCharsMax} characters`
  // Five fields only: no nicknames; no `?` either, which is the moment at which it is read.
  if (schedule.trim().split(/\s+/).length !== 5) return `takes five fields: ${fields}`
  if (!/^[\dA-Za-z*,/#\s-]+$/.test(schedule)) return 'takes numbers, names and * , - / # L W'
  try {
    const rule = { schedule, timezone: null, endAt: null }
    return nextTime(rule, 0) === null ? 'names a day that never comes' : null
  } catch (error) {
    return `takes five fields: ${fields}. ${error instanceof Error ? error.message : ''}`.trim()
  }
}

/** Is it the name of a time zone, as `Europe/Berlin`? */
export function isTimezone(name: string): boolean {
  if (name.length > limits.scheduleCharsMax || !/^[A-Za-z]/.test(name)) return false
  try {
    return new Intl.DateTimeFormat('en', { timeZone: name }).resolvedOptions().timeZone !== ''
  } catch {
    return false
  }
}
