/** What orchestrators do for the database, and how often. Would catch: a feed that nobody surveys, a chore that is done with each look. */
import { expect, it } from 'vitest'
import { choresOf } from '../src/crons/chores.ts'

const nothing = async () => {}
const attempt = (_name: string, act: () => Promise<unknown>) => act().catch(() => {})

it('surveys the feed and deletes expired threads each ten seconds, and sweeps the store and uploads each minute, also after one that failed', async () => {
  let now = 5_000_000
  const done: string[] = []
  const doChores = choresOf(
    {
      sweepStore: async () => void done.push('swept'),
      sweepUploads: async () => {
        done.push('uploads swept')
        return 0
      },
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
  expect(done.filter((one) => one === 'uploads swept')).toHaveLength(1)
})

it('sweeps uploads until nothing is left that is a day old: more of them come in a minute than one sweep removes', async () => {
  let now = 5_000_000
  let left = 730
  let sweeps = 0
  const doChores = choresOf(
    {
      sweepStore: nothing,
      sweepUploads: async () => {
        sweeps += 1
        const swept = Math.min(100, left)
        left -= swept
        return swept
      },
      surveyFeed: async () => 0,
    },
    { now: () => now },
    nothing,
  )
  now += 60_000
  await doChores(attempt)
  expect([left, sweeps]).toEqual([0, 9])
  // A sweep that does not come to an end goes on a minute later.
  left = Number.MAX_SAFE_INTEGER
  now += 60_000
  await doChores(attempt)
  expect(sweeps).toBe(109)
})
