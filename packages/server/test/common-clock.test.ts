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
  const state = { wall: 1_000_000, steady: 500, database: 1_000_000, delayMs: 0, away: false }
  const pass = (ms: number): void => {
    state.wall += ms
    state.steady += ms
    state.database += ms
  }
  const ask = async (): Promise<number> => {
    pass(state.delayMs / 2)
    const said = state.database
    pass(state.delayMs / 2)
    if (state.away) throw new Error('away')
    return said
  }
  const machine = { ...systemClock, now: () => state.wall, monotonic: () => state.steady }
  return { it: state, pass, ...commonClock(ask, machine) }
}

describe('the common clock', () => {
  it.each([hourMs, -hourMs])('does not follow a machine whose clock jumps by %i ms', (by) => {
    const { it: world_, pass, clock } = world()
    pass(1_000)
    world_.wall += by
    pass(1_000)
    expect(clock.now()).toBe(1_002_000)
  })

  it('is that of the database, whatever the machine says at its start', async () => {
    const { it: world_, pass, clock, correct } = world()
    world_.database += hourMs
    world_.delayMs = 40
    await correct()
    pass(1_000)
    expect(clock.now()).toBe(1_001_040 + hourMs)
  })

  it('knows the time again after the machine slept', async () => {
    const { it: world_, clock, correct } = world()
    world_.database += hourMs
    world_.wall += hourMs
    await correct()
    expect(clock.now()).toBe(1_000_000 + hourMs)
  })

  it('is not moved by an answer that is slow, nor by none', async () => {
    const { it: world_, clock, correct } = world()
    world_.delayMs = 10_000
    world_.database += 3_000
    await correct()
    expect(clock.now()).toBe(1_010_000)
    world_.away = true
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
