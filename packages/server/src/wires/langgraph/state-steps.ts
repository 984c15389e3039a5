/**
 * The steps of a thread, folded from its events: one per decision, with what had been said by then. A fact belongs to the
 * decision that folded it, whatever else was written in between, so no step ever shows half of one.
 */
import {
  conversationTypes,
  decisionSchemas,
  type Effect,
  isFactType,
  type Outcome,
  type StateName,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import { iso } from '../../http/wire/iso.ts'
import { checkpointId } from './checkpoint.ts'
import { type ChatMessage, ChatMessages } from './messages.ts'

/** Types of events that the steps of a thread are folded from. */
export const stepTypes: readonly string[] = [
  ...conversationTypes,
  'run.transitioned',
  'model.aborted',
  'policy.answered',
  'approval.requested',
  'approval.expired',
]

/** Which decision a step is. */
export interface StepHead {
  readonly id: string
  /** The step before it in the thread; null for the first. */
  readonly parentId: string | null
  readonly runId: string
  /** Position in the thread, from -1, as LangGraph counts. */
  readonly n: number
  /** Is it the first of its run? */
  readonly isInput: boolean
}

/** A decision, and the thread as it left it. */
export interface Step extends StepHead {
  /** Milliseconds since the epoch. */
  readonly at: number
  readonly state: StateName
  readonly outcome: Outcome | null
  /** Effects that were asked for and have not settled, and the states that wait for them. */
  readonly open: ReadonlyMap<string, string>
  /** Calls that wait for a human. */
  readonly asked: readonly AskedApproval[]
  readonly messages: readonly ChatMessage[]
}

/** All steps, oldest first. */
export function stepHeads(events: readonly StoredEvent[]): readonly StepHead[] {
  const heads: StepHead[] = []
  for (const { runId, seq } of events.filter(isStep)) {
    const before = heads.at(-1)
    heads.push({
      id: checkpointId(runId, seq),
      parentId: before?.id ?? null,
      runId,
      n: (before?.n ?? -2) + 1,
      isInput: before?.runId !== runId,
    })
  }
  return heads
}

/** The ids of all steps, oldest first. */
export const stepIds = (events: readonly StoredEvent[]): readonly string[] =>
  stepHeads(events).map(({ id }) => id)

/** Erased events say nothing, not even of steps. */
const isStep = (event: StoredEvent): boolean =>
  event.type === 'run.transitioned' && event.salt !== ''

/** Folds the events of a thread, oldest first, and answers the steps that are wanted. */
export function foldSteps(
  events: readonly StoredEvent[],
  wanted: readonly StepHead[],
): readonly Step[] {
  const story = new Story()
  const steps: Step[] = []
  const heads = new Map(wanted.map((head) => [head.id, head]))
  const keep = () => {
    const head = heads.get(story.id)
    if (head) steps.push({ ...head, ...story.now() })
  }
  for (const event of events) {
    // What follows a decision up to the next one is part of it.
    if (isStep(event)) keep()
    story.take(event)
  }
  keep()
  return steps
}

const nodes: Readonly<Record<Effect['kind'], string>> = {
  'model.call': 'model',
  'tool.call': 'tools',
  'run.start': 'tools',
  'policy.evaluate': 'guardrail',
  'webhook.deliver': 'tools',
}

/** Facts about an effect that leave it open. */
const stillOpen = new Set(['child.started'])

class Story {
  readonly #messages = new ChatMessages()
  readonly #open = new Map<string, string>()
  readonly #asked = new Map<string, AskedApproval>()
  /** Facts that no decision has folded yet. */
  #facts: StoredEvent[] = []
  #runId = ''
  #decided: Pick<Step, 'at' | 'state' | 'outcome'> = { at: 0, state: 'queued', outcome: null }
  /** The step that is being told; empty before the first. */
  id = ''

  take(event: StoredEvent): void {
    if (event.salt === '') return
    if (event.runId !== this.#runId) this.#begin(event.runId)
    if (event.type === 'run.transitioned') this.#decide(event)
    else if (isFactType(event.type)) this.#facts.push(event)
    else this.#verdict(event)
  }

  now(): Omit<Step, keyof StepHead> {
    const [open, asked] = [new Map(this.#open), [...this.#asked.values()]]
    return { ...this.#decided, open, asked, messages: this.#messages.list() }
  }

  #begin(runId: string): void {
    this.#runId = runId
    this.#facts = []
    this.#open.clear()
    this.#asked.clear()
  }

  #decide(event: StoredEvent): void {
    const payload = decisionSchemas['run.transitioned'].parse(event.payload)
    const { through, path, outcome, effects } = payload
    for (const fact of this.#facts) if (fact.seq <= through) this.#fold(fact)
    this.#facts = this.#facts.filter((fact) => fact.seq > through)
    for (const { id, kind } of effects) this.#open.set(id, nodes[kind])
    for (const id of payload.retries) this.#open.set(id, 'tools')
    const state = path.at(-1) ?? 'queued'
    if (outcome !== null) this.#open.clear()
    if (outcome !== null || state === 'cancelling') this.#asked.clear()
    this.id = checkpointId(event.runId, event.seq)
    this.#decided = { at: event.at, state, outcome }
  }

  #fold(fact: StoredEvent): void {
    this.#messages.take(fact)
    const { effectId, callId } = fact.payload
    if (typeof effectId === 'string' && !stillOpen.has(fact.type)) this.#open.delete(effectId)
    if (typeof callId === 'string') this.#asked.delete(callId)
  }

  #verdict(event: StoredEvent): void {
    this.#messages.take(event)
    const { callId } = event.payload
    if (event.type === 'approval.requested') this.#ask(event)
    else if (typeof callId === 'string') this.#asked.delete(callId)
  }

  #ask(event: StoredEvent): void {
    const request = decisionSchemas['approval.requested'].parse(event.payload)
    const { callId, expiresAt } = request
    this.#asked.set(callId, {
      for: 'approval',
      approval_id: request.approvalId,
      call_id: callId,
      tool: request.tool,
      args: this.#messages.argsOf(callId),
      args_hash: request.argsHash,
      policy_id: request.policyId ?? null,
      policy_digest: request.policyDigest ?? null,
      reason: request.reason,
      requested_at: iso(event.at),
      expires_at: expiresAt === null ? null : iso(expiresAt),
    })
  }
}
