/** The run of an item that creates one, in memory: `create_run` of the SQL. */
import { limits } from '@signalbox/core'
import type { AppendItem, AppendResult, Moment, ThreadRef } from '@signalbox/engine'
import { heardThrough } from './lineage.ts'
import { lastDue, openOn } from './queue.ts'
import {
  insertRun,
  isOpen,
  type RunRow,
  type Tables,
  threadKey,
  type WaitColumn,
} from './tables.ts'

/** The answer for an item of which nothing was written, unless `more` says what was. */
export const answer = (
  item: AppendItem,
  code: AppendResult['code'],
  more: Partial<AppendResult> = {},
): AppendResult => ({
  code,
  runId: item.runId,
  admitted: false,
  seq: 0,
  facts: 0,
  decided: 0,
  factCodes: [],
  decisionCode: null,
  claims: [],
  ...more,
})

/** Inserts the run, or says why not. Null: it was inserted, or is there, or the item creates none. */
export function create(tables: Tables, now: number, item: AppendItem): AppendResult | null {
  const { create: draft, tenantId, runId } = item
  if (!draft || tables.runs.has(runId)) return null
  const alias = draft.alias && `${tenantId}\u0000${draft.alias.key}`
  const taken = alias === null ? undefined : tables.aliases.get(alias)
  if (taken) return answerTaken(tables, item, taken)
  const thread = { tenantId, threadId: draft.threadId }
  if (tables.hidden.has(threadKey(thread))) return answer(item, 'no_run')
  if (tables.memories.has(threadKey(thread)) !== (draft.memory === true))
    return answer(item, 'no_run')
  if (draft.parent) {
    if (!draft.parent.effectId.startsWith(`${draft.parent.runId}.`))
      return answer(item, 'rejected', { detail: 'parent_malformed' })
    const parent = tables.runs.get(draft.parent.runId)
    const root = parent?.parent?.rootId ?? parent?.runId
    if (!parent || parent.tenantId !== tenantId || root !== draft.parent.rootId)
      return answer(item, 'no_parent')
    if (parent.status === 'ended' || parent.cancelRequested) return answer(item, 'no_parent')
    // An attempt that was taken over starts nothing: the call may have been answered without it.
    const effect = tables.effects.get(draft.parent.effectId)
    if (effect && (!isOpen(effect) || effect.attempt !== draft.parent.attempt))
      return answer(item, 'no_parent')
  }
  if (draft.base && !isHeard(tables, draft.base, thread)) return answer(item, 'no_base')
  const queued = openOn(tables, thread).filter(({ status }) => status === 'queued').length
  if (queued >= limits.queuedPerThreadMax) return answer(item, 'thread_full')
  const { multitask = 'enqueue', delayMs = 0 } = draft
  const last = lastDue(tables, thread, now)
  if (multitask === 'reject' && last !== null) return answer(item, 'busy')
  // Behind all that is due.
  const behind = multitask === 'enqueue' || last === null ? now : Math.max(now, last + 1)
  if (alias !== null && draft.alias)
    tables.aliases.set(alias, { runId, bodyHash: draft.alias.bodyHash })
  const { threadId, agent, definitionHash, machine, machineVersion, metadata, parent: by } = draft
  const pinned = { threadId, agent, definitionHash, machine, machineVersion, metadata }
  insertRun(tables, now, {
    ...pinned,
    runId,
    tenantId,
    parent: by ? { runId: by.runId, effectId: by.effectId, rootId: by.rootId } : null,
    base: draft.base ?? null,
    dueAt: behind + delayMs,
    multitask,
    priority: draft.priority ?? 0,
    lanes: draft.lanes ?? [],
    laned: draft.lanes !== undefined,
  } satisfies Pick<RunRow, WaitColumn> & Partial<RunRow>)
  return null
}

function isHeard(tables: Tables, { runId, seq }: Moment, thread: ThreadRef): boolean {
  const run = tables.runs.get(runId)
  if (run?.tenantId !== thread.tenantId || run.place === null) return false
  const last = heardThrough(tables, thread, runId) ?? 0
  return seq >= 1 && seq <= Math.min(run.seq, last)
}

function answerTaken(
  tables: Tables,
  item: AppendItem,
  taken: { readonly runId: string; readonly bodyHash: string },
): AppendResult {
  const run = tables.runs.get(taken.runId)
  const code = taken.bodyHash === item.create?.alias?.bodyHash ? 'exists' : 'conflict'
  const { admitted = false, seq = 0, facts = 0, decided = 0 } = run ?? {}
  return answer(item, code, { runId: taken.runId, admitted, seq, facts, decided })
}
