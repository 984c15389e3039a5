/** The breaker of one process, over a real register: what it asks, what it believes, and that it never fails a call. */
import type { Log, Register } from '@signalbox/engine'
import { createMemoryRegister } from '@signalbox/testing/memory'
import { expect, test } from 'vitest'
import { circuitOf, createBreaker } from '../src/perform/breaker.ts'

const settings = { threshold: 2, openMs: 60_000 }
const model = 'p/m'

function stage() {
  const clock = {
    at: 1_790_000_000_000,
    wall: 0,
    now: () => clock.at + clock.wall,
    monotonic: () => clock.at,
  }
  const asked: string[] = []
  const warnings: string[] = []
  const truth = createMemoryRegister(clock)
  const counted: Pick<Register, 'admitCall' | 'reportCall'> = {
    admitCall: (...call) => {
      asked.push('admit')
      return truth.admitCall(...call)
    },
    reportCall: (...call) => {
      asked.push(call[1])
      return truth.reportCall(...call)
    },
  }
  const log: Pick<Log, 'warn'> = { warn: (message) => void warnings.push(message) }
  const breaker = createBreaker({ register: counted, clock, log })
  /** Another process. */
  const other = createBreaker({ register: truth, clock, log })
  return { clock, asked, warnings, truth, breaker, other }
}

const closed = { state: 'closed', failures: 0, waitMs: 0 }

test('a closed circuit is believed for a second, per model', async () => {
  const { clock, asked, breaker } = stage()
  expect(await breaker.admit(model, settings)).toEqual(closed)
  clock.at += 999
  expect(await breaker.admit(model, settings)).toEqual(closed)
  expect(asked).toEqual(['admit'])
  await breaker.admit('p/other', settings)
  expect(asked).toEqual(['admit', 'admit'])
  clock.at += 1
  await breaker.admit(model, settings)
  expect(asked).toHaveLength(3)
})

test.each([-3_600_000, 3_600_000])('a clock that is set by %i ms changes nothing', async (ms) => {
  const { clock, asked, breaker } = stage()
  await breaker.admit(model, settings)
  clock.wall += ms
  await breaker.admit(model, settings)
  expect(asked).toEqual(['admit'])
  clock.at += 1_000
  await breaker.admit(model, settings)
  expect(asked).toEqual(['admit', 'admit'])
})

test('a success is reported only after a failure', async () => {
  const { asked, breaker } = stage()
  await breaker.admit(model, settings)
  await breaker.report(model, 'ok', settings)
  expect(asked).toEqual(['admit'])
  await breaker.report(model, 'failed', settings)
  await breaker.report(model, 'ok', settings)
  expect(asked).toEqual(['admit', 'failed', 'ok'])
  expect(await breaker.admit(model, settings)).toEqual(closed)
  await breaker.report(model, 'ok', settings)
  expect(asked).toEqual(['admit', 'failed', 'ok', 'admit'])
})

test('a failure that another process reported makes a success news', async () => {
  const { asked, breaker, other } = stage()
  await other.report(model, 'failed', settings)
  expect(await breaker.admit(model, settings)).toEqual({ ...closed, failures: 1 })
  await breaker.report(model, 'ok', settings)
  expect(asked).toEqual(['admit', 'ok'])
  expect(await breaker.admit(model, settings)).toEqual(closed)
})

test('what a process reports it sees at once; an open circuit is asked about every time', async () => {
  const { asked, breaker } = stage()
  await breaker.admit(model, settings)
  await breaker.report(model, 'failed', settings)
  await breaker.report(model, 'failed', settings)
  expect(await breaker.admit(model, settings)).toEqual({
    state: 'open',
    failures: 2,
    waitMs: 60_000,
  })
  await breaker.admit(model, settings)
  expect(asked).toEqual(['admit', 'failed', 'failed', 'admit', 'admit'])
})

test('one process probes, and its success closes the circuit for all', async () => {
  const { clock, breaker, other } = stage()
  for (const each of [breaker, other]) await each.report(model, 'failed', settings)
  clock.at += 60_000
  expect(await breaker.admit(model, settings)).toEqual({ state: 'probe', failures: 2, waitMs: 0 })
  expect(await breaker.admit(model, settings)).toMatchObject({ state: 'open' })
  expect(await other.admit(model, settings)).toMatchObject({ state: 'open' })
  await breaker.report(model, 'ok', settings)
  expect(await other.admit(model, settings)).toEqual(closed)
})

/** A register that answers, or is told, only when the test opens the next door. */
function slow(truth: Register) {
  const doors: (() => void)[] = []
  const door = () => new Promise<void>((open) => doors.push(open))
  const gate = { admit: false, tell: false, told: false }
  const register: Pick<Register, 'admitCall' | 'reportCall'> = {
    admitCall: async (...call) => {
      const waits = gate.admit
      const answer = await truth.admitCall(...call)
      if (waits) await door()
      return answer
    },
    reportCall: async (...call) => {
      const { tell, told } = gate
      if (tell) await door()
      await truth.reportCall(...call)
      if (told) await door()
    },
  }
  return { register, gate, doors }
}

const settled = () => new Promise<void>((done) => setImmediate(done))

test('an answer from before a report is not believed after it', async () => {
  const { truth, clock } = stage()
  const { register, gate, doors } = slow(truth)
  const breaker = createBreaker({ register, clock, log: { warn() {} } })
  gate.admit = true
  const early = breaker.admit(model, settings)
  await breaker.report(model, 'failed', settings)
  gate.admit = false
  await settled()
  doors[0]?.()
  expect(await early).toEqual(closed)
  await breaker.report(model, 'ok', settings)
  expect((await truth.admitCall(model, settings)).failures).toBe(0)
  await breaker.report(model, 'failed', settings)
  expect(await breaker.admit(model, settings)).toEqual({ ...closed, failures: 1 })
})

