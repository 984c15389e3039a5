/**
 * Stored logs, folded by today's code: every decision must come out as it was made, and the last state as it was cached
 * (I15, I16). What turns this red is a change of the machine that would break runs which are alive.
 */
import { AgentDefinition, persist, replay } from '@signalbox/core'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'

const StoredLog = z.object({
  run: z.string(),
  outcome: z.string(),
  state: z.record(z.string(), z.json()),
  definition: AgentDefinition,
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

const folder = join(import.meta.dirname, 'logs')
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

const read = (name: string) => StoredLog.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))

test('the set holds a log of every outcome that runs can have', () => {
  const outcomes = new Set(names.map((name) => name.split('-')[1]))
  expect(outcomes).toEqual(
    new Set([
      'budget_exhausted',
      'cancelled',
      'completed',
      'failed',
      'interrupted',
      'length_stopped',
      'loop_stopped',
      'refused',
      'safety_stopped',
      'timed_out',
    ]),
  )
})

test.each(names)('%s replays', (name) => {
  const log = read(name)
  const folded = replay({ run: log.run, agent: log.definition }, log.events)
  expect(folded.differences).toEqual([])
  expect(folded.undecided).toEqual([])
  expect(persist(folded.state)).toEqual(log.state)
  expect(folded.state.context.ending).toBe(log.outcome)
})

test('a log that was changed does not replay', () => {
  const log = read(names[0] ?? '')
  const step = log.events.findLast((event) => event.type === 'run.transitioned')
  if (!step) throw new Error('no decision in the log')
  const changed = { ...step, payload: { ...step.payload, path: ['queued'] } }
  const events = log.events.map((event) => (event === step ? changed : event))
  const { differences } = replay({ run: log.run, agent: log.definition }, events)
  expect(differences.map((difference) => difference.seq)).toEqual([step.seq])
})
