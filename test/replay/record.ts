/**
 * `node test/replay/record.ts [--from 1] [--seeds 2000] [--only context.]`: plays simulated seeds and adds to `logs/` the shortest runs that
 * show every feature (`features.ts`), or those that begin so, twice. `replay.test.ts` folds them for ever after: logs are added, never
 * changed, and a change of the machine that cannot reproduce them needs a new machine version.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { machines } from '@signalbox/core'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { simulate } from '../simulation/simulate.ts'
import { type Feature, features, featuresOf } from './features.ts'

const { values } = parseArgs({
  options: {
    from: { type: 'string', default: '1' },
    seeds: { type: 'string', default: '2000' },
    only: { type: 'string', default: '' },
  },
})
const from = Number(values.from)
const copies = 2

interface Candidate {
  readonly name: string
  readonly shows: ReadonlySet<Feature>
  readonly size: number
  readonly text: string
}

/** The runs of a seed. Whose policies only the simulation can evaluate is left out: a log must replay by itself. */
function candidatesOf(seed: number, { tables }: MemoryRegister): readonly Candidate[] {
  return [...tables.runs.values()].flatMap((run, n) => {
    const definition = tables.definitions.get(run.definitionHash)
    // One that was left waiting says less than one that ended.
    if (run.outcome === null) return []
    // Of builds that come after this one the simulation has machines of its own.
    if (!machines.has(run.machineVersion)) return []
    if (!definition || definition.guardrails.policies.some(({ use }) => use === 'cedar')) return []
    const events = (tables.events.get(run.runId) ?? []).map(
      ({ seq, type, version, at, actor, verdict, payload }) => ({
        seq,
        type,
        version,
        at,
        actor,
        verdict,
        payload,
      }),
    )
    const { runId, outcome, state } = run
    return {
      name: `v${run.machineVersion}-${outcome}-${seed}-${n}.json`,
      shows: featuresOf(outcome, events),
      size: events.length,
      text: `${JSON.stringify({ run: runId, outcome, state, definition, events })}\n`,
    }
  })
}

const candidates: Candidate[] = []
for (let seed = from; seed < from + Number(values.seeds); seed++)
  candidates.push(...candidatesOf(seed, (await simulate(seed)).register))
candidates.sort((a, b) => a.size - b.size)

const having = (among: Iterable<Candidate>, feature: Feature): readonly Candidate[] =>
  [...among].filter(({ shows }) => shows.has(feature))

// The rarest first: what shows it often shows others as well.
const rarest = features
  .filter((feature) => feature.startsWith(values.only))
  .toSorted((a, b) => having(candidates, a).length - having(candidates, b).length)
const chosen = new Set<Candidate>()
for (const feature of rarest) {
  const missing = copies - having(chosen, feature).length
  const others = having(candidates, feature).filter((each) => !chosen.has(each))
  for (const each of others.slice(0, Math.max(0, missing))) chosen.add(each)
  if (having(chosen, feature).length === 0) console.log(`no run shows ${feature}`)
}
let added = 0
for (const { name, text } of chosen) {
  // A log that is there stays as it is.
  const adds = writeFile(join(import.meta.dirname, 'logs', name), text, { flag: 'wx' })
  added += await adds.then(
    () => 1,
    () => 0,
  )
}
console.log(`${added} logs added`)
