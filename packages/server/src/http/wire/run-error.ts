/** Why a run failed, as its clients read it: in our words, without those of a provider, of a prompt or of a tool. */
import { z } from '@hono/zod-openapi'
import { decisionSchemas, FailureClass, factSchemas, type Outcome } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'

export const RunError = z
  .object({
    /** What went wrong with the model call; `fault`: the run itself could not go on. */
    class: z.enum([...FailureClass.options, 'fault']),
    /** Of the provider's HTTP answer; absent where there was none. */
    status: z.number().int().optional(),
    /** The provider's own or ours, where it is one short word. */
    code: z.string().optional(),
    provider: z.string().optional(),
    model: z.string().optional(),
    /** The environment variable that the key was read from, or is missing in. */
    key_env: z.string().optional(),
    /** The cause and what to do about it, in one sentence. */
    message: z.string(),
  })
  .openapi('RunError')
export type RunError = z.infer<typeof RunError>

/** An event as far as it may say why its run failed. */
type Telling = Pick<StoredEvent, 'type' | 'payload'>

const Cut = decisionSchemas['turn.cut'].pick({ error: true })
const Fault = factSchemas['run.faulted'].pick({ code: true })

const Unchanged = factSchemas['context.unchanged'].pick({ reason: true })

/** The request does not fit, and nothing makes it lighter. */
const contextFull: RunError = {
  class: 'context_overflow',
  code: 'context_full',
  message:
    'context_overflow: instructions, tools and the last words do not fit the window of the model. Shorten them, or take a model with a larger one (context_full)',
}

/** Of a run that was to sum up its thread. A run that goes on without the summary has an answer after it. */
const unsummed = (reason: string): RunError => ({
  class: 'fault',
  code: reason,
  message: `fault: no summary of the conversation was made (${reason})`,
})

/** The failure that an event tells of; null for all others. */
export function runErrorOf({ type, payload }: Telling): RunError | null {
  if (type === 'run.faulted') {
    const { data } = Fault.safeParse(payload)
    return data ? faultOf(data.code) : null
  }
  if (type === 'context.exhausted') return contextFull
  if (type === 'context.unchanged') {
    const { data } = Unchanged.safeParse(payload)
    return data ? unsummed(data.reason) : null
  }
  const failure = type === 'turn.cut' ? Cut.safeParse(payload).data?.error : undefined
  if (!failure) return null
  const { keyEnv, ...error } = failure
  return { ...error, ...(keyEnv === undefined ? {} : { key_env: keyEnv }) }
}

/** The message of a fault may quote what could not be read: the log of the process has it. */
const faultOf = (code: string): RunError => ({
  class: 'fault',
  code,
  message:
    code === 'history_too_long'
      ? 'fault: the run has as many events as a run may have (history_too_long)'
      : `fault: the run could not be decided (${code}): see the log of the server`,
})

/** Outcomes whose cause is a failed model call, or a fault. */
export const failedOutcomes: ReadonlySet<Outcome | null> = new Set(['failed', 'interrupted'])

/** The last failure of a run whose events are seen in order. An answer after it takes it back. */
export class LastError {
  #error: RunError | null = null

  see(event: StoredEvent): void {
    // What was erased says nothing.
    if (event.salt === '') return
    if (event.type === 'model.completed') this.#error = null
    this.#error = runErrorOf(event) ?? this.#error
  }

  /** Of a run that ended so; null where another cause ended it. */
  of(outcome: Outcome | null): RunError | null {
    return failedOutcomes.has(outcome) ? this.#error : null
  }
}

/** What clients are told of a run that did not come to its end. */
export const endText = (outcome: Outcome | null, error: RunError | null): string =>
  error?.message ?? `The run ended with the outcome "${String(outcome)}".`
