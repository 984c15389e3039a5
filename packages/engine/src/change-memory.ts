/**
 * What persons do with memories: an item is written or removed by an edit, a run on the thread of the memory that asks no model, so that it takes its
 * turn behind a learning that is under way, and stands in the log with who did it.
 */
import { type AgentDefinition, type MemoryDraft, type MemoryItem, itemsOf } from '@signalbox/core'
import { createRun, type CreateRunDeps } from './create-run.ts'
import type { Caller, CreateAnswer } from './engine.ts'
import type { MemoryOf } from './memory-thread.ts'
import { keepMemory } from './perform/memory-call.ts'
import { createMemories } from './perform/memories.ts'
import type { Clock, Moment, Register, ThreadRef } from './ports.ts'
import { insist } from './record/patience.ts'

/** Changes of a memory by somebody who is no model. */
export interface ChangeMemory extends Caller {
  readonly memory: MemoryOf
  /** A run has an agent, though this one asks nothing of it. */
  readonly definition: AgentDefinition
  /** At least one. */
  readonly changes: readonly MemoryDraft[]
  /** Learnings that are under way or wait are ended, and learn nothing. Default: the change stands behind them. */
  readonly interrupts?: boolean
  readonly alias: { readonly key: string; readonly bodyHash: string } | null
}

/** Makes the change: the run of the answer has made it when it has ended. */
export async function changeMemory(
  deps: CreateRunDeps,
  { memory, changes, interrupts = false, ...request }: ChangeMemory,
): Promise<CreateAnswer> {
  const { tenantId } = request
  const place: ThreadRef = { tenantId, threadId: memory.threadId }
  await ensureMemory(deps, place, memory)
  return createRun(deps, {
    ...request,
    threadId: memory.threadId,
    input: [],
    edit: { messages: [], memory: await keepMemory(deps.content, place, changes) },
    metadata: {},
    ...(interrupts ? { multitask: 'interrupt' as const } : {}),
  })
}

async function ensureMemory(
  deps: CreateRunDeps,
  place: ThreadRef,
  { about }: MemoryOf,
): Promise<void> {
  const { register, clock, random } = deps
  const thread = { ...place, about, createdAt: clock.now(), contentKey: random.hex(32) }
  await insist(deps, 'ensure memory', () => register.ensureMemory(thread))
}

/** A pause of a memory: nothing is learned into it, and nothing of it is shown, until it ends. */
export interface PauseMemory extends Caller {
  readonly memory: MemoryOf
  readonly isPaused: boolean
}

/** It holds at once, also for a learning that is under way. */
export async function pauseMemory(
  deps: CreateRunDeps,
  { tenantId, memory, isPaused }: PauseMemory,
): Promise<void> {
  const place: ThreadRef = { tenantId, threadId: memory.threadId }
  await ensureMemory(deps, place, memory)
  await insist(deps, 'set memory', () => deps.register.setMemory(place, isPaused))
}

/** An item as a person sees it. */
export interface MemoryEntry {
  readonly item: MemoryItem
  /** Null: it was erased. */
  readonly text: string | null
  /** Sources of which something is left. */
  readonly standing: readonly Moment[]
}

/** A memory as a person sees it: all of it, also what is not shown to models just now. */
export interface MemoryView {
  readonly isPaused: boolean
  readonly at: Moment | null
  readonly entries: readonly MemoryEntry[]
}

/** Reads a memory, as it is or as it was at a moment. */
export async function readMemory(
  deps: { readonly register: Register; readonly clock: Pick<Clock, 'now'> },
  place: ThreadRef,
  through: Moment | null,
): Promise<MemoryView> {
  const { register } = deps
  const { memory, at, texts } = await createMemories(deps).read(place, through)
  const items = itemsOf(memory)
  const sources = items.flatMap(({ sources: own, confirmedBy }) => [...own, ...confirmedBy])
  const left = sources.length === 0 ? [] : await register.standing(place.tenantId, sources)
  const names = new Set(left.map(({ runId, seq }) => `${runId}:${seq}`))
  return {
    isPaused: await register.isMemoryOff(place),
    at,
    entries: items.map((item) => ({
      item,
      text: texts.get(item.id) ?? null,
      standing: [...item.sources, ...item.confirmedBy].filter(({ runId, seq }) =>
        names.has(`${runId}:${seq}`),
      ),
    })),
  }
}
