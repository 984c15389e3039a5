/** What persons do with memories over HTTP: each change is a run on the thread of the memory, whose turn the request waits for. */
import { createHash } from 'node:crypto'
import { endOfDay, limits, type MemoryDraft } from '@signalbox/core'
import { canonical, type MemoryEntry, readMemory, uuidOf } from '@signalbox/engine'
import type { z } from '@hono/zod-openapi'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { Api, Identified } from './api.ts'
import { readIdempotencyKey, runOrProblem } from './create-run.ts'
import { findMemory, type FoundMemory, insistOnWriting } from './find-memory.ts'
import { Problem } from './problem.ts'
import type { MemoryErased, MemoryItemPut } from './wire/memory-view.ts'

const unknownItem = (id: string): Problem =>
  new Problem('unknown_memory_item', {
    detail: `There is no item ${id}. GET /memory lists the items.`,
    field: 'id',
  })

/** Writes an item, or gives one another text. @throws Problem */
export async function putItem(
  api: Api,
  caller: Identified,
  {
    body,
    idempotencyKey,
  }: { readonly body: z.infer<typeof MemoryItemPut>; readonly idempotencyKey: string | undefined },
): Promise<MemoryEntry> {
  const found = findMemory(api, caller, body)
  insistOnWriting(caller, found)
  const key = readIdempotencyKey(idempotencyKey)
  const { id: known, text, kind, until } = body
  const before = await entriesOf(api, caller, found)
  if (known !== undefined && !before.some(({ item }) => item.id === known)) throw unknownItem(known)
  const bytes = Buffer.byteLength(text)
  refuseFull(before, { id: known, bytes })
  const id =
    known ?? `mp_${key === null ? api.random.uuid() : uuidOf(`item of ${caller.tenantId} ${key}`)}`
  const end = typeof until === 'string' ? endOfDay(until) : null
  const draft: MemoryDraft = {
    op: known === undefined ? 'add' : 'revise',
    id,
    text,
    bytes,
    kind,
    sources: [],
    confidence: 1,
    since: api.now(),
    ...(end === null ? {} : { until: end }),
    by: 'person',
  }
  await change(api, caller, { found, changes: [draft], alias: aliasOf(key, { caller, body }) })
  const entry = (await entriesOf(api, caller, found)).find(({ item }) => item.id === id)
  // Removed in between.
  if (!entry) throw unknownItem(id)
  return entry
}

const aliasOf = (
  key: string | null,
  { caller, body }: { readonly caller: Identified; readonly body: unknown },
) => {
  const who = caller.endUser ?? caller.user?.id ?? null
  const meaning = canonical({ memory: body, who })
  return key === null ? null : { key, bodyHash: createHash('sha256').update(meaning).digest('hex') }
}

function refuseFull(
  entries: readonly MemoryEntry[],
  { id, bytes }: { readonly id: string | undefined; readonly bytes: number },
): void {
  const others = entries.filter(({ item }) => item.id !== id)
  const size = others.reduce((sum, { item }) => sum + item.bytes, bytes)
  if (others.length + 1 <= limits.memoryItemsMax && size <= limits.memoryBytesMax) return
  throw new Problem('memory_full', {
    detail: `A memory has at most ${limits.memoryItemsMax} items, and ${limits.memoryBytesMax} bytes of text. Remove some.`,
  })
}

/** Removes an item. @throws Problem */
export async function dropItem(
  api: Api,
  caller: Identified,
  asked: {
    readonly agent?: string | undefined
    readonly subject?: string | undefined
    readonly id: string
  },
): Promise<void> {
  const found = findMemory(api, caller, asked)
  insistOnWriting(caller, found)
  const { id } = asked
  const entries = await entriesOf(api, caller, found)
  if (!entries.some(({ item }) => item.id === id)) throw unknownItem(id)
  await change(api, caller, { found, changes: [{ op: 'drop', id, reason: 'person' }], alias: null })
}

