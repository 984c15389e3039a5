/** The time that processes have in common. Would catch: a clock that jumps with its machine, a run that times out for it. */
import { systemClock } from '@signalbox/engine'
import type { ConfigInput } from '@signalbox/server'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { commonClock } from '../src/compose/common-clock.ts'
import { call, eventually } from './support/http.ts'
import { note, noting } from './support/notes.ts'
import { startTest } from './support/signalbox.ts'

const hourMs = 3_600_000

function world() {
  const moment = { wall: 1_000_000, steady: 500, database: 1_000_000, delayMs: 0, away: false }
  const pass = (ms: number): void => {
    moment.wall += ms
    moment.steady += ms
    moment.database += ms
  }
  const ask = async (): Promise<number> => {
    pass(moment.delayMs / 2)
    const said = moment.database
    pass(moment.delayMs / 2)
    if (moment.away) throw new Error('away')
    return said
  }
  const machine = { ...systemClock, now: () => moment.wall, monotonic: () => moment.steady }
  return { moment, pass, ...commonClock(ask, machine) }
}

describe('the common clock', () => {
  it.each([hourMs, -hourMs])('does not follow a machine whose clock jumps by %i ms', (by) => {
    const { moment, pass, clock } = world()
    pass(1_000)
    moment.wall += by
    pass(1_000)
    expect(clock.now()).toBe(1_002_000)
  })

  it('is that of the database, whatever the machine says at its start', async () => {
    const { moment, pass, clock, correct } = world()
    moment.database += hourMs
    moment.delayMs = 40
    await correct()
    pass(1_000)
    expect(clock.now()).toBe(1_001_040 + hourMs)
  })

  it('knows the time again after the machine slept', async () => {
    const { moment, clock, correct } = world()
    moment.database += hourMs
    moment.wall += hourMs
    await correct()
    expect(clock.now()).toBe(1_000_000 + hourMs)
  })

  it('is not moved by an answer that is slow, nor by none', async () => {
    const { moment, clock, correct } = world()
    moment.delayMs = 10_000
    moment.database += 3_000
    await correct()
    expect(clock.now()).toBe(1_010_000)
    moment.away = true
    await expect(correct()).rejects.toThrow('away')
    expect(clock.now()).toBe(1_020_000)
  })
})

const slowly: ConfigInput = {
  server: { graceMs: 500 },
  agents: {
    payer: {
      model: { provider: 'scripted', model: 'payer' },
      tools: ['note'],
      guardrails: { approvalTools: ['note'] },
    },
  },
  tools: [note],
  scripts: { payer: (_, turn) => ({ ...noting(1)(_, turn), delayMs: 300 }) },
}

describe('a machine that is set an hour ahead', () => {
  it('while the model speaks costs no run its time', async () => {
    const box = await startTest(slowly)
    onTestFinished(() => box.stop())
    const body = { assistant_id: 'payer', input: 'x' }
    const { run_id } = (await call(box.api, 'POST', '/runs', { body })).body
    const types = async (): Promise<readonly string[]> =>
      (await call(box.api, 'GET', `/runs/${run_id}/events`)).body.events.map(
        ({ type }: { readonly type: string }) => type,
      )
    await eventually(async () => (await types()).includes('effect.started'))
    const now = Date.now
    const jumped = vi.spyOn(Date, 'now').mockImplementation(() => now() + hourMs)
    onTestFinished(() => jumped.mockRestore())
    const [asked] = await eventually(async () => {
      const { body: waiting } = await call(box.api, 'GET', '/approvals')
      return waiting.length > 0 && waiting
    })
    const answer = { body: { decision: 'approve' } }
    await call(box.api, 'POST', `/runs/${run_id}/approvals/${asked.call_id}`, answer)
    const { body: ended } = await call(box.api, 'GET', `/runs/${run_id}/join`)
    expect(ended.outcome).toBe('completed')
  })
})
