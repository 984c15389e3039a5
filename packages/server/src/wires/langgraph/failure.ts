/**
 * Why a run failed, in words that its client may see: the class of the error and what the provider calls it, never what it
 * said, which may hold keys and addresses.
 */
import { decisionSchemas, factSchemas, type ModelErrorClass, type Outcome } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import { wireStatus } from '../../http/wire/run-view.ts'

/** A failure as streams, waits and states show it. `error` is the outcome, or LangGraph's name for it. */
export interface Failure {
  readonly error: string
  readonly message: string
  /** What the last call of the model came to nothing for. */
  readonly class?: ModelErrorClass
  /** Of the provider's answer. */
  readonly status?: number
  /** The provider's own word, or ours. */
  readonly code?: string
}

const Turn = z.object({ turn: factSchemas['model.completed'].shape.turn.pick({ error: true }) })
const Created = factSchemas['run.created'].pick({ client: true })
const Exhausted = decisionSchemas['budget.exhausted'].pick({ budget: true })
const Faulted = factSchemas['run.faulted'].pick({ code: true })

const word = /^[\w.-]{1,100}$/

const sentences: Readonly<Record<ModelErrorClass, string>> = {
  rate_limit: 'The provider of the model takes no more requests for the moment.',
  quota: 'The account with the provider of the model is used up.',
  overloaded: 'The provider of the model is overloaded.',
  network: 'The provider of the model could not be reached.',
  context_overflow: 'The conversation is longer than the model takes.',
  safety: 'The provider of the model refused the request for safety.',
  invalid_request: 'The provider of the model did not accept the request.',
  tool_use_failed: 'The model called a tool in a form that cannot be read.',
  auth: 'The provider of the model did not accept the key of the server.',
  circuit_open: 'The provider of the model has failed too often, and is not asked for a while.',
  unknown: 'The model gave no answer.',
}

type Cause = Omit<Failure, 'error' | 'message'>

/** Sees the events of one run, in order. */
export class Failures {
  #cause: Cause | null = null
  /** The steps that the client allowed, as LangGraph counts them. */
  #allowed: number | null = null
  #isOutOfTurns = false

  see({ type, payload, salt }: StoredEvent): void {
    // What was erased says nothing.
    if (salt === '') return
    if (type === 'run.created')
      this.#allowed = Created.safeParse(payload).data?.client?.recursionLimit ?? null
    if (type === 'budget.exhausted')
      this.#isOutOfTurns = Exhausted.safeParse(payload).data?.budget === 'turns'
    if (type === 'run.faulted') this.#cause = { ...Faulted.safeParse(payload).data }
    if (type === 'model.completed') this.#cause = causeOf(payload)
  }

  /** What a client is told of this end; null where it was no failure. */
  at(outcome: Outcome): Failure | null {
    if (this.#allowed !== null && this.#isOutOfTurns) return recursion(this.#allowed)
    const status = wireStatus({ status: 'ended', outcome })
    if (status !== 'error' && status !== 'timeout') return null
    const cause = status === 'error' ? (this.#cause ?? {}) : {}
    const why = cause.class === undefined ? '' : `${sentences[cause.class]} `
    return {
      error: outcome,
      message: `${why}The run ended with the outcome "${outcome}".`,
      ...cause,
    }
  }
}

/** Why a turn came to nothing; null if it did not. */
function causeOf(payload: unknown): Cause | null {
  const error = Turn.safeParse(payload).data?.turn.error
  if (!error) return null
  const { class: kind, status, code } = error
  return {
    class: kind,
    ...(status === undefined ? {} : { status }),
    ...(code !== undefined && word.test(code) ? { code } : {}),
  }
}

/** LangGraph's words for a run that has taken all the steps that its client allowed. */
const recursion = (limit: number): Failure => ({
  error: 'GraphRecursionError',
  message: `Recursion limit of ${limit} reached without hitting a stop condition. You can increase the limit by setting the "recursion_limit" config key.`,
})
