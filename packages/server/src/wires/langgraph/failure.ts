/** Why a run failed, as LangGraph's streams, waits and states show it. */
import { decisionSchemas, factSchemas, type Outcome } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { endText, LastError, type RunError } from '../../http/wire/run-error.ts'
import { wireStatus } from '../../http/wire/run-view.ts'

/** `error` is the outcome, or LangGraph's name for it. */
export interface RunFailure {
  readonly error: string
  readonly message: string
  /** As the run document has it; absent where the log tells no cause. */
  readonly cause?: RunError
}

const Created = factSchemas['run.created'].pick({ client: true })
const Exhausted = decisionSchemas['budget.exhausted'].pick({ budget: true })

/** Sees the events of one run, in order. */
export class Failures {
  readonly #error = new LastError()
  /** The steps that the client allowed, as LangGraph counts them. */
  #allowed: number | null = null
  #isOutOfTurns = false

  see(event: StoredEvent): void {
    // What was erased says nothing.
    if (event.salt === '') return
    const { type, payload } = event
    this.#error.see(event)
    if (type === 'run.created')
      this.#allowed = Created.safeParse(payload).data?.client?.recursionLimit ?? null
    if (type === 'budget.exhausted')
      this.#isOutOfTurns = Exhausted.safeParse(payload).data?.budget === 'turns'
  }

  /** The failure that a client is shown of this end; null where it was none. */
  at(outcome: Outcome | null): RunFailure | null {
    if (outcome === null) return null
    if (this.#allowed !== null && this.#isOutOfTurns) return recursion(this.#allowed)
    const status = wireStatus({ status: 'ended', outcome })
    if (status !== 'error' && status !== 'timeout') return null
    const cause = this.#error.of(outcome)
    return { error: outcome, message: endText(outcome, cause), ...(cause ? { cause } : {}) }
  }
}

/** LangGraph's words for a run that has taken all the steps that its client allowed. */
const recursion = (limit: number): RunFailure => ({
  error: 'GraphRecursionError',
  message: `Recursion limit of ${limit} reached without hitting a stop condition. You can increase the limit by setting the "recursion_limit" config key.`,
})
