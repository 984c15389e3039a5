/**
 * One attempt to have a run learned from, after its end: a run of its own on the thread of the memory, or a note that says why not. It records a note,
 * since the run may take no facts any more.
 *
 * N1 One run is learned from once: the learning is known by an alias, and an attempt that was lost finds it.
 * N2 A newer run of the thread that is under way will learn for both, if it is one that is learned from at all.
 * N3 A memory whose learnings fail is left alone for a while: its ranges stay open, and the next one begins where the last success has ended.
 */
import {
  type AgentDefinition,
  factSchemas,
  learnerOf,
  limits,
  type MemoryEffect,
  type MemorySkip,
  type Moment,
  payloadOf,
} from '@signalbox/core'
import { createRun, type CreateRunDeps } from '../create-run.ts'
import { memoryOf } from '../memory-thread.ts'
import type { AppendItem, EffectRow, StoredEvent, ThreadRef } from '../ports.ts'
import { sha256 } from '../record/draft.ts'
import { insist } from '../record/patience.ts'
import { originOf } from './evidence.ts'

export type LearnDeps = CreateRunDeps

/** A learning that this process has claimed. */
export interface LearnTask {
  readonly row: EffectRow & { readonly spec: MemoryEffect }
  readonly attempt: number
  readonly known: Learnable
}

/** What was read of the run before the claim. */
export interface Learnable {
  readonly agent: AgentDefinition
  /** Null: it was erased. */
  readonly first: StoredEvent | null
  /** The end of the run. */
  readonly through: Moment
}

/** Reads the run. Rejects with a `NewerError` where it says anything that this build does not know. */
export async function readLearnable(
  { register }: Pick<LearnDeps, 'register'>,
  { runId }: EffectRow,
  agent: AgentDefinition,
): Promise<Learnable> {
  const [first = null] = await register.events(runId, { limit: 1 })
  const { facts = 0 } = (await register.head(runId)) ?? {}
  if (first?.salt) payloadOf(factSchemas['run.created'], first)
  return { agent, first: first?.salt ? first : null, through: { runId, seq: Math.max(1, facts) } }
}

type Noted = Pick<AppendItem, 'notes' | 'settle'>

/** Begins the learning, and answers what to append. */
export async function performLearn(deps: LearnDeps, task: LearnTask): Promise<Noted> {
  const { row, known } = task
  const origin = originOf(known.first)
  const { memory } = origin
  const about = memoryOf({ tenantId: row.tenantId, ...served(origin) }, known.agent)
  // Whom it worked for, and what its agent remembers, are what they were when it was created.
  if (!known.first || !memory || memory.threadId !== about?.threadId)
    return skipped(deps, task, 'gone')
  const place: ThreadRef = { tenantId: row.tenantId, threadId: memory.threadId }
  const why = await reasonAgainst(deps, task, place)
  if (why !== null) return skipped(deps, task, why)
  const { clock, random, register } = deps
  const thread = {
    ...place,
    about: about.about,
    createdAt: clock.now(),
    contentKey: random.hex(32),
  }
  await insist(deps, 'ensure memory', () => register.ensureMemory(thread))
  const learned = await insist(deps, 'read memory', () => register.learnedFrom(place, row.threadId))
  const range = { threadId: row.threadId, from: learned?.through ?? null, through: known.through }
  const answer = await createRun(deps, {
    ...place,
    ...served(origin),
    actor: deps.writer.actor,
    definition: learnerFor(known.agent),
    input: [],
    metadata: {},
    learn: range,
    priority: -100,
    lanes: [{ key: 'memory', most: limits.learnsPerTenantMax }],
    alias: { key: aliasOf(row), bodyHash: sha256(row.runId) },
  })
  switch (answer.code) {
    case 'created':
    case 'existing':
      return asked(deps, task, answer.runId)
    case 'thread_full':
      return skipped(deps, task, 'full')
    case 'held':
      return skipped(deps, task, 'held')
    default:
      return skipped(deps, task, 'gone')
  }
}

/** No client may choose an alias that begins so. */
const aliasOf = ({ threadId, runId }: EffectRow): string =>
  // An id of a thread may be as long as an alias.
  `learn:${sha256(threadId).slice(0, 16)}:${runId}`

const served = ({ user, endUser }: ReturnType<typeof originOf>) => ({
  ...(user === undefined ? {} : { user }),
  ...(endUser === null ? {} : { endUser }),
})

const learners = new WeakMap<AgentDefinition, AgentDefinition>()

/** The same object for the same agent: definitions are stored once per object. */
function learnerFor(agent: AgentDefinition): AgentDefinition {
  const known = learners.get(agent) ?? learnerOf(agent)
  learners.set(agent, known)
  return known
}

/** Why nothing is to be learned of the run by itself; null if it is. */
async function reasonAgainst(
  deps: LearnDeps,
  { row, known }: LearnTask,
  memory: ThreadRef,
): Promise<MemorySkip | null> {
  const { register, clock } = deps
  const { tenantId, threadId, runId } = row
  const [standing] = await insist(deps, 'read run', () => register.standings(tenantId, [runId]))
  if (!standing || standing.isHidden) return 'gone'
  if (await insist(deps, 'read thread', () => register.isMemoryOff({ tenantId, threadId })))
    return 'off'
  if (await insist(deps, 'read memory', () => register.isMemoryOff(memory))) return 'paused'
  const isLater = () => register.learnsLater({ tenantId, threadId, runId }, memory.threadId)
  if (await insist(deps, 'read runs', isLater)) return 'newer_run'
  if (await isCovered(deps, memory, known.through, threadId)) return 'covered'
  const last = await insist(deps, 'read memory', () =>
    register.learnings(memory, limits.learnFailuresMax),
  )
  const isFailing =
    last.length === limits.learnFailuresMax &&
    // A learning that a person has ended has not failed.
    last.every(({ outcome }) => outcome !== 'completed' && outcome !== 'cancelled') &&
    (last[0]?.endedAt ?? 0) + limits.learnRestMs > clock.now()
  return isFailing ? 'failing' : null
}

/** Has a learning of a newer run of the thread seen it already? */
async function isCovered(
  deps: LearnDeps,
  ...[memory, { runId }, threadId]: readonly [ThreadRef, Moment, string]
): Promise<boolean> {
  const learned = await insist(deps, 'read memory', () =>
    deps.register.learnedFrom(memory, threadId),
  )
  if (!learned) return false
  const ids = [runId, learned.through.runId]
  const places = new Map(
    (await insist(deps, 'read runs', () => deps.register.standings(memory.tenantId, ids))).map(
      (each) => [each.runId, each.place ?? 0],
    ),
  )
  // One that ends with this very run is its own, begun by an attempt that was lost.
  return (places.get(learned.through.runId) ?? 0) > (places.get(runId) ?? 0)
}

const fenceOf = ({ row: { effectId }, attempt }: LearnTask) =>
  ({ effectId, attempt, expect: 'started', becomes: 'done', delayMs: 0 }) as const

function asked({ writer }: LearnDeps, task: LearnTask, runId: string): Noted {
  const { effectId } = task.row
  const payload = { effectId, attempt: task.attempt, runId }
  const note = writer.event('memory.asked', payload, { verdict: 'asked' })
  return { notes: [note], settle: fenceOf(task) }
}

function skipped({ writer }: LearnDeps, task: LearnTask, reason: MemorySkip): Noted {
  const { effectId } = task.row
  const payload = { effectId, attempt: task.attempt, reason }
  const note = writer.event('memory.skipped', payload, { verdict: reason })
  return { notes: [note], settle: fenceOf(task) }
}
