/** How a claim is asked for while nobody answers it. */
import type { Clock, Register } from '@signalbox/engine'
import { expect, test } from 'vitest'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { claimEffect } from '../src/perform/claim.ts'
import { defaultSettings } from '../src/settings.ts'

/** Sleeps in no time, and remembers for how long. */
function quickClock() {
  const slept: number[] = []
  let at = 1_700_000_000_000
  const clock: Clock = {
    now: () => at,
    monotonic: () => at,
    async sleep(ms) {
      slept.push(ms)
      at += ms
    },
  }
  return { clock, slept }
}

test('a claim whose answer may be lost is asked for as often as a lease is renewed, however long the outage', async () => {
  const { clock, slept } = quickClock()
  const truth = createMemoryRegister(clock)
  let tries = 0
  const append: Register['append'] = async (item) => {
    tries += 1
    if (tries < 20) throw new Error('the register is away')
    return truth.append(item)
  }
  const settings = { ...defaultSettings, owner: 'w1', leaseMs: 600, renewMs: 100 }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const deps = {
    register: { ...truth, append },
    // The longest jitter.
    random: { unit: () => 1, hex: (bytes: number) => '0'.repeat(2 * bytes), uuid: () => 'u' },
    leases: { answeredAt: () => -Infinity },
    stopped: new AbortController().signal,
    clock,
    log,
    settings,
  }
  const of = { effectId: 'r.1', runId: 'r', tenantId: 't', threadId: 'th', rootId: null }
  const { code } = await claimEffect(deps, of)
  expect(code).not.toBe('ok')
  expect(tries).toBe(20)
  expect(Math.max(...slept)).toBeLessThanOrEqual(1.5 * settings.renewMs)
})
