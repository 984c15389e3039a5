/** Mistakes in a part of an item, whatever stands in the register: the rules of the SQL functions, by the same names. */
import { type JsonObject, limits } from '@signalbox/core'
import type {
  AppendItem,
  ClaimDraft,
  CreateDraft,
  DecisionDraft,
  EventDraft,
  FactDraft,
  SettleDraft,
} from '@signalbox/engine'

const fits = (text: string, most: number = limits.idCharsMax): boolean =>
  text.length > 0 && (text.length <= most || (text.match(/./gsu)?.length ?? 0) <= most)
const isOptional = (text: string | null): boolean => text === null || fits(text)
const isId = (text: string): boolean => fits(text) && /^[A-Za-z0-9._-]+$/.test(text)
const isCount = (n: number, digits: number): boolean =>
  n >= 0 && Number.isInteger(n) && n < 10 ** digits
const isObject = (value: JsonObject): boolean =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The reason to reject the whole item; null if there is none. */
export function itemProblem(item: AppendItem): string | null {
  const { create, facts = [], notes = [], settle } = item
  if (create) {
    if (facts[0]?.type !== 'run.created') return 'create_without_run_created'
    if (!fits(item.tenantId) || !isCreate(create)) return 'create_malformed'
  }
  if (settle && !isSettle(settle)) return 'settle_malformed'
  const isRight = facts.every((fact) => fits(fact.key) && isEvent(fact)) && notes.every(isEvent)
  return isRight ? null : 'event_malformed'
}

const strategies = new Set(['enqueue', 'reject', 'interrupt', 'rollback'])

const isCreate = (create: CreateDraft): boolean =>
  [create.threadId, create.agent, create.definitionHash, create.machine].every((text) =>
    fits(text),
  ) &&
  isObject(create.metadata) &&
  strategies.has(create.multitask ?? 'enqueue') &&
  isCount(create.delayMs ?? 0, 12) &&
  isCount(Math.abs(create.priority ?? 0), 4) &&
  (create.lanes?.length ?? 0) <= limits.lanesMax

const isSettle = ({ effectId, attempt, delayMs, expect, becomes }: SettleDraft): boolean =>
  isId(effectId) &&
  isCount(attempt, 9) &&
  isCount(delayMs, 10) &&
  (expect === 'started' || expect === 'done') &&
  (becomes === 'done' || becomes === 'pending')

const isHex = (text: string, bytes: number): boolean =>
  text.length === 2 * bytes && /^[0-9a-f]*$/.test(text)

const isEvent = (event: EventDraft | FactDraft): boolean =>
  fits(event.type) &&
  fits(event.actor) &&
  isOptional(event.tool) &&
  isOptional(event.verdict) &&
  isHex(event.salt, 16) &&
  isHex(event.payloadHash, 32) &&
  isObject(event.payload) &&
  isStorable(JSON.stringify(event.payload))

/** jsonb holds no NUL and no lone surrogate: in well-formed JSON both are escapes. */
const isStorable = (json: string): boolean =>
  !json.includes('\\u') || !/(?<!\\)(?:\\\\)*\\u(?:0000|d[89a-f])/i.test(json)

/** Why a decision is rejected; null if nothing is wrong with it. */
export function decisionProblem(runId: string, decision: DecisionDraft): string | null {
  const { events, status, outcome, stateName, effects, timers } = decision
  if (events[0]?.type !== 'run.transitioned') return 'decision_without_run_transitioned'
  const isEnd = status === 'ended'
  const most = isEnd ? limits.finalStateBytesMax : limits.stateBytesMax
  if (Buffer.byteLength(JSON.stringify(decision.state)) > most) return 'state_too_large'
  const isKnown = ['queued', 'running', 'waiting', 'ended'].includes(status)
  if (!isKnown || !fits(stateName) || isEnd !== (outcome !== null && fits(outcome)))
    return 'decision_malformed'
  if (!effects.every((effect) => isEffect(runId, effect))) return 'effect_malformed'
  if (!timers.every(({ id, afterMs }) => fits(id, 150) && isCount(afterMs, 15)))
    return 'timer_malformed'
  return events.every(isEvent) ? null : 'event_malformed'
}

function isEffect(runId: string, effect: DecisionDraft['effects'][number]): boolean {
  const { id, kind, mode, queue, delayMs } = effect
  const tool = 'tool' in effect ? effect.tool : null
  return (
    isId(id) &&
    id.startsWith(`${runId}.`) &&
    /^[a-z]{1,30}\.[a-z]{1,30}$/.test(kind) &&
    ['read', 'idempotent', 'once'].includes(mode) &&
    fits(queue) &&
    isOptional(tool) &&
    isCount(delayMs, 12)
  )
}

export const isClaim = ({ effectId, owner, leaseMs, at, salt }: ClaimDraft): boolean =>
  isId(effectId) &&
  isId(owner) &&
  owner.length <= 100 &&
  leaseMs >= 1 &&
  isCount(leaseMs, 9) &&
  isCount(at, 15) &&
  isHex(salt, 16)
