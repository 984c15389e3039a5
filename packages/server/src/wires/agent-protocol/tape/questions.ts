/** What a run asks of humans, and that it was answered. */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { type Interrupt, interruptOf } from '../../langgraph/interrupt.ts'
import { askedApproval } from '../../langgraph/state-steps.ts'
import type { TapeEvent } from './tape-event.ts'

type ArgsOf = (callId: string) => Record<string, unknown> | null

/** Follows the events of one run. */
export class Questions {
  /** The interrupt of a call or an effect that waits. */
  readonly #open = new Map<string, string>()
  #asked: { readonly event: StoredEvent; readonly interrupt: Interrupt }[] = []

  /** Sees an event, and says whether it answers something. */
  see(event: StoredEvent, toolOf: (callId: string) => string | null): TapeEvent | null {
    const { type, payload } = event
    if (type === 'tool.unknown') {
      const { effectId, callId, attempt } = factSchemas['tool.unknown'].parse(payload)
      this.#open.set(effectId, effectId)
      const what = { for: 'resolution' as const, effect_id: effectId, call_id: callId, attempt }
      this.#asked.push({ event, interrupt: interruptOf({ ...what, tool: toolOf(callId) }) })
    }
    if (type === 'approval.answered' || type === 'approval.expired')
      return this.#close(event, payload['callId'])
    return type === 'tool.resolved' ? this.#close(event, payload['effectId']) : null
  }

  /** An approval that was asked for with the decision that is being seen. */
  ask(event: StoredEvent, argsOf: ArgsOf): void {
    const asked = askedApproval(event, argsOf)
    this.#open.set(asked.call_id, asked.approval_id)
    this.#asked.push({ event, interrupt: interruptOf(asked) })
  }

  /** What was asked since the last time. */
  take(): readonly TapeEvent[] {
    const asked = this.#asked
    this.#asked = []
    return asked.map(({ event, interrupt }) => ({
      id: `${event.runId}:${event.seq}:asked`,
      method: 'input.requested',
      channel: 'input',
      namespace: [],
      data: () => ({ interrupt_id: interrupt.id, payload: interrupt.value }),
    }))
  }

  #close({ runId, seq }: StoredEvent, of: unknown): TapeEvent | null {
    const id = typeof of === 'string' ? this.#open.get(of) : undefined
    if (id === undefined) return null
    this.#open.delete(String(of))
    return {
      id: `${runId}:${seq}:answered`,
      method: 'input.answered',
      channel: 'input',
      namespace: [],
      data: () => ({ interrupt_ids: [id] }),
    }
  }
}
