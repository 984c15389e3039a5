/**
 * Hundreds of calls that wait for a pause. Would catch: a paused backlog that is polled, announced or claimed again and again, and
 * one that does not go on when the pause is over.
 */
import { setTimeout } from 'node:timers/promises'
import { defineTool } from '@signalbox/tools'
import pg from 'pg'
import { expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { call, eventually } from './support/http.ts'
import { startTest } from './support/signalbox.ts'

const calls = 300
const callsPerRun = 25
/** In which statements are counted; the reconciler turns every second. */
const watchMs = 4_000

const work = defineTool({
  name: 'work',
  description: 'Works.',
  effect: 'idempotent',
  input: z.object({ n: z.number() }),
  run: () => 'worked',
})

/** Statements of this process, which is every process of this test. */
async function statementsOf(wait: () => Promise<unknown>): Promise<number> {
  let statements = 0
  const query = Reflect.get(pg.Client.prototype, 'query')
  Reflect.set(pg.Client.prototype, 'query', function (this: pg.Client, ...args: unknown[]) {
    statements += 1
    return Reflect.apply(query, this, args)
  })
  await wait()
  Reflect.set(pg.Client.prototype, 'query', query)
  return statements
}

it('asks the database nothing more than a quiet server does', { timeout: 300_000 }, async () => {
  const box = await startTest({
    agents: { clerk: { model: { provider: 'scripted', model: 'clerk' }, tools: ['work'] } },
    tools: [work],
    scripts: {
      clerk: (_, turn) =>
        turn === 0
          ? { calls: [...Array(callsPerRun).keys()].map((n) => ({ name: 'work', args: { n } })) }
          : { text: 'Done.' },
    },
  })
  onTestFinished(() => box.stop())
  const quiet = await statementsOf(() => setTimeout(watchMs))

  const body = { target: { tool: 'work' }, reason: 'Look at it.' }
  const { body: pause } = await call(box.api, 'POST', '/pauses', { body })
  const runs = Array.from({ length: calls / callsPerRun }, () => ({
    assistant_id: 'clerk',
    input: 'Work.',
  }))
  await call(box.api, 'POST', '/runs/batch', { body: runs })
  await eventually(async () => {
    const { body: queues } = await call(box.api, 'GET', '/queues')
    return queues[0]?.paused === calls
  })
  // What was announced is refused once, and what is two seconds old is looked at once.
  const settle = async () => {
    for (let last = Infinity; ;) {
      const now = await statementsOf(() => setTimeout(watchMs))
      if (now >= last * 0.9) return
      last = now
    }
  }
  await settle()
  const paused = await statementsOf(() => setTimeout(watchMs))
  console.log(JSON.stringify({ quiet, paused }))
  // A look at each run once a second were 48 more.
  expect(paused).toBeLessThanOrEqual(quiet * 1.5 + 10)

  await call(box.api, 'DELETE', `/pauses/${pause.pause_id}`)
  await eventually(async () => {
    const { body: done } = await call(box.api, 'GET', '/runs/stats?outcome=completed')
    return done.groups[0]?.count === runs.length
  }, 200_000)
})
