/**
 * A page that sends a cancel, does not wait for its answer, and reads the thread. Would catch: a thread that is read before the
 * cancel is recorded, so that the page shows a breakpoint that nothing takes back.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import type { EnginePorts } from '@signalbox/server'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { hold, isHolding, letAllGo } from './support/hold.ts'
import { call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Keeps what records a cancel until it is let through. */
const kept = { isOn: false, met: 0, through: Promise.withResolvers<void>() }

function wrapPorts(ports: EnginePorts): EnginePorts {
  const register = new Proxy(ports.register, {
    get(target, name, receiver) {
      const member: unknown = Reflect.get(target, name, receiver)
      if (typeof member !== 'function') return member
      return async (...args: unknown[]) => {
        if (kept.isOn && JSON.stringify(args).includes('cancel.requested')) {
          kept.met += 1
          await kept.through.promise
        }
        return Reflect.apply(member, target, args)
      }
    },
  })
  return { ...ports, register }
}

const script = (_: unknown, turn: number) =>
  turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Held.' }

let box: TestSignalbox
beforeAll(async () => {
  const holder = { model: { provider: 'scripted' as const, model: 'holding' }, tools: ['hold'] }
  box = await startTest(
    { agents: { holder }, tools: [hold], scripts: { holding: script } },
    { wrapPorts },
  )
})
afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const send = (method: string, path: string, body?: unknown) =>
  call(box.api, method, path, body === undefined ? {} : { body })

async function holding(): Promise<{ readonly thread: string; readonly run: string }> {
  const thread = String((await send('POST', '/threads', {})).body.thread_id)
  const asked = { assistant_id: 'holder', input: 'Hold.' }
  const run = String((await send('POST', `/threads/${thread}/runs`, asked)).body.run_id)
  await eventually(async () => isHolding(run))
  return { thread, run }
}

async function whileKept<T>(cancel: () => Promise<unknown>, read: () => Promise<T>): Promise<T> {
  Object.assign(kept, { isOn: true, met: 0, through: Promise.withResolvers<void>() })
  const cancelled = cancel()
  await eventually(async () => kept.met > 0)
  let isRead = false
  const reading = read().finally(() => {
    isRead = true
  })
  await sleep(200)
  expect(isRead).toBe(false)
  kept.isOn = false
  kept.through.resolve()
  await cancelled
  return reading
}

type Where = Awaited<ReturnType<typeof holding>>

const cancels = {
  'of the thread': ({ thread, run }: Where) =>
    send('POST', `/threads/${thread}/runs/${run}/cancel`),
  'of the run': ({ run }: Where) => send('POST', `/runs/${run}/cancel`),
  'of all that is open': ({ thread }: Where) =>
    send('POST', '/runs/cancel', { thread_id: thread, status: 'all' }),
  'by a stream that is left': async ({ thread, run }: Where) => {
    const leaving = new AbortController()
    const path = `${box.api}/threads/${thread}/runs/${run}/stream?cancel_on_disconnect=true`
    const { body } = await fetch(path, { signal: leaving.signal })
    await body?.getReader().read()
    leaving.abort()
  },
}

it.each(Object.entries(cancels))('shows nothing next behind a cancel %s', async (_, cancel) => {
  const where = await holding()
  const read = () => send('POST', `/threads/${where.thread}/history`, { limit: 10 })
  const { body } = await whileKept(() => cancel(where), read)
  expect(body[0].next).toEqual([])
})

it.each([
  ['the state', ({ thread }: Where) => send('GET', `/threads/${thread}/state`)],
  [
    'the last checkpoint',
    ({ thread }: Where) =>
      send('POST', `/threads/${thread}/state/checkpoint`, { checkpoint: { checkpoint_id: null } }),
  ],
] as const)('has nothing next in %s either', async (_, read) => {
  const where = await holding()
  const { body } = await whileKept(
    () => cancels['of the thread'](where),
    () => read(where),
  )
  expect(body.next).toEqual([])
})

it('reads another thread, and one whose cancel finds no run, without waiting', async () => {
  const [one, other] = [await holding(), await holding()]
  await whileKept(
    () => cancels['of the thread'](one),
    async () => {
      expect((await send('GET', `/threads/${other.thread}/state`)).body.next).toHaveLength(1)
      return send('GET', `/threads/${one.thread}/state`)
    },
  )
  const unknown = await send('POST', `/threads/${other.thread}/runs/${one.run}/cancel`)
  expect(unknown.status).toBe(404)
  expect((await send('GET', `/threads/${other.thread}/state`)).body.next).toHaveLength(1)
})
