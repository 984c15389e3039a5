/**
 * Stored logs, folded by the machine they were made with: every decision must come out as it was made, and the last state
 * as it was cached (I15, I16). What turns this red is a change of a machine that would break runs which are alive. Logs
 * are added, never changed: `logs.sha256` holds the digest of each.
 */
import {
  AgentDefinition,
  decide,
  decisionSchemas,
  factSchemas,
  initialState,
  isCacheOf,
  type Machine,
  machines,
  readFact,
  replay,
} from '@signalbox/core'
import { passports } from '@signalbox/policies'
import { createHash } from 'node:crypto'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { z } from 'zod'
import { features, featuresOf } from './features.ts'

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
      verdict: z.string().nullable(),
      payload: z.record(z.string(), z.json()),
    }),
  ),
})

const folder = join(import.meta.dirname, 'logs')
const names = readdirSync(folder).filter((name) => name.endsWith('.json'))

/** The machine of the version a log is pinned to. */
function machineOf({ events: [created] }: z.infer<typeof StoredLog>): Machine {
  const { machineVersion } = factSchemas['run.created'].parse(created?.payload)
  const machine = machines.get(machineVersion)
  if (!machine) throw new Error(`there is no machine of version ${machineVersion}`)
  return machine
}

const read = (name: string) => StoredLog.parse(JSON.parse(readFileSync(join(folder, name), 'utf8')))

const digestOf = (name: string): string =>
  createHash('sha256')
    .update(readFileSync(join(folder, name)))
    .digest('hex')

test('no log was changed or taken away; what was added is in the list', () => {
  const lines = readFileSync(join(import.meta.dirname, 'logs.sha256'), 'utf8')
    .trim()
    .split('\n')
  expect(names.toSorted().map((name) => `${digestOf(name)}  logs/${name}`)).toEqual(lines)
})

test('the set holds a log of every outcome, and of every way a run can be governed', () => {
  const shown = names.flatMap((name) => {
    const { outcome, events } = read(name)
    return [...featuresOf(outcome, events)]
  })
  expect(features.filter((feature) => !shown.includes(feature))).toEqual([])
})

test.each(names)('%s replays', (name) => {
  const log = read(name)
  const machine = machineOf(log)
  const folded = replay({ run: log.run, agent: log.definition, machine, passports }, log.events)
  expect(folded.differences).toEqual([])
  expect(folded.undecided).toEqual([])
  expect(isCacheOf(machine, folded.state, log.state)).toBe(true)
  expect(folded.state.context.ending).toBe(log.outcome)
})

/** What an event of a verdict is about. Its words may be written better: nobody computes them again. */
const gist = (event: {
  readonly type: string
  readonly verdict: string | null
  readonly payload: object
}) => ({
  type: event.type,
  verdict: event.verdict,
  call: 'callId' in event.payload ? event.payload.callId : null,
})

test.each(names)('%s tells its verdicts as it did', (name) => {
  const log = read(name)
  const { run, definition: agent, events } = log
  const machine = machineOf(log)
  let state = initialState(machine)
  let from = 0
  for (const [at, event] of events.entries()) {
    if (event.type !== 'run.transitioned') continue
    const { through } = decisionSchemas['run.transitioned'].parse(event.payload)
    const folded = events.filter(({ seq }) => seq > from && seq <= through)
    const facts = folded.flatMap((each) => readFact(each) ?? [])
    const decision = decide({ run, agent, machine, passports }, state, facts)
    const told = events.slice(at + 1).slice(0, decision.verdicts.length)
    expect(told.map(gist)).toEqual(decision.verdicts.map(gist))
    state = decision.state
    from = through
  }
})

test('a log that was changed does not replay', () => {
  const log = read(names[0] ?? '')
  const step = log.events.findLast((event) => event.type === 'run.transitioned')
  if (!step) throw new Error('no decision in the log')
  const changed = { ...step, payload: { ...step.payload, path: ['queued'] } }
  const events = log.events.map((event) => (event === step ? changed : event))
  const machine = machineOf(log)
  const { differences } = replay(
    { run: log.run, agent: log.definition, machine, passports },
    events,
  )
  expect(differences.map((difference) => difference.seq)).toEqual([step.seq])
})
