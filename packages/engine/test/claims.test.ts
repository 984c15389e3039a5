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

const settings = { ...defaultSettings, owner: 'w1', leaseMs: 600, renewMs: 100 }

/** A register of which the first tries come to nothing. `answersSince`: what renewals say of it, told how many tries there were. */
function failing(
  triesFailed: number,
  answersSince: (tries: number, now: number) => number | null,
  tryMs: (tries: number) => number = () => 0,
) {
  const { clock, slept } = quickClock()
  const truth = createMemoryRegister(clock)
  const counted = { tries: 0 }
  const append: Register['append'] = async (item) => {
    counted.tries += 1
    if (counted.tries > triesFailed) return truth.append(item)
    await clock.sleep(tryMs(counted.tries), new AbortController().signal)
    throw new Error('the register is away')
  }
  const log = { debug() {}, info() {}, warn() {}, error() {} }
  const deps = {
    register: { ...truth, append },
    // The longest jitter.
    random: { unit: () => 1, hex: (bytes: number) => '0'.repeat(2 * bytes), uuid: () => 'u' },
    leases: {
      answersSince: () => answersSince(counted.tries, clock.monotonic()),
      renewWhileAsked: () => () => undefined,
    },
    stopped: new AbortController().signal,
    clock,
    log,
    settings,
  }
  const of = { effectId: 'r.1', runId: 'r', tenantId: 't', threadId: 'th', rootId: null }
  return { claim: () => claimEffect(deps, of), slept, counted, began: clock.monotonic() }
}

test('a claim whose answer may be lost is asked for as often as a lease is renewed, however long the outage', async () => {
  const { claim, slept, counted } = failing(1_000, () => null)
  expect((await claim()).code).not.toBe('ok')
  expect(counted.tries).toBe(1_001)
  expect(Math.max(...slept)).toBeLessThanOrEqual(1.5 * settings.renewMs)
})

// Postgres hung right after a claim was sent: the try lasts longer than a lease, and renewals were answered until then. The claim
// was granted when Postgres went on, and nobody renewed it.
test('a claim that was sent right before an outage is asked for after it', async () => {
  const tryMs = 2 * settings.leaseMs
  const outage = failing(
    1,
    (_, now) => (now < outage.began + tryMs ? outage.began : null),
    () => tryMs,
  )
  expect((await outage.claim()).code).not.toBe('ok')
  expect(outage.counted.tries).toBe(2)
})

test('what failed before the register came back does not count against a claim', async () => {
  const { claim, counted } = failing(
    9,
    (tries, now) => (tries < 9 ? null : now),
    () => settings.leaseMs,
  )
  expect((await claim()).code).not.toBe('ok')
  expect(counted.tries).toBe(10)
})

// The first try was refused, and the connection of the second alone fell silent, for the two leases that a query may take.
test('a claim whose second try takes two leases is sent again', async () => {
  const { claim, counted } = failing(
    2,
    () => 0,
    (tries) => (tries === 1 ? 1 : 2 * settings.leaseMs),
  )
  expect((await claim()).code).not.toBe('ok')
  expect(counted.tries).toBe(3)
})

test('a claim that fails for a lease while the register answers renewals is given up', async () => {
  const { claim, counted } = failing(1_000, () => 0)
  await expect(claim()).rejects.toMatchObject({ code: 'claim_unanswered' })
  expect(counted.tries).toBeLessThan(20)
})
