/** What a newer build wrote is shown as far as it is known, and never parsed as what it is not. */
import { expect, test } from 'vitest'
import { decisionSchemas, legible } from '../src/index.ts'

const event = (type: string, payload: object, version = 1) => ({
  seq: 7,
  type,
  version,
  payload: JSON.parse(JSON.stringify(payload)),
})

const step = {
  from: 1,
  through: 2,
  path: ['queued', 'model'],
  outcome: null,
  effects: [],
  retries: [],
  timers: [],
  clearTimers: [],
}

test('an event of this build is left as it is', () => {
  for (const known of [event('timer.fired', { timerId: 't' }), event('run.transitioned', step)])
    expect(legible(known)).toBe(known)
})

test.each([
  ['type', event('context.summarised', { text: 'x' })],
  ['version', event('timer.fired', { timer: 't' }, 2)],
])('an event of a newer %s keeps its place and says nothing', (_, newer) => {
  expect(legible(newer)).toEqual({ ...newer, type: `newer.${newer.type}`, payload: {} })
})

test('of a decision, states and effects of newer kinds are left out', () => {
  const effects = [{ kind: 'memory.learn', id: 'r.1' }]
  const newer = event('run.transitioned', {
    ...step,
    path: ['queued', 'reflection', 'model'],
    effects,
  })
  const shown = legible(newer)
  expect(decisionSchemas['run.transitioned'].parse(shown.payload)).toEqual(step)
})
