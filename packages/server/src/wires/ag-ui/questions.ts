/**
 * What a run waits for, folded from its events: at any moment of the past as well as now.
 *
 * Q1 A run waits where something is asked and nothing of it moves, as the machine says it of itself.
 * Q2 An answer counts from the decision on that folded it.
 */
import { decisionSchemas, Effect, isFactType } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { iso } from '../../http/wire/iso.ts'
import type { Waiting } from '../../http/wire/run-view.ts'
import { askedQuestion } from '../langgraph/state-steps.ts'

const About = z.object({
  effectId: z.string().optional(),
  callId: z.string().optional(),
  attempt: z.number().default(0),
})

interface Work {
  readonly callId: string
  readonly tool: string
}

const waitingStates = new Set(['approval', 'input', 'tools'])
/** What leaves an effect under way. */
const goesOn = new Set(['child.started', 'tool.unknown', 'tool.resolved'])
/** What ends the asking about a call besides an answer. */
const settles = new Set(['approval.expired', 'input.expired', 'call.denied'])

/** Sees the events of one run, in order. */
export class Questions {
  /** By call, and by effect. */
  readonly #asked = new Map<string, Waiting>()
  readonly #unknown = new Map<string, Waiting>()
  readonly #works = new Map<string, Work>()
  /** Effects of calls that are under way. */
  readonly #moving = new Set<string>()
  #facts: StoredEvent[] = []
  #state = 'queued'

  /** What is asked and not answered. */
  get open(): readonly Waiting[] {
    return [...this.#asked.values(), ...this.#unknown.values()]
  }

  /** Does the run wait for a human, and for nothing else? */
  get isWaiting(): boolean {
    return this.open.length > 0 && this.#moving.size === 0 && waitingStates.has(this.#state)
  }

  see(event: StoredEvent): void {
    const { type, payload } = event
    if (event.salt === '') return
    if (type === 'run.transitioned') this.#decide(event)
    else if (isFactType(type)) this.#facts.push(event)
    else if (type === 'approval.requested') this.#ask(event)
    else if (type === 'input.requested') this.#question(event)
    else if (settles.has(type) && typeof payload['callId'] === 'string')
      this.#asked.delete(payload['callId'])
  }

  #decide({ payload }: StoredEvent): void {
    const decided = decisionSchemas['run.transitioned'].parse(payload)
    const { through, path, outcome, effects, retries } = decided
    for (const fact of this.#facts) if (fact.seq <= through) this.#fold(fact)
    this.#facts = this.#facts.filter(({ seq }) => seq > through)
    for (const effect of effects) this.#begin(effect)
    for (const id of retries) this.#moving.add(id)
    this.#state = path.at(-1) ?? this.#state
    if (outcome === null && this.#state !== 'cancelling') return
    this.#asked.clear()
    this.#unknown.clear()
    this.#moving.clear()
  }

  #begin(effect: Effect): void {
    if (!('callId' in effect)) return
    const { id, callId, tool } = effect
    this.#works.set(id, { callId, tool })
    this.#moving.add(id)
  }

  #fold({ type, payload }: StoredEvent): void {
    const { effectId = '', callId = '', attempt } = About.parse(payload)
    if (!goesOn.has(type)) this.#moving.delete(effectId)
    if (type === 'approval.answered' || type === 'input.answered') this.#asked.delete(callId)
    if (type === 'tool.resolved') this.#unknown.delete(effectId)
    if (type !== 'tool.unknown') return
    this.#moving.delete(effectId)
    this.#unknown.set(effectId, {
      for: 'resolution',
      effect_id: effectId,
      call_id: callId,
      tool: this.#works.get(effectId)?.tool ?? null,
      attempt,
    })
  }

  #question(event: StoredEvent): void {
    const asked = askedQuestion(event)
    this.#asked.set(asked.call_id, asked)
  }

  #ask(event: StoredEvent): void {
    const request = decisionSchemas['approval.requested'].parse(event.payload)
    const { callId, expiresAt } = request
    this.#asked.set(callId, {
      for: 'approval',
      approval_id: request.approvalId,
      call_id: callId,
      tool: request.tool,
      // The call stands in its message.
      args: null,
      args_hash: request.argsHash,
      policy_id: request.policyId ?? null,
      policy_digest: request.policyDigest ?? null,
      reason: request.reason,
      requested_at: iso(event.at),
      expires_at: expiresAt === null ? null : iso(expiresAt),
    })
  }
}
