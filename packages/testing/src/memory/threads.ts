/** Threads in memory. */
import { limits } from '@signalbox/core'
import type { Register, Thread, ThreadRef } from '@signalbox/engine'
import { type Tables, threadKey } from './tables.ts'
import { titlesOf } from './titles.ts'

/** The part of the register that is about threads. */
export function threadsOf(tables: Tables) {
  const { runs, threads, hidden } = tables
  const shown = (ref: ThreadRef): Thread | null => {
    const key = threadKey(ref)
    const thread = hidden.has(key) ? undefined : threads.get(key)
    return thread && tables.memories.has(key) ? { ...thread, isMemory: true } : (thread ?? null)
  }
  const ensure = (thread: Thread): Thread | null => {
    const { origin } = thread
    const key = threadKey(thread)
    const from = origin && runs.get(origin.runId)
    const isHeard = from?.tenantId === thread.tenantId && from.place !== null
    if (origin && !(isHeard && origin.seq >= 1 && origin.seq <= from.seq)) return null
    if (!threads.has(key)) threads.set(key, thread)
    return shown(thread)
  }
  return {
    ensureThread: async (thread) => ensure(thread),
    ensureThreads: async (wanted) => wanted.map(ensure),
    changeThread: async (ref, { metadata, ttlMinutes }) => {
      const thread = shown(ref)
      if (!thread || thread.isMemory) return 'no_thread'
      const merged = { ...thread.metadata, ...metadata }
      const bytes = new TextEncoder().encode(JSON.stringify(merged)).length
      if (bytes > limits.threadMetadataBytesMax) return 'too_large'
      const ttl = ttlMinutes === undefined ? {} : { ttlMinutes }
      threads.set(threadKey(ref), { ...thread, ...ttl, metadata: merged })
      return 'ok'
    },
    ...titlesOf(tables),
    hideThread: async (ref, expired) => {
      const thread = shown(ref)
      if (!thread) return 'no_thread'
      const key = threadKey(ref)
      const own = [...runs.values()].filter((run) => threadKey(run) === key)
      if (own.some((run) => run.status !== 'ended' && !run.cancelRequested)) return 'busy'
      if (expired) {
        const isNew = own.some(({ runId }) => runId > (expired.lastRunId ?? ''))
        if (isNew || own.some(({ status }) => status !== 'ended')) return 'busy'
        if ((thread.ttlMinutes ?? null) === null) return 'busy'
      }
      hidden.add(key)
      return 'ok'
    },
  } satisfies Partial<Register>
}
