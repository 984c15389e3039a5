/** Firing crons. Would catch: crons that fail for ever and are read first, so that nobody else's is fired. */
import { createEach, systemClock } from '@signalbox/engine'
import type { DueCron } from '@signalbox/postgres'
import { expect, it } from 'vitest'
import { fireDue, type FireDeps } from '../src/crons/fire.ts'

/** Of which there is no assistant: its time comes to nothing, and it moves on. */
const cron = (cronId: string): DueCron => ({
  cronId,
  tenantId: 'one',
  threadId: null,
  assistant: '',
  schedule: '* * * * *',
  timezone: null,
  endAt: null,
  enabled: true,
  body: {},
  metadata: {},
  maker: { actor: 'user:test' },
  nextAt: 60_000,
  lastAt: null,
  lastRun: null,
  lastProblem: null,
  revision: 1,
  createdAt: 0,
  updatedAt: 0,
  now: 60_000,
})

it.each(['fails', 'is never answered'])(
  'a cron that always %s hides none behind it',
  async (how) => {
    const crons = [...Array.from({ length: 200 }, (_, n) => cron(`bad-${n}`)), cron('good')]
    const moved: string[] = []
    const upkeep: FireDeps['upkeep'] = {
      dueCrons: async (limit, except = []) =>
        crons.filter(({ cronId }) => !except.includes(cronId)).slice(0, limit),
      advanceCron: async ({ cronId }) => {
        if (cronId === 'good') return moved.push(cronId) > 0
        return how === 'fails' ? Promise.reject(new Error('bad')) : new Promise(() => {})
      },
    }
    const clock = { ...systemClock, sleep: (ms: number) => systemClock.sleep(Math.min(ms, 5_000)) }
    const about = { clock, log: { warn: () => {} }, stopped: new AbortController().signal }
    const each = createEach(about, { name: 'crons', atOnce: 64 })
    // Nothing of it is reached: there is nobody to create a run for.
    const create: FireDeps['create'] = Object.create(null)
    for (let n = 0; n < 8 && moved.length === 0; n++) await fireDue({ create, upkeep, each })
    expect(moved).toEqual(['good'])
  },
)
