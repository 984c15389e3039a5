/** Runs that the run has started, as AG-UI's subagents: announced when they begin, closed before the stream ends. */
import { decisionSchemas, factSchemas, type Outcome } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { AgUiEvent } from '../event.ts'

interface Child {
  readonly agent: string
  readonly callId: string
}

const broken: ReadonlySet<Outcome> = new Set(['failed', 'interrupted', 'timed_out'])

export class Subagents {
  /** Agents that effects are to start. */
  readonly #agents = new Map<string, string>()
  readonly #open = new Map<string, Child>()
  #spent = 0

  /** Tokens of those that have ended. */
  get tokens(): number {
    return this.#spent
  }

  /** What an event of the run says of them. */
  see({ type, payload, salt }: StoredEvent): readonly AgUiEvent[] {
    // Of what was erased, nothing can be announced.
    if (salt === '') return []
    if (type === 'run.transitioned') {
      for (const effect of decisionSchemas['run.transitioned'].parse(payload).effects)
        if (effect.kind === 'run.start') this.#agents.set(effect.id, effect.agent)
      return []
    }
    if (type === 'child.started') return this.#start(payload)
    return type === 'child.ended' ? this.#end(payload) : []
  }

  /** Those that are open, announced again: a client comes in the middle. */
  again(): readonly AgUiEvent[] {
    this.#spent = 0
    return [...this.#open].map(([id, child]) => started(id, child))
  }

  /** Closes what is open: nothing may be open where a stream ends. */
  *close(how: 'suspended' | 'cancelled'): Generator<AgUiEvent, void, undefined> {
    for (const subagentRunId of this.#open.keys())
      yield how === 'suspended'
        ? { type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'suspended' } }
        : { type: 'SUBAGENT_ERROR', subagentRunId, message: 'Cancelled with its run.', code: how }
    this.#open.clear()
  }

  #start(payload: StoredEvent['payload']): readonly AgUiEvent[] {
    const { effectId, callId, childRunId } = factSchemas['child.started'].parse(payload)
    if (this.#open.has(childRunId)) return []
    const child = { agent: this.#agents.get(effectId) ?? 'agent', callId }
    this.#open.set(childRunId, child)
    return [started(childRunId, child)]
  }

  #end(payload: StoredEvent['payload']): readonly AgUiEvent[] {
    const { childRunId: subagentRunId, outcome, spent } = factSchemas['child.ended'].parse(payload)
    this.#spent += spent.tokens
    if (!this.#open.delete(subagentRunId)) return []
    if (!broken.has(outcome))
      return [{ type: 'SUBAGENT_FINISHED', subagentRunId, outcome: { type: 'success' } }]
    const message = `It ended with the outcome "${outcome}".`
    return [{ type: 'SUBAGENT_ERROR', subagentRunId, message, code: outcome }]
  }
}

const started = (subagentRunId: string, { agent, callId }: Child): AgUiEvent => ({
  type: 'SUBAGENT_STARTED',
  subagentRunId,
  name: agent,
  parentToolCallId: callId,
})
