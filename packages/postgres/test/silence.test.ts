/**
 * Connections that fall silent: the peer neither answers nor closes. Would catch: a process that waits for ever for an answer,
 * and calls itself healthy. What is asked for one after the other waits at most as long as a query may take.
 */
import { performance } from 'node:perf_hooks'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { createReader } from '../src/read/reader.ts'
import { createRegister } from '../src/register/register.ts'
import { lifelines } from '../src/pool.ts'
import { createNotifyWakeBus } from '../src/wake/notify-wake-bus.ts'
import { createTestDatabase, type TestDatabase } from './support/database.ts'
import { admission, newRun } from './support/drafts.ts'
import { type SilentProxy, startSilentProxy } from './support/silent-proxy.ts'

/** A query that is lost, and the connection after it. */
const msMax = lifelines.query_timeout + 15_000

const log = { debug() {}, info() {}, warn() {}, error() {} }

let database: TestDatabase
let engine: SilentProxy
let app: SilentProxy

beforeEach(async () => {
  database = await createTestDatabase()
  engine = await startSilentProxy(database.engineUrl)
  app = await startSilentProxy(database.appUrl)
})

afterEach(async () => {
  await Promise.all([engine.close(), app.close()])
  await database.drop()
})

/** Asks until there is an answer, as those who wait do. */
async function insist<T>(
  ask: () => Promise<T>,
): Promise<{ readonly ms: number; readonly answer: T }> {
  const began = performance.now()
  for (;;) {
    const answer = await ask().catch(() => null)
    if (answer !== null) return { ms: performance.now() - began, answer }
    if (performance.now() - began > 3 * msMax) throw new Error('nothing moves')
  }
}

const from = (ids: ReadonlySet<string>, who: string): boolean =>
  [...ids].some((id) => id.startsWith(who))

describe('after all connections have fallen silent', () => {
  it('the register and the reader move on over new ones', async () => {
    const register = createRegister({ engineUrl: engine.url })
    const reader = createReader({ appUrl: app.url })
    const [first, second] = [newRun(), newRun()]
    await register.append(admission(first))
    await Promise.all(Array.from({ length: 8 }, () => register.head(first.runId)))
    await register.renew([], 15_000)
    await reader.run(first.tenantId, first.runId)
    engine.fallSilent()
    app.fallSilent()
    const [append, head, renewal, read] = await Promise.all([
      insist(() => register.append(admission(second))),
      insist(() => register.head(first.runId)),
      insist(() => register.renew([], 15_000)),
      insist(() => reader.run(first.tenantId, first.runId)),
    ])
    expect(append.answer.code).toBe('ok')
    expect(head.answer?.runId).toBe(first.runId)
    expect(read.answer?.runId).toBe(first.runId)
    for (const { ms } of [append, head, read]) expect(ms).toBeLessThan(msMax)
    // Long before those who come back would lose their leases.
    expect(renewal.ms).toBeLessThan(7_000)
    await Promise.all([register.close(), reader.close()])
  })

  it('a close does not wait for what never answers', async () => {
    const register = createRegister({ engineUrl: engine.url })
    await register.head(newRun().runId)
    engine.fallSilent('all')
    const lost = register.head(newRun().runId).catch(() => 'lost')
    const began = performance.now()
    await register.close()
    expect(performance.now() - began).toBeLessThan(5_000)
    expect(await lost).toBe('lost')
  })

  it('the wake bus hears and is heard again', async () => {
    const deaf = await createNotifyWakeBus({ url: engine.url, log, heartbeatMs: 500 })
    const other = await createNotifyWakeBus({ url: database.engineUrl, log, heartbeatMs: 500 })
    const heard = { here: new Set<string>(), there: new Set<string>() }
    deaf.subscribe('facts', (ids) => ids.forEach((id) => heard.here.add(id)))
    other.subscribe('facts', (ids) => ids.forEach((id) => heard.there.add(id)))
    engine.fallSilent()
    const until = performance.now() + 40_000
    for (let n = 0; performance.now() < until; n++) {
      deaf.publish('facts', [`from-deaf-${n}`])
      other.publish('facts', [`from-other-${n}`])
      await new Promise((resolve) => setTimeout(resolve, 200))
      if (heard.here.has(`from-other-${n - 1}`) && heard.there.has(`from-deaf-${n - 1}`)) break
    }
    expect(from(heard.here, 'from-other')).toBe(true)
    expect(from(heard.there, 'from-deaf')).toBe(true)
    expect(performance.now()).toBeLessThan(until)
    await Promise.all([deaf.close(), other.close()])
  })
})
