/** What is announced again of calls that wait. Would catch: a repetition that nothing asked for, one queue that hides another. */
import { expect, it } from 'vitest'
import { batchMax, createBacklog, hintOf } from '../src/roles/backlog.ts'
import type { EffectRow, Hint } from '../src/ports.ts'
import { createMemoryRegister } from '@signalbox/testing/memory'

const blank = {
  tenantId: 't',
  runId: 'r',
  threadId: 't',
  definitionHash: 'h',
  machineVersion: 1,
  rootId: null,
}
const rowOf = (effectId: string, queue: string, dispatches = 1, attempt = 0): EffectRow => ({
  ...blank,
  effectId,
  queue,
  dispatches,
  attempt,
  kind: 'tool.call',
  mode: 'idempotent',
  status: 'pending',
  owner: null,
  leaseUntil: null,
  spec: {
    id: effectId,
    kind: 'tool.call',
    queue,
    mode: 'idempotent',
    delayMs: 0,
    source: 's',
    callId: 'c',
    tool: 'work',
    toolVersion: '1',
    argsHash: 'h',
    timeoutMs: 1_000,
  },
  call: null,
  cancelRequested: false,
})

function scene(waiting: Record<string, number>, jobs: Record<string, number>) {
  let now = 1_000_000
  let asked = 0
  const sent: Hint[] = []
  const said: string[] = []
  const say = (message: string) => void said.push(message)
  const look = createBacklog({
    register: {
      ...createMemoryRegister({ now: () => now }),
      waitingCalls: async () => {
        asked += 1
        return Object.entries(waiting).map(([queue, calls]) => ({ queue, calls }))
      },
      takeWaiting: async (queue, _waitMs, limit) =>
        Array.from({ length: limit }, (_, n) => rowOf(`${queue}.${n}`, queue)),
    },
    dispatcher: {
      depth: async (queue) => {
        const depth = jobs[queue]
        if (depth === undefined) throw new Error('away')
        return depth
      },
    },
    dispatch: async (hints) => void sent.push(...hints),
    clock: { monotonic: () => now },
    log: { debug: say, info: say, warn: say, error: say },
    settings: { pollMs: 1_000, redispatchMs: 10_000 },
  })
  return { look, sent, said, asked: () => asked, pass: (ms: number) => (now += ms) }
}

it('announces as many calls as jobs are missing, and none while a queue holds enough', async () => {
  const { look, sent } = scene(
    { full: 20, short: 20, fuller: 5 },
    { full: 20, short: 17, fuller: 9 },
  )
  expect(await look()).toBe(3)
  expect(sent.map(({ queue }) => queue)).toEqual(['short', 'short', 'short'])
})

it('is stopped by no queue that says nothing', async () => {
  const { look, sent, said } = scene({ away: 4, here: 2 }, { here: 0 })
  await look()
  expect(sent).toHaveLength(2)
  expect(said).toEqual(['a queue was not looked at'])
})

it('goes on at once after a full batch, else at its pace', async () => {
  const many = scene({ a: 5 * batchMax }, { a: 0 })
  expect(await many.look()).toBe(batchMax)
  expect(await many.look()).toBe(batchMax)

  const few = scene({ a: 1 }, { a: 0 })
  await few.look()
  await few.look()
  expect(few.asked()).toBe(1)
  few.pass(1_000)
  await few.look()
  expect(few.asked()).toBe(2)
})

/** Of a call after each number of dispatches, from none. */
const numbers = (attempt: number) =>
  Array.from({ length: 10 }, (_, n) => hintOf(rowOf('e', 'q', n, attempt)).dispatch)

it('names the job of a call by its claims, and seldom by its repetitions', () => {
  expect(numbers(0)).toEqual([0, 0, 0, 1, 1, 2, 2, 2, 2, 3])
  expect(numbers(2)).toEqual([2, 2, 2, 3, 3, 4, 4, 4, 4, 5])
})
