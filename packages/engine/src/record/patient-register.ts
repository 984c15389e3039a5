/**
 * The register as performers see it: what they read before a call, and store after it, is tried again. An outage must not
 * end a run as failed, or make a call unknown that never began.
 */
import type { Register } from '../ports.ts'
import { type Patience, repeatedly } from './patience.ts'

/** The same register. Everything else passes: whoever appends or polls has ways of his own. */
export function patientRegister(patience: Patience, register: Register): Register {
  const again = <T>(what: string, attempt: () => Promise<T>): Promise<T> =>
    repeatedly(patience, what, attempt)
  const reads: Partial<Register> = {
    head: (runId) => again('read run', () => register.head(runId)),
    tail: (runId, after) => again('read run', () => register.tail(runId, after)),
    events: (runId, options) => again('read events', () => register.events(runId, options)),
    conversation: (threadId, runId) =>
      again('read conversation', () => register.conversation(threadId, runId)),
    sinceCut: (threadId, runId) =>
      again('read conversation', () => register.sinceCut(threadId, runId)),
    continuation: (threadId, runId, known) =>
      again('read conversation', () => register.continuation(threadId, runId, known)),
    changedFiles: (threadId, runId) =>
      again('read files', () => register.changedFiles(threadId, runId)),
    definition: (hash) => again('read definition', () => register.definition(hash)),
    openBudget: (budget) => again('open budget', () => register.openBudget(budget)),
    reserve: (asked) => again('reserve', () => register.reserve(asked)),
    spend: (effect, used) => again('spend', () => register.spend(effect, used)),
    children: (runId) => again('read children', () => register.children(runId)),
    grants: (agent, calls) => again('read grants', () => register.grants(agent, calls)),
    safetyStops: (user, since, limit) =>
      again('read safety stops', () => register.safetyStops(user, since, limit)),
    digestKey: (wanted) => again('read digest key', () => register.digestKey(wanted)),
    ensureThread: (thread) => again('read thread', () => register.ensureThread(thread)),
    ensureThreads: (threads) => again('read threads', () => register.ensureThreads(threads)),
    isMemoryOff: (thread) => again('read thread', () => register.isMemoryOff(thread)),
    memoryEvents: (memory, through) =>
      again('read memory', () => register.memoryEvents(memory, through)),
    learnedFrom: (memory, threadId) =>
      again('read memory', () => register.learnedFrom(memory, threadId)),
    standings: (tenantId, runIds) => again('read runs', () => register.standings(tenantId, runIds)),
    standing: (tenantId, moments) =>
      again('read events', () => register.standing(tenantId, moments)),
    blobs: (thread, keys) => again('read blobs', () => register.blobs(thread, keys)),
    threadTitle: (thread) => again('read title', () => register.threadTitle(thread)),
    putDefinition: (hash, definition) =>
      again('store definition', () => register.putDefinition(hash, definition)),
    putBlob: (thread, blob) => again('store blob', () => register.putBlob(thread, blob)),
    blob: (thread, key) => again('read blob', () => register.blob(thread, key)),
  }
  return withOwn(register, reads)
}

/** The same register, but for methods of its own. */
export const withOwn = (register: Register, methods: Partial<Register>): Register =>
  new Proxy(register, {
    get(target, name) {
      const own: unknown = Reflect.get(methods, name)
      if (own !== undefined) return own
      const method: unknown = Reflect.get(target, name, target)
      return typeof method === 'function' ? method.bind(target) : method
    },
  })
