/** Memories in memory: the functions of the SQL register that are about them, in plain code. */
import { factSchemas, memoryToolNames } from '@signalbox/core'
import type { MemoryPort, RunStanding, StoredEvent, ThreadRef } from '@signalbox/engine'
import { conversationOf, placed } from './lineage.ts'
import { type RunRow, type Tables, threadKey } from './tables.ts'

const tools: ReadonlySet<string> = new Set(memoryToolNames)

const created = (tables: Tables, runId: string) => {
  const [first] = tables.events.get(runId) ?? []
  return first?.salt ? factSchemas['run.created'].parse(first.payload) : null
}

const isHidden = ({ hidden }: Tables, run: RunRow): boolean =>
  hidden.has(run.runId) || hidden.has(threadKey(run))

const blobKey = ({ tenantId, threadId }: ThreadRef, key: string): string =>
  `${tenantId}\u0000${threadId}\u0000${key}`

/** The part of the register that is about memories. */
export function memoriesOf(tables: Tables): MemoryPort {
  const { runs, threads, events, blobs, memories, memoryOff } = tables
  const learners = (memory: ThreadRef): readonly RunRow[] =>
    placed(tables, memory)
      .toReversed()
      .filter(({ runId }) => created(tables, runId)?.learn !== undefined)
  return {
    ensureMemory: async ({ about, ...thread }) => {
      const key = threadKey(thread)
      if (!threads.has(key)) {
        threads.set(key, { ...thread, metadata: about })
        memories.add(key)
      }
      return memories.has(key)
    },
    isMemoryOff: async (thread) => memoryOff.has(threadKey(thread)),
    setMemory: async (thread, isOff) => {
      const key = threadKey(thread)
      if (!threads.has(key) || tables.hidden.has(key)) return 'no_thread'
      if (isOff) memoryOff.add(key)
      else memoryOff.delete(key)
      return 'ok'
    },
    memoryEvents: async (memory, through) =>
      conversationOf(tables, memory, through?.runId ?? null).filter(
        (event) =>
          (through === null || event.runId !== through.runId || event.seq <= through.seq) &&
          changes(event),
      ),
    learnedFrom: async (memory, threadId) => {
      for (const { runId, outcome } of learners(memory)) {
        if (outcome !== 'completed' || created(tables, runId)?.learn?.threadId !== threadId)
          continue
        const pinned = (events.get(runId) ?? []).flatMap((event) => {
          if (event.type !== 'model.completed' || !event.salt) return []
          return factSchemas['model.completed'].parse(event.payload).pinned?.learned ?? []
        })
        if (pinned[0]) return pinned[0]
      }
      return null
    },
    learnings: async (memory, limit) =>
      learners(memory)
        .flatMap(({ runId, outcome, updatedAt: endedAt }) =>
          outcome === null ? [] : [{ runId, outcome, endedAt }],
        )
        .slice(0, limit),
    learnsLater: async ({ runId, ...thread }, memoryThreadId) => {
      const own = runs.get(runId)?.place ?? 0
      return [...runs.values()].some((run) => {
        if (threadKey(run) !== threadKey(thread) || run.status === 'ended') return false
        if (run.runId === runId || (run.place !== null && run.place < own)) return false
        const { memory } = created(tables, run.runId) ?? {}
        return memory?.threadId === memoryThreadId && memory.learn === true
      })
    },
    standings: async (tenantId, runIds) =>
      [...new Set(runIds)].flatMap((runId): RunStanding[] => {
        const run = runs.get(runId)
        if (run?.tenantId !== tenantId) return []
        const { threadId, place, outcome } = run
        return [{ runId, threadId, place, outcome, isHidden: isHidden(tables, run) }]
      }),
    standing: async (tenantId, moments) =>
      moments.filter(({ runId, seq }) => {
        const run = runs.get(runId)
        if (run?.tenantId !== tenantId || run.outcome === 'rolled_back') return false
        const event = events.get(runId)?.find((each) => each.seq === seq)
        return event !== undefined && event.salt !== '' && !isHidden(tables, run)
      }),
    blobs: async (thread, keys) =>
      new Map(
        keys.flatMap((key): [string, Uint8Array][] => {
          const blob = blobs.get(blobKey(thread, key))
          return blob ? [[key, blob.bytes]] : []
        }),
      ),
    eraseMemory: async (memory, contentKey) => {
      const key = threadKey(memory)
      const thread = threads.get(key)
      if (!thread || !memories.has(key)) return null
      threads.set(key, { ...thread, contentKey })
      const own = [...blobs.keys()].filter((each) => each.startsWith(blobKey(memory, '')))
      for (const each of own) blobs.delete(each)
      for (const run of runs.values()) {
        if (threadKey(run) !== key || run.status !== 'ended') continue
        const log = events.get(run.runId) ?? []
        events.set(
          run.runId,
          log.map((event) =>
            event.type === 'model.completed' ? { ...event, payload: {}, salt: '' } : event,
          ),
        )
      }
      return own.length
    },
    memories: async (tenantId, about) =>
      [...memories].flatMap((key) => {
        const thread = threads.get(key)
        if (thread?.tenantId !== tenantId) return []
        const { metadata, threadId, createdAt, contentKey } = thread
        const fits = Object.entries(about).every(([name, value]) => metadata[name] === value)
        return fits ? [{ tenantId, threadId, about: metadata, createdAt, contentKey }] : []
      }),
  }
}

/** May the event change the memory? */
const changes = ({ type, tool, payload }: StoredEvent): boolean =>
  (type === 'tool.completed' && tools.has(tool ?? '') && 'memory' in payload) ||
  (type === 'run.created' && 'edit' in payload)
