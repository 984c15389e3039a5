/** What orchestrators do for the database, and how often. Would catch: a feed that nobody surveys, a chore that is done with each look. */
import { expect, it } from 'vitest'
import { choresOf } from '../src/crons/chores.ts'

const attempt = (_name: string, act: () => Promise<unknown>) => act().catch(() => {})

it('surveys the feed and deletes expired threads each ten seconds, and sweeps the store each minute, also after one that failed', async () => {
  let now = 5_000_000
  const done: string[] = []
  const doChores = choresOf(
    {
      sweepStore: async () => void done.push('swept'),
      surveyFeed: async () => {
        done.push('surveyed')
        if (done.length === 1) throw new Error('the register is away')
        return 0
      },
    },
    { now: () => now },
    async () => void done.push('expired'),
  )
  await doChores(attempt)
  expect(done).toEqual([])
  now += 10_000
  await doChores(attempt)
  // What was due behind the one that failed.
  expect(done).toEqual(['surveyed', 'expired'])
  for (let second = 11; second <= 60; second += 1) {
    now += 1000
    await doChores(attempt)
  }
  expect(done.filter((one) => one === 'surveyed')).toHaveLength(6)
  expect(done.filter((one) => one === 'expired')).toHaveLength(6)
  expect(done.filter((one) => one === 'swept')).toHaveLength(1)
})
