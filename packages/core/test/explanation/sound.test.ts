/**
 * Whatever happened: each call once, with one answer to whether it ran, and no claim without its event. Would catch: a call
 * that is forgotten, an attempt that nobody is told of, a call that is told as run and never began.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { explainRun, explanationPage } from '../../src/index.ts'
import { checker } from '../support/plays.ts'
import { expectSound } from './sound.ts'

const folder = join(import.meta.dirname, '../../../../test/replay/logs')
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))
const about = { runId: 'r', threadId: 't' }

test('there are stored logs', () => expect(names.length).toBeGreaterThanOrEqual(63))

test.each(names)('%s is explained', (name) => {
  const log = JSON.parse(readFileSync(join(folder, name), 'utf8'))
  const explained = explainRun(about, log.events)
  expectSound(explained, log.events)
  expect(explained.run.outcome).toBe(log.outcome)
  expect(explained.unreadable).toEqual([])
  const started = new Set(
    log.events
      .filter((event: { type: string }) => event.type === 'effect.started')
      .map((event: { payload: { effectId: string } }) => event.payload.effectId),
  )
  for (const { ran, checks } of explained.calls) {
    const effects = checks.flatMap((each) => (each.check === 'dispatch' ? [each.effect_id] : []))
    // Nothing executes before its claim is committed (I10): what was never claimed did not run.
    if (!effects.some((effect) => started.has(effect))) expect(ran).toBe('did_not_run')
  }
  for (const { type, payload } of log.events)
    if (type === 'tool.completed' && !payload.recalled)
      expect(explained.calls.find(({ call_id }) => call_id === payload.callId)?.ran).toBe('ran')
  for (const call of explained.calls) expect(explanationPage(explained)).toContain(call.why)
})

describe('whatever happens', () => {
  const each = checker(150)
  test('explanations are sound', () => {
    each(({ world }) => expectSound(explainRun(about, world.log), world.log))
  })
})
