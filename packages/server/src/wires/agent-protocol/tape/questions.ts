/**
 * What a run asks of humans, and that it was answered. The calls of one decision are one request, which is answered when the last
 * of them is.
 */
import { factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { AskedApproval } from '../../../http/wire/approval-view.ts'
import { type Interrupt, interruptsOf } from '../../langgraph/interrupt.ts'
import { askedApproval, askedQuestion } from '../../langgraph/state-steps.ts'
import type { TapeEvent } from './tape-event.ts'

const closes = new Set(['approval.answered', 'approval.expired', 'input.answered', 'input.expired'])

type ArgsOf = (callId: string) => Record<string, unknown> | null

/** Follows the events of one run. */
export class Questions {
  /** The interrupt of a call or an effect that waits. */
  readonly #open = new Map<string, string>()
  /** Approvals since the last time. */
  #asked: { readonly event: StoredEvent; readonly what: AskedApproval }[] = []
  /** Outcomes and questions since the last time: each is an interrupt of its own. */
  #others: { readonly event: StoredEvent; readonly interrupt: Interrupt }[] = []

  /** Sees an event, and says whether it answers something. */
  see(event: StoredEvent, toolOf: (callId: string) => string | null): TapeEvent | null {
    const { type, payload } = event
    if (type === 'tool.unknown') {
      const { effectId, callId, attempt } = factSchemas['tool.unknown'].parse(payload)
      this.#open.set(effectId, effectId)
      const what = { for: 'resolution' as const, effect_id: effectId, call_id: callId, attempt }
      for (const interrupt of interruptsOf([{ ...what, tool: toolOf(callId) }]))
        this.#others.push({ event, interrupt })
    }
    if (closes.has(type)) return this.#close(event, payload['callId'])
    return type === 'tool.resolved' ? this.#close(event, payload['effectId']) : null
  }

  /** An approval that was asked for with the decision that is being seen. */
  ask(event: StoredEvent, argsOf: ArgsOf): void {
    const what = askedApproval(event, argsOf)
    this.#asked.push({ event, what })
    this.#open.set(what.call_id, this.#asked[0]?.what.approval_id ?? what.approval_id)
  }

  /** A question that the decision asks which is being seen. */
  question(event: StoredEvent): void {
    const asked = askedQuestion(event)
    this.#open.set(asked.call_id, asked.call_id)
    for (const interrupt of interruptsOf([asked])) this.#others.push({ event, interrupt })
  }

  /** What was asked since the last time. */
  take(): readonly TapeEvent[] {
    const [asked, others] = [this.#asked, this.#others]
    this.#asked = []
    this.#others = []
    const approvals = interruptsOf(asked.map(({ what }) => what))
    const requested = approvals.flatMap((interrupt) =>
      asked.slice(0, 1).map(({ event }) => ({ event, interrupt })),
    )
    return [...requested, ...others].map(({ event, interrupt }) => ({
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
    if ([...this.#open.values()].includes(id)) return null
    return {
      id: `${runId}:${seq}:answered`,
      method: 'input.answered',
      channel: 'input',
      namespace: [],
      data: () => ({ interrupt_ids: [id] }),
    }
  }
}
