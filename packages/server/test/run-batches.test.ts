/**
 * Many runs in one request, on Postgres. Would catch: a batch that asks the register once per run, one that leaves a retry
 * with runs missing or made twice after it broke half-way, problems that name another item.
 */
import { TerminalError } from '@signalbox/engine'
import type { AppendItem, Register } from '@signalbox/engine'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { type Answer, call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

let box: TestSignalbox
/** Creates that are let through; the others are refused as if their process were gone. */
let room = Infinity
const asked = new Map<string, number>()

const count = (name: string): void => void asked.set(name, (asked.get(name) ?? 0) + 1)

/** The same register, counted, and breaking when there is no room left. */
const watched = (register: Register): Register => ({
  ...register,
  append: (item: AppendItem) => {
    if (item.create && (room -= 1) < 0) throw new TerminalError('gone', 'the process is gone')
    return register.append(item)
  },
  ensureThread: (thread) => {
    count('ensureThread')
    return register.ensureThread(thread)
  },
  ensureThreads: (threads) => {
    count('ensureThreads')
    return register.ensureThreads(threads)
  },
})

beforeAll(async () => {
  box = await startTest(
    {
      agents: { clerk: { model: { provider: 'scripted', model: 'clerk' } } },
      scripts: { clerk: () => ({ text: 'Done.' }) },
    },
    // Nobody decides: what is counted is the batch alone.
    {
      roles: ['api'],
      wrapPorts: (ports) => ({ ...ports, register: watched(ports.register) }),
    },
  )
})
afterAll(() => box.stop())
beforeEach(() => {
  room = Infinity
  asked.clear()
})

const items = (many: number, over: object = {}) =>
  Array.from({ length: many }, (_, n) => ({
    assistant_id: 'clerk',
    input: `Note ${n}.`,
    metadata: { n },
    ...over,
  }))

const send = (body: unknown, key?: string): Promise<Answer> =>
  call(box.api, 'POST', '/runs/batch', {
    body,
    ...(key === undefined ? {} : { headers: { 'idempotency-key': key } }),
  })

const idsOf = ({ body }: Answer): string[] => body.map((run: { run_id: string }) => run.run_id)
const threads = async (): Promise<number> =>
  (await call(box.api, 'POST', '/threads/count', { body: {} })).body

it('answers in the order of the request, and asks for threads in few statements', async () => {
  const answer = await send(items(600))
  expect(answer.status).toBe(200)
  expect(answer.body.map((run: { metadata: { n: number } }) => run.metadata.n)).toEqual(
    Array.from({ length: 600 }, (_, n) => n),
  )
  expect(new Set(answer.body.map((run: { thread_id: string }) => run.thread_id)).size).toBe(600)
  expect(asked.get('ensureThread')).toBeUndefined()
  expect(asked.get('ensureThreads')).toBeLessThanOrEqual(6)
})

const found = (n: number) => call(box.api, 'GET', `/runs/half.${n}/report`)

it('that broke half-way is completed by a retry with the same key, and no run is made twice', async () => {
  const before = await threads()
  room = 300
  expect((await send(items(600), 'half')).status).toBe(500)
  // In part: some are there, and some are not.
  expect([(await found(0)).status, (await found(599)).status]).toEqual([200, 404])
  room = Infinity
  const first = (await found(0)).body.run_id
  const [retry, another] = await Promise.all([send(items(600), 'half'), send(items(600), 'half')])
  expect([retry.status, another.status]).toEqual([200, 200])
  expect(idsOf(another)).toEqual(idsOf(retry))
  expect(new Set(idsOf(retry)).size).toBe(600)
  expect(idsOf(retry)[0]).toBe(first)
  // Each run has a thread of its own: there is none that a run was lost with.
  expect(await threads()).toBe(before + 600)
  const runs = await Promise.all(
    retry.body
      .slice(0, 5)
      .map((run: { thread_id: string }) => call(box.api, 'GET', `/threads/${run.thread_id}/runs`)),
  )
  for (const { body } of runs) expect(body).toHaveLength(1)
})

it('with another body under the same key answers a conflict, and makes nothing more', async () => {
  await send(items(2), 'other')
  const before = await threads()
  const refused = await send(items(2, { input: 'Another note.' }), 'other')
  expect(refused).toMatchObject({ status: 409, body: { code: 'idempotency_conflict' } })
  expect(await threads()).toBe(before)
})
