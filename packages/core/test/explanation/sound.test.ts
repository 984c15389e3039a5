/**
 * Whatever happened: each call once, with one answer to whether it ran, and no claim without its event. Would catch: a call
 * that is forgotten, an attempt that nobody is told of, a call that is told as run and never began.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type ExplainedCall, explainRun, explanationPage } from '../../src/index.ts'
import { checker } from '../support/plays.ts'
import { expectSound } from './sound.ts'

const folder = join(import.meta.dirname, '../../../../test/replay/logs')
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
const StoredLog = z.object({
  outcome: z.string(),
  events: z.array(
    z.object({
      seq: z.number(),
      type: z.string(),
      version: z.number(),
      at: z.number(),
      actor: z.string(),
      payload: z.record(z.string(), z.json()),
    }),
  ),
})
const about = { runId: 'r', threadId: 't' }

const effectsOf = ({ checks }: ExplainedCall) =>
  checks.flatMap((each) => (each.check === 'dispatch' ? [each.effect_id] : []))

test('there are stored logs', () => expect(names.length).toBeGreaterThanOrEqual(63))

test.each(names)('%s is explained', (name) => {
  const log = StoredLog.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))
  const explained = explainRun(about, log.events)
  expectSound(explained, log.events)
  expect(explained.run.outcome).toBe(log.outcome)
  expect(explained.unreadable).toEqual([])
  const started = log.events.flatMap(({ type, payload }) =>
    type === 'effect.started' ? [payload['effectId']] : [],
  )
  // Nothing executes before its claim is committed (I10): what was never claimed did not run.
  const unclaimed = explained.calls.filter((call) =>
    effectsOf(call).every((effect) => !started.includes(effect)),
  )
  expect(unclaimed.filter(({ ran }) => ran !== 'did_not_run')).toEqual([])
  const completed = log.events.flatMap(({ type, payload }) =>
    type === 'tool.completed' && payload['recalled'] === undefined ? [payload['callId']] : [],
  )
  const finished = explained.calls.filter(({ call_id }) => completed.includes(call_id))
  expect(finished.filter(({ ran }) => ran !== 'ran')).toEqual([])
  for (const call of explained.calls) expect(explanationPage(explained)).toContain(call.why)
})

describe('whatever happens', () => {
  const each = checker(150)
  test('explanations are sound', () => {
    each(({ world }) => expectSound(explainRun(about, world.log), world.log))
  })
})