/** Pauses a memory, or ends its pause. It holds from the answer on. @throws Problem */
export async function setPaused(
  api: Api,
  caller: Identified,
  {
    isPaused,
    ...asked
  }: {
    readonly agent?: string | undefined
    readonly subject?: string | undefined
    readonly isPaused: boolean
  },
): Promise<FoundMemory> {
  const found = findMemory(api, caller, asked)
  insistOnWriting(caller, found)
  const { tenantId, actor } = caller
  const { memory } = found
  await api.commands.pauseMemory({ tenantId, actor, memory, isPaused })
  const payload = { memory: memory.threadId, paused: isPaused }
  await api.ledger.record({ tenant: tenantId, type: 'memory.set', payload, actor })
  return found
}

/** What a memory that is erased leaves behind. */
const remains = [
  'The conversations that it was learned from: deleting them is another request.',
  'Answers of models that were shown it, in the conversations that they were given in.',
]

/** Erases the memories of a subject. @throws Problem */
export async function eraseSubject(
  api: Api,
  caller: Identified,
  { subject, agent }: { readonly subject: string; readonly agent?: string | undefined },
): Promise<z.infer<typeof MemoryErased>> {
  const { tenantId, actor } = caller
  const own = caller.endUser ?? caller.user?.id
  if (own !== undefined && own !== subject)
    throw new Problem('memory_forbidden', {
      detail: 'The request is identified as somebody else.',
      field: 'subject',
    })
  const [definition] = api.agents.values()
  const found = await api.memories.memories(tenantId, {
    subject,
    ...(agent === undefined ? {} : { agent }),
  })
  if (found.length === 0 || !definition)
    throw new Problem('no_memory', {
      detail: `Nothing is remembered of "${subject}".`,
      field: 'subject',
    })
  const memories = []
  for (const { threadId, about } of found) {
    const memory = { threadId, about }
    const scope = typeof about['scope'] === 'string' ? about['scope'] : ''
    const named = typeof about['agent'] === 'string' ? about['agent'] : null
    // Behind it, nothing that was said before is learned: the learnings that were under way are ended.
    const changes: readonly MemoryDraft[] = [{ op: 'reset', at: api.now() }]
    await change(api, caller, {
      found: { memory, definition },
      changes,
      alias: null,
      interrupts: true,
    })
    const texts = (await api.memories.eraseMemory({ tenantId, threadId }, api.random.hex(32))) ?? 0
    const payload = { memory: threadId, texts }
    await api.ledger.record({ tenant: tenantId, type: 'memory.erased', payload, actor })
    memories.push({ scope, agent: named, texts })
  }
  return { memories, remains }
}

const entriesOf = async (
  api: Api,
  { tenantId }: Identified,
  { memory }: FoundMemory,
): Promise<readonly MemoryEntry[]> =>
  (await viewOf(api, { tenantId, threadId: memory.threadId })).entries

/** A memory as a person sees it. */
export const viewOf = (
  api: Pick<Api, 'memories' | 'now'>,
  place: { readonly tenantId: string; readonly threadId: string },
  at: { readonly runId: string; readonly seq: number } | null = null,
) => readMemory({ register: api.memories, clock: { now: api.now } }, place, at)

/** Makes the change, and waits for its turn. @throws Problem `memory_busy` */
async function change(
  api: Api,
  caller: Identified,
  {
    found: { memory, definition },
    changes,
    alias,
    interrupts = false,
  }: {
    readonly found: Pick<FoundMemory, 'memory' | 'definition'>
    readonly changes: readonly MemoryDraft[]
    readonly alias: { readonly key: string; readonly bodyHash: string } | null
    readonly interrupts?: boolean
  },
): Promise<void> {
  const { tenantId, actor } = caller
  const asked = { tenantId, actor, memory, definition, changes, interrupts, alias }
  const answer = await api.commands.changeMemory(asked)
  const key = alias?.key ?? null
  const { runId } = runOrProblem(api, answer, { threadId: memory.threadId, key, isEdit: true })
  const signal = AbortSignal.any([api.stopping, AbortSignal.timeout(api.settings.waitMsMax)])
  // Runs of memories are shown to nobody as runs.
  const read = { run: (_tenant: string, id: string) => api.memories.head(id) }
  const { pollMs } = api.settings
  const { settled } = await waitForRun(
    { read, wakes: api.wakes, pollMs },
    { tenantId, runId },
    signal,
  )
  if (settled) return
  throw new Problem('memory_busy', {
    detail: `The change ${runId} waits behind learnings of the same memory, and is made when its turn comes.`,
    more: { run_id: runId },
  })
}
