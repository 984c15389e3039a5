/** A register that counts. Nothing in the write path knows that it is counted. */
import { effectKindOf } from '@signalbox/core'
import { textAt } from '@signalbox/core/text'
import type {
  AppendItem,
  AppendResult,
  EventDraft,
  MemoryPort,
  PausePort,
  Register,
} from '@signalbox/engine'
import type { Metrics } from './metrics.ts'

/** The same register; what is appended through it shows in the metrics. */
export function measuredRegister(register: Register, metrics: Metrics): Register {
  const measured = async (
    items: readonly AppendItem[],
    append: () => Promise<readonly AppendResult[]>,
  ): Promise<readonly AppendResult[]> => {
    const end = metrics.appends.startTimer()
    try {
      const results = await append()
      items.forEach((item, n) => count(metrics, item, results[n]))
      end({ result: results.every(({ code }) => code === 'ok') ? 'ok' : 'refused' })
      return results
    } catch (error) {
      end({ result: 'failed' })
      throw error
    }
  }
  // By hand rather than by a proxy: `register` may be a class with private fields.
  return {
    append: async (item) => {
      const [result] = await measured([item], async () => [await register.append(item)])
      if (!result) throw new Error('unreachable: one item has one result')
      return result
    },
    appendMany: (items) => measured(items, () => register.appendMany(items)),
    repairState: (run, repaired) => register.repairState(run, repaired),
    head: (runId) => register.head(runId),
    tail: (runId, after) => register.tail(runId, after),
    events: (runId, options) => register.events(runId, options),
    ...conversationsOf(register),
    effect: (effectId) => register.effect(effectId),
    openEffects: (runId) => register.openEffects(runId),
    putDefinition: (hash, definition) => register.putDefinition(hash, definition),
    definition: (hash) => register.definition(hash),
    putBlob: (thread, blob) => register.putBlob(thread, blob),
    blob: (thread, key) => register.blob(thread, key),
    digestKey: (wanted) => register.digestKey(wanted),
    ...threadsOf(register),
    readyRuns: (limit, except) => register.readyRuns(limit, except),
    admissibleRuns: (limit, except) => register.admissibleRuns(limit, except),
    nextInLanes: (runId, limit) => register.nextInLanes(runId, limit),
    superseded: (limit, thread, except) => register.superseded(limit, thread, except),
    nextInThread: (tenantId, threadId) => register.nextInThread(tenantId, threadId),
    takeDue: (kinds, againMs, limit) => register.takeDue(kinds, againMs, limit),
    waitingCalls: () => register.waitingCalls(),
    takeWaiting: (queue, waitMs, limit) => register.takeWaiting(queue, waitMs, limit),
    nextWaiting: (queue, afterTenant) => register.nextWaiting(queue, afterTenant),
    dueTimers: (limit, except) => register.dueTimers(limit, except),
    nextDue: (kinds, lookedMs) => register.nextDue(kinds, lookedMs),
    renew: (leases, leaseMs) => register.renew(leases, leaseMs),
    grants: (agent, calls) => register.grants(agent, calls),
    safetyStops: (user, since, limit) => register.safetyStops(user, since, limit),
    admitCall: (model, breaker) => register.admitCall(model, breaker),
    reportCall: (model, outcome, breaker) => register.reportCall(model, outcome, breaker),
    children: (runId) => register.children(runId),
    endedChildren: (limit, except) => register.endedChildren(limit, except),
    orphans: (limit, except) => register.orphans(limit, except),
    openBudget: (budget) => register.openBudget(budget),
    reserve: (reservation) => register.reserve(reservation),
    spend: (effect, used) => register.spend(effect, used),
    settleBudgets: () => register.settleBudgets(),
    ...pausesOf(register),
    ...memoriesOf(register),
    recordInLedger: (draft) => register.recordInLedger(draft),
    useDefinition: (hash, draft) => register.useDefinition(hash, draft),
    close: () => register.close(),
  }
}

const pausesOf = (register: PausePort): PausePort => ({
  pause: (draft) => register.pause(draft),
  lift: (tenantId, pauseId, told) => register.lift(tenantId, pauseId, told),
  pauses: (tenantId) => register.pauses(tenantId),
})