test('nor is an answer from while it was under way', async () => {
  const { truth, clock } = stage()
  const { register, gate, doors } = slow(truth)
  const breaker = createBreaker({ register, clock, log: { warn() {} } })
  gate.tell = true
  const told = breaker.report(model, 'failed', settings)
  gate.admit = true
  const early = breaker.admit(model, settings)
  await settled()
  const [tell, answer] = doors
  tell?.()
  await told
  gate.admit = gate.tell = false
  answer?.()
  expect(await early).toEqual(closed)
  expect(await breaker.admit(model, settings)).toEqual({ ...closed, failures: 1 })
})

test('a success hides no failure that was reported meanwhile', async () => {
  const { truth, clock } = stage()
  const { register, gate, doors } = slow(truth)
  const breaker = createBreaker({ register, clock, log: { warn() {} } })
  await breaker.report(model, 'failed', settings)
  gate.told = true
  const success = breaker.report(model, 'ok', settings)
  gate.told = false
  await settled()
  await breaker.report(model, 'failed', settings)
  doors[0]?.()
  await success
  await breaker.report(model, 'ok', settings)
  expect((await truth.admitCall(model, settings)).failures).toBe(0)
})

const lost = () => Promise.reject(new Error('connection lost'))

test('a register that does not answer fails no call, and is not believed', async () => {
  const { clock, truth } = stage()
  const warnings: [string, unknown][] = []
  let down = true
  const register: Pick<Register, 'admitCall' | 'reportCall'> = {
    admitCall: (...call) => (down ? lost() : truth.admitCall(...call)),
    reportCall: (...call) => (down ? lost() : truth.reportCall(...call)),
  }
  const log: Pick<Log, 'warn'> = {
    warn: (message, fields) => void warnings.push([message, fields]),
  }
  const breaker = createBreaker({ register, clock, log })
  expect(await breaker.admit(model, settings)).toEqual(closed)
  await breaker.report(model, 'failed', settings)
  const fields = { model, error: 'connection lost' }
  expect(warnings).toEqual([
    ['the circuit breaker could not be asked', fields],
    ['the circuit breaker could not be told', fields],
  ])
  down = false
  await truth.reportCall(model, 'failed', settings)
  await truth.reportCall(model, 'failed', settings)
  expect(await breaker.admit(model, settings)).toMatchObject({ state: 'open' })
})

test('a circuit is one of an endpoint: address, region and key variable tell it from others', () => {
  const one = {
    provider: 'openai-compatible',
    model: 'm',
    idleTimeoutMs: 1,
    endMarker: 'required',
  } as const
  const others = [
    one,
    { ...one, baseURL: 'http://a' },
    { ...one, baseURL: 'http://b' },
    { ...one, region: 'http://a' },
    { ...one, apiKeyEnv: 'http://a' },
    { ...one, baseURL: 'http://a', apiKeyEnv: 'KEY' },
    { ...one, provider: 'openai' } as const,
    { ...one, model: 'n' },
  ]
  expect(new Set(others.map(circuitOf)).size).toBe(others.length)
  expect(circuitOf({ ...one, temperature: 1 })).toBe(circuitOf(one))
  expect(circuitOf(one)).toBe('openai-compatible/m')
})

const at = (baseURL: string) =>
  circuitOf({
    provider: 'openai-compatible',
    model: 'm',
    idleTimeoutMs: 1,
    endMarker: 'required',
    baseURL,
  })

test('an address is one circuit however it is written, and another path is another one', () => {
  const same = [
    'https://a.example/v1',
    'https://A.Example/v1/',
    'https://a.example:443/v1//',
    'HTTPS://a.example/v1',
  ]
  expect(new Set(same.map(at)).size).toBe(1)
  const others = [
    'https://a.example/V1',
    'http://a.example/v1',
    'https://a.example:8443/v1',
    'https://a.example',
    'no address',
    'https://a.example/v1?b',
  ]
  expect(new Set([...others, 'https://a.example/v1'].map(at)).size).toBe(others.length + 1)
})

test('whoever brings a key, a region or a model of the same name opens no circuit but its own', async () => {
  const { breaker } = stage()
  const shared = {
    provider: 'openai-compatible',
    model: 'm',
    idleTimeoutMs: 1,
    endMarker: 'required',
  } as const
  const primary = circuitOf({ ...shared, baseURL: 'https://a.example/v1', apiKeyEnv: 'KEY' })
  const others = [
    { ...shared, baseURL: 'https://a.example/v1', apiKeyEnv: 'TENANT_KEY' },
    { ...shared, baseURL: 'https://b.example/v1', apiKeyEnv: 'KEY' },
    { ...shared, baseURL: 'https://a.example/v1', apiKeyEnv: 'KEY', region: 'eu-1' },
  ].map(circuitOf)
  for (const other of others)
    for (let n = 0; n < 5; n += 1) await breaker.report(other, 'failed', settings)
  expect(await breaker.admit(primary, settings)).toMatchObject({ state: 'closed' })
  for (const other of others)
    expect(await breaker.admit(other, settings)).toMatchObject({ state: 'open' })
  // Nor does a success elsewhere close the one that is open.
  await breaker.report(primary, 'ok', settings)
  for (const other of others)
    expect(await breaker.admit(other, settings)).toMatchObject({ state: 'open' })
})
