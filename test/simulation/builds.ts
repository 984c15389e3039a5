/**
 * What a process is made of: the versions of the machine that it knows, and the policies that it can load. In some seeds
 * processes differ in one of them. A run that a process does not know, or whose policies it lacks, is left to the others: it
 * is neither decided nor performed there, and it is not faulted.
 */
import {
  decisionSchemas,
  factSchemas,
  type Machines,
  outlivesRun,
  type PolicySpec,
} from '@signalbox/core'
import type { Register, StoredEvent } from '@signalbox/engine'
import { builds } from '../../packages/core/test/support/machine-two.ts'
import { isAbout, isEnd, isStep, type RunRecord } from '../invariants/run-record.ts'
import { type Day, isOfAll } from './days.ts'
import type { Incarnation } from './process.ts'
import { epoch, type Schedule } from './schedule.ts'
import { mixOf, seeded } from './seeded.ts'
import type { World } from './world.ts'

/** Every version that a build of the simulation knows. */
export const allMachines: Machines = builds.since

/** Does a life know the first version of the machine alone? `b1` comes back with the other build from each crash. */
function isOlder({ older }: Day, owner: string): boolean {
  const [name = '', life = ''] = owner.split('-')
  return older.includes(name) !== (name === 'b1' && Number(life) % 2 === 0)
}

/** The versions that a life knows. */
export const machinesOf = ({ owner, process }: Incarnation): Machines =>
  process.schedule.day.kind === 'versions' && !isOlder(process.schedule.day, owner)
    ? builds.since
    : builds.before

/** What clients speak to: of two builds either, request by request. The others have one. */
export function eitherOf<Engine extends { readonly commands: unknown }>(
  { process: { schedule } }: Incarnation,
  engineOf: (machines: Machines) => Engine,
): Engine {
  const older = engineOf(builds.before)
  if (schedule.day.kind !== 'versions') return older
  const newer = engineOf(builds.since)
  return {
    ...older,
    get commands() {
      return schedule.chance(0.5) ? older.commands : newer.commands
    },
  }
}

/** How many policies cannot be loaded where some cannot. */
const missing = 0.7

/** Can a process not load a policy now? Which they are, the policy says. */
export function lacks({ process: { name, schedule } }: Incarnation, spec: PolicySpec): boolean {
  const { lack } = schedule.day
  if (!lack || schedule.now >= lack.until || !lack.of.includes(name)) return false
  return seeded(mixOf(`lacks ${JSON.stringify(spec)}`))() < missing
}

/** How often a cached state is gone where processes differ. */
const forgotten = 0.2

/** Caches of states may be deleted at any time: whoever reads a run then folds its log, by its machine and its policies. */
export const forgetful = (schedule: Schedule, real: Register): Register =>
  schedule.day.kind !== 'versions' && schedule.day.kind !== 'lacking'
    ? real
    : {
        ...real,
        tail: async (runId, after) => {
          const tail = await real.tail(runId, after)
          if (!tail || !schedule.chance(forgotten)) return tail
          return { ...tail, head: { ...tail.head, state: null } }
        },
      }

/** What must hold of a run where processes differ. */
export const buildViolations = (world: World, run: RunRecord): readonly string[] => [
  ...versionViolations(world, run),
  ...lackViolations(world, run),
]

const versionOf = ([first]: RunRecord['log']): number =>
  factSchemas['run.created'].parse(first?.payload).machineVersion

/**
 * Only processes that know the version of a run decide and perform it. By the second version the first webhook is told of
 * each turn, by one effect right before that of the turn; by the first version it is not.
 */
function versionViolations(
  { schedule: { day } }: World,
  { head: { runId }, log, effects }: RunRecord,
): readonly string[] {
  if (day.kind !== 'versions') return []
  const isNewer = versionOf(log) === 2
  const strangers = log
    .filter(({ type, actor }) => isNewer && isWork(type) && isOlder(day, actor))
    .filter((event) => !isOfAnyBuild(effects, event))
    .map(({ type, seq, actor }) => `V3 ${actor} wrote ${type} at ${seq} of ${runId}, of version 2`)
  const wrong = log.filter(isStep).filter((step) => {
    const asked = decisionSchemas['run.transitioned'].parse(step.payload).effects
    const turn = asked.findIndex((each) => each.kind === 'model.call' && each.retry === 0)
    const told = asked[turn - 1]
    const isTold = told?.kind === 'webhook.deliver' && told.webhook === 0 && told.on === 'waiting'
    return turn >= 0 && isTold !== isNewer
  })
  return [
    ...strangers,
    ...wrong.map(({ seq }) => `V1 ${runId} tells nobody of its turn at ${seq}, or somebody`),
  ]
}

const isWork = (type: string): boolean => type === 'run.transitioned' || type === 'effect.started'

/** An effect that outlives a run, and one that recalls a result, need no machine. */
const isOfAnyBuild = (effects: RunRecord['effects'], event: StoredEvent): boolean =>
  effects.some(
    ({ effectId, spec: { kind } }) =>
      (outlivesRun(kind) || kind === 'tool.recall') && isAbout(event, effectId),
  )

/** A cancel and a timeout need no policy: the run ends this soon after them, or after the faults. */
const leavingMs = 4_000

/** Only what ends a run is decided without its policies; where nobody can load them, that ends it all the same. */
function lackViolations(
  { schedule: { day } }: World,
  { head: { runId }, log }: RunRecord,
): readonly string[] {
  const wrong = log
    .filter((step) => isStep(step) && step.payload['withoutPolicies'] === true)
    .filter((step) => !ends(decisionSchemas['run.transitioned'].parse(step.payload).path.at(-1)))
    .map(({ seq }) => `P1 ${runId} was decided without its policies at ${seq}`)
  const left = day.lack && isOfAll(day.lack) ? log.find(isLeaving) : undefined
  if (!left) return wrong
  const until = Math.max(left.at, epoch + day.faultsEndMs) + leavingMs
  const endedAt = log.find(isEnd)?.at ?? Infinity
  return endedAt > until
    ? [...wrong, `I12 ${runId} was to end at ${left.at - epoch}, and ended at ${endedAt - epoch}`]
    : wrong
}

const ends = (state: string | undefined): boolean => state === 'cancelling' || state === 'cancelled'

const isLeaving = ({ type, payload }: StoredEvent): boolean =>
  type === 'cancel.requested' || (type === 'timer.fired' && payload['timerId'] === 'timeout')