const memoriesOf = (register: MemoryPort): MemoryPort => ({
  ensureMemory: (thread) => register.ensureMemory(thread),
  isMemoryOff: (thread) => register.isMemoryOff(thread),
  setMemory: (thread, isOff) => register.setMemory(thread, isOff),
  memoryEvents: (memory, through) => register.memoryEvents(memory, through),
  learnedFrom: (memory, threadId) => register.learnedFrom(memory, threadId),
  learnings: (memory, limit) => register.learnings(memory, limit),
  learnsLater: (run, memoryThreadId) => register.learnsLater(run, memoryThreadId),
  standings: (tenantId, runIds) => register.standings(tenantId, runIds),
  standing: (tenantId, moments) => register.standing(tenantId, moments),
  blobs: (thread, keys) => register.blobs(thread, keys),
  eraseMemory: (memory, contentKey) => register.eraseMemory(memory, contentKey),
  memories: (tenantId, about) => register.memories(tenantId, about),
})

function count(metrics: Metrics, item: AppendItem, result: AppendResult | undefined): void {
  if (result?.code !== 'ok') return
  if (item.create) metrics.runsCreated.inc({ agent: metrics.agents.of(item.create.agent) })
  if (result.decisionCode !== null) metrics.decisions.inc({ code: result.decisionCode })
  if (result.decisionCode === 'ok' && item.decision?.outcome)
    metrics.runsEnded.inc({ outcome: item.decision.outcome })
  if (result.decisionCode === 'ok')
    item.decision?.events.forEach((event) => countSkill(metrics, event))
  for (const claim of result.claims) metrics.claims.inc({ code: claim.code })
  if (result.settled === true) item.notes?.forEach((note) => countTitle(metrics, note))
  item.facts?.forEach((fact, n) => {
    if (result.factCodes[n] !== 'ok') return
    const [, status = ''] = fact.type.split('.')
    // What was recalled did not execute.
    const kind = 'recalled' in fact.payload ? 'tool.recall' : effectKindOf(fact.type)
    if (kind !== null) metrics.effects.inc({ kind, status })
    if (kind === 'context.compact')
      metrics.contextCalls.inc({ kind, outcome: fact.verdict ?? status })
  })
}

/** Counts a skill that a decision says is loaded. */
function countSkill(metrics: Metrics, { type, payload, verdict }: EventDraft): void {
  if (type !== 'skill.activated') return
  const skill = metrics.skills.of(textAt(payload, 'name'))
  metrics.skillsLoaded.inc({ skill, by: verdict ?? '' })
}

/** Counts the outcome of a call for a title: `made`, or why there is none. Where no model was asked, nothing is counted. */
function countTitle(metrics: Metrics, { type, payload, verdict }: EventDraft): void {
  const isAsked = type === 'thread.titled' || type === 'title.unchanged'
  if (!isAsked || !('provider' in payload)) return
  const outcome = type === 'thread.titled' ? 'made' : (verdict ?? '')
  metrics.contextCalls.inc({ kind: 'title', outcome })
}

type Threads = Pick<
  Register,
  'ensureThread' | 'ensureThreads' | 'changeThread' | 'threadTitle' | 'giveTitle' | 'hideThread'
>

const threadsOf = (register: Register): Threads => ({
  ensureThread: (thread) => register.ensureThread(thread),
  ensureThreads: (threads) => register.ensureThreads(threads),
  changeThread: (thread, change) => register.changeThread(thread, change),
  threadTitle: (thread) => register.threadTitle(thread),
  giveTitle: (thread, given) => register.giveTitle(thread, given),
  hideThread: (thread, expired) => register.hideThread(thread, expired),
})

type Conversations = Pick<Register, 'conversation' | 'continuation' | 'sinceCut' | 'changedFiles'>

const conversationsOf = (register: Register): Conversations => ({
  conversation: (threadId, runId) => register.conversation(threadId, runId),
  sinceCut: (threadId, runId) => register.sinceCut(threadId, runId),
  continuation: (threadId, runId, known) => register.continuation(threadId, runId, known),
  changedFiles: (threadId, runId) => register.changedFiles(threadId, runId),
})
