/** The register in memory: for tests, the simulation, and to say in plain code what the SQL one must do. */
import {
  type AgentDefinition,
  callsOf,
  type EffectKind,
  factSchemas,
  isConversational,
  limits,
  outlivesRun,
  same,
  type ToolCallPart,
} from '@signalbox/core'
import {
  type Clock,
  type EffectRow,
  readStored,
  type Register,
  type RunHead,
  type StoredEvent,
} from '@signalbox/engine'
import { appendItem } from './append.ts'
import { budgetsOf } from './budgets.ts'
import { circuitsOf } from './circuit.ts'
import { familiesOf } from './families.ts'
import { governanceOf } from './governance.ts'
import { continuationOf, conversationOf, sinceCutOf } from './lineage.ts'
import { beat } from './lapse.ts'
import { pausesOf, release } from './pauses.ts'
import { ledgerOf } from './ledger.ts'
import { memoriesOf } from './memories.ts'
import { queuesOf, refOf } from './queue.ts'
import { inTurns, isNoneOf } from './turns.ts'
import { threadsOf } from './threads.ts'
import { type EffectRecord, isOpen, type RunRow, Tables } from './tables.ts'
import { waitingOf } from './waiting.ts'

export interface MemoryRegister extends Register {
  /** For tests only: the rows themselves. */
  readonly tables: Tables
}

/** `eventsMax`: events that one run may have; tests set it lower to see how long histories end. */
export function createMemoryRegister(
  clock: Pick<Clock, 'now'>,
  { eventsMax = limits.eventsPerRunMax }: { readonly eventsMax?: number } = {},
): MemoryRegister {
  const tables = new Tables(eventsMax)
  const ledger = ledgerOf(tables, clock)
  return {
    tables,
    append: async (item) => appendItem(tables, clock.now(), item),
    appendMany: async (items) => items.map((item) => appendItem(tables, clock.now(), item)),
    repairState: async ({ tenantId, runId }, { decided, state, notes }) => {
      const run = tables.runs.get(runId)
      if (run?.tenantId !== tenantId || run.decided !== decided) return false
      if (run.state && same(run.state, state)) return false
      run.state = state
      if (notes.length > 0) appendItem(tables, clock.now(), { runId, tenantId, notes })
      run.repaired = run.seq
      return true
    },
    ...readsOf(tables),
    ...contentOf(tables),
    ...duesOf(tables, clock),
    ...waitingOf(tables, clock, rowOf),
    ...governanceOf(tables),
    ...circuitsOf(tables, clock),
    ...familiesOf(tables),
    ...memoriesOf(tables),
    ...queuesOf(tables, clock),
    ...budgetsOf(tables),
    ...ledger,
    ...pausesOf(tables, clock, ledger),
    close: async () => {},
  }
}

const isSaid = ({ type }: StoredEvent): boolean => isConversational(type)

function readsOf(tables: Tables) {
  const { runs, events, effects } = tables
  const said = (threadId: string, runId: string) => {
    const { tenantId = '' } = runs.get(runId) ?? {}
    return conversationOf(tables, { tenantId, threadId }, runId)
  }
  return {
    head: async (runId) => {
      const run = runs.get(runId)
      return run ? headOf(run) : null
    },
    tail: async (runId, after) => {
      const run = runs.get(runId)
      if (!run) return null
      const all = events.get(runId) ?? []
      const { decided } = run
      const lacks = decided - (after ?? Infinity)
      const known = decided - (lacks > 0 && lacks <= limits.tailEventsMax ? lacks : 0)
      const from = all.findLastIndex((event) => event.seq <= known) + 1
      return { head: headOf(run), events: all.slice(from) }
    },
    events: async (runId, { after = 0, limit = Infinity }) => {
      const all = events.get(runId) ?? []
      // From the end: who reads again and again reads what is new.
      const from = all.findLastIndex((event) => event.seq <= after) + 1
      return all.slice(from, from + limit)
    },
    conversation: async (threadId, runId) => said(threadId, runId).filter(isSaid),
    sinceCut: async (threadId, runId) => sinceCutOf(said(threadId, runId)).filter(isSaid),
    continuation: async (threadId, runId, known) =>
      known.runId === runId ? null : continuationOf(said(threadId, runId), known),
    changedFiles: async (threadId, runId) =>
      said(threadId, runId).filter(({ payload }) => 'files' in payload || 'filesFrom' in payload),
    effect: async (effectId) => {
      const effect = effects.get(effectId)
      return effect ? rowOf(tables, effect) : null
    },
    openEffects: async (runId) =>
      [...effects.values()]
        .filter((effect) => effect.runId === runId)
        .filter(({ status }) => status !== 'done' && status !== 'cancelled')
        .map((effect) => rowOf(tables, effect)),
  } satisfies Partial<Register>
}

