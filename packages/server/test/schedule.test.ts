/**
 * Schedules. Would catch: a local time that comes twice or never on the days when clocks are set, a time at or after the end,
 * a text that is no schedule and is taken for one.
 */
import { describe, expect, it } from 'vitest'
import { isTimezone, nextTime, scheduleProblem } from '../src/crons/schedule.ts'

const after = (schedule: string, from: string, over: object = {}) => {
  const rule = { schedule, timezone: null, endAt: null, ...over }
  const next = nextTime(rule, Date.parse(from))
  return next === null ? null : new Date(next).toISOString()
}

const daily = (endAt: number) => after('5 12 * * *', '2026-11-21T12:00:00Z', { endAt })

describe('the next time', () => {
  // crontab(5), and the transitions of Europe/Berlin as the tz database has them.
  const berlin = { timezone: 'Europe/Berlin' }
  it.each([
    ['* * * * *', '2026-11-21T12:00:00Z', {}, '2026-11-21T12:01:00.000Z'],
    ['* * * * *', '2026-11-21T12:00:00.999Z', {}, '2026-11-21T12:01:00.000Z'],
    ['0 9 * * MON-FRI', '2026-11-21T12:00:00Z', {}, '2026-11-23T09:00:00.000Z'],
    ['0 9 * * 1-5', '2026-11-21T12:00:00Z', berlin, '2026-11-23T08:00:00.000Z'],
    ['0 0 29 2 *', '2026-11-21T12:00:00Z', {}, '2028-02-29T00:00:00.000Z'],
    // A day of the month or of the week, not both at once.
    ['0 0 13 * 5', '2026-11-21T12:00:00Z', {}, '2026-11-27T00:00:00.000Z'],
    // 02:30 does not exist on 28 March 2027: 03:00 is 01:00 UTC.
    ['30 2 * * *', '2027-03-27T12:00:00Z', berlin, '2027-03-28T01:00:00.000Z'],
    // It exists twice on 25 October 2026: the first one, and then the day after.
    ['30 2 * * *', '2026-10-24T12:00:00Z', berlin, '2026-10-25T00:30:00.000Z'],
    ['30 2 * * *', '2026-10-25T00:30:00Z', berlin, '2026-10-26T01:30:00.000Z'],
    ['*/30 * * * *', '2026-10-25T00:30:00Z', berlin, '2026-10-25T01:00:00.000Z'],
  ])('of %s after %s %j is %s', (schedule, from, over, next) => {
    expect(after(schedule, from, over)).toBe(next)
  })

  it('lies before the end', () => {
    const end = Date.parse('2026-11-21T12:05:00Z')
    expect(daily(end + 1000)).toBe('2026-11-21T12:05:00.000Z')
    expect(daily(end)).toBeNull()
    expect(daily(0)).toBeNull()
  })
})

it.each([
  ['', 'five fields'],
  ['@daily', 'five fields'],
  ['* * * * * *', 'five fields'],
  ['* * * *', 'five fields'],
  ['61 * * * *', 'minute: 61'],
  ['a b c d e', 'illegal'],
  ['? * * * *', 'takes numbers'],
  ['* * * * * \u0000', 'five fields'],
  ['0 0 30 2 *', 'never comes'],
  [`${'1,'.repeat(60)}1 * * * *`, '100 characters'],
])('%j is no schedule', (text, says) => {
  expect(scheduleProblem(text)).toContain(says)
})

it('names of time zones are those of the tz database', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires'])
    expect([name, isTimezone(name)]).toEqual([name, true])
  for (const name of ['', 'Mars/Base', '+02:00', 'x'.repeat(200)])
    expect([name, isTimezone(name)]).toEqual([name, false])
})