function contentOf(tables: Tables) {
  const { definitions, blobs, digestKeys } = tables
  /** By the stored object: reading one takes long, and it never changes. */
  const read = new WeakMap<
    object,
    { readonly hash: string; readonly definition: AgentDefinition }
  >()
  return {
    putDefinition: async (hash, definition) => void definitions.set(hash, definition),
    definition: async (hash) => {
      const stored = definitions.get(hash)
      if (stored === undefined) return null
      const known = read.get(stored)
      if (known?.hash === hash) return known.definition
      const definition = readStored(hash, stored)
      read.set(stored, { hash, definition })
      return definition
    },
    digestKey: async ({ tenantId, key }) => {
      const known = digestKeys.get(tenantId)
      if (known === undefined) digestKeys.set(tenantId, key)
      return known ?? key
    },
    putBlob: async ({ tenantId, threadId }, { key, mime, bytes }) =>
      void blobs.set(`${tenantId}\u0000${threadId}\u0000${key}`, { mime, bytes }),
    blob: async ({ tenantId, threadId }, key) => {
      // The content of another thread that this one goes on from is stored there.
      const heard = conversationOf(tables, { tenantId, threadId }, null).map(
        (event) => event.threadId,
      )
      const places = [threadId, ...heard].map((id) => `${tenantId}\u0000${id}\u0000${key}`)
      const place = places.find((one) => blobs.has(one))
      return place === undefined ? null : (blobs.get(place) ?? null)
    },
    ...threadsOf(tables),
  } satisfies Partial<Register>
}

function duesOf(tables: Tables, clock: Pick<Clock, 'now'>) {
  const { runs, effects, timers } = tables
  return {
    readyRuns: async (limit, except) =>
      inTurns(
        [...runs.values()]
          .filter((run) => run.decided < run.facts && run.status !== 'ended')
          .filter(isNoneOf(except)),
      )
        .slice(0, limit)
        .map(refOf),
    takeDue: async (kinds, againMs, limit) => {
      release(tables, clock.now(), limit)
      return inTurns(dueEffects(tables, kinds, clock.now()))
        .slice(0, limit)
        .map((effect) => {
          effect.dispatches += 1
          effect.due = waits(tables, effect) ? Infinity : clock.now() + againMs
          return rowOf(tables, effect)
        })
    },
    dueTimers: async (limit, except) =>
      [...timers.values()]
        .filter((timer) => timer.fireAt <= clock.now())
        .filter(isNoneOf(except))
        .toSorted((a, b) => a.fireAt - b.fireAt)
        .slice(0, limit),
    nextDue: async (kinds, lookedMs) => {
      const now = clock.now()
      const open = [...effects.values()].filter((one) => isOpen(one) && kinds.includes(one.kind))
      const waiting = [...runs.values()].filter((run) => !run.admitted && run.status !== 'ended')
      const dues = [
        ...open.map(({ due }) => due),
        ...[...timers.values()].map(({ fireAt }) => fireAt),
        ...waiting.map(({ dueAt }) => dueAt).filter((dueAt) => dueAt > now),
      ]
      const next = Math.min(...dues.filter((due) => due > now - lookedMs))
      return Number.isFinite(next) ? Math.max(0, next - now) : null
    },
    renew: async (leases, leaseMs) => {
      beat(tables, clock.now(), leaseMs)
      return leases.map(({ effectId, attempt }) => {
        const effect = effects.get(effectId)
        const kept =
          effect?.status === 'started' && effect.attempt === attempt && effect.leaseUntil !== null
        const run = effect && runs.get(effect.runId)
        const outlives = effect !== undefined && outlivesRun(effect.kind)
        const isOver = run?.status === 'ended'
        if (kept) Object.assign(effect, { leaseUntil: clock.now() + leaseMs, leaseMs })
        if (kept && (outlives || !isOver)) effect.due = clock.now() + leaseMs
        return { effectId, kept, cancel: !outlives && (isOver || run?.cancelRequested === true) }
      })
    },
  } satisfies Partial<Register>
}

function headOf(row: RunRow): RunHead {
  const { admitted: _admitted, lanes: _lanes, admittedAt: _at, repaired: _repaired, ...head } = row
  return head
}

function dueEffects(tables: Tables, kinds: readonly EffectKind[], now: number): EffectRecord[] {
  return [...tables.effects.values()].filter(
    (effect) =>
      isOpen(effect) &&
      kinds.includes(effect.kind) &&
      (effect.due <= now || isStranded(tables, effect)),
  )
}

const isCancelling = (tables: Tables, { runId }: EffectRecord): boolean =>
  tables.runs.get(runId)?.cancelRequested ?? false

/** Is it a call that is looked after by number from its first look on? */
const waits = (tables: Tables, effect: EffectRecord): boolean =>
  effect.status === 'pending' && effect.kind === 'tool.call' && !isCancelling(tables, effect)

/** Was it looked after by number, or held by a pause, until its run was to end? */
const isStranded = (tables: Tables, effect: EffectRecord): boolean =>
  (effect.status === 'pending' || effect.held !== null) &&
  effect.due === Infinity &&
  isCancelling(tables, effect)

function rowOf(tables: Tables, effect: EffectRecord): EffectRow {
  const run = tables.runs.get(effect.runId)
  const {
    notBefore: _notBefore,
    due: _due,
    held: _held,
    announced: _announced,
    leaseMs: _leaseMs,
    ...rest
  } = effect
  return {
    ...rest,
    threadId: run?.threadId ?? '',
    definitionHash: run?.definitionHash ?? '',
    machineVersion: run?.machineVersion ?? 0,
    rootId: run?.parent?.rootId ?? null,
    cancelRequested: run?.cancelRequested ?? false,
    call: callOf(tables, effect),
  }
}

/** The call an effect is about, from the answer that asked for it. */
function callOf(tables: Tables, { spec, runId }: EffectRecord): ToolCallPart | null {
  if (!('callId' in spec)) return null
  // From the end: most calls are of the newest answer.
  const answer = tables.events
    .get(runId)
    ?.findLast((event) => event.type === 'model.completed' && event.key === spec.source)
  if (!answer) return null
  const { turn } = factSchemas['model.completed'].parse(answer.payload)
  return callsOf(turn).find((call) => call.id === spec.callId) ?? null
}
