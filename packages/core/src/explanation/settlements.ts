/** The words of the log about the end of a call: each event is one sentence. The words of tools are left where they stand. */
import type { ApprovalType } from './approvals.ts'
import type { Settled } from './check.ts'
import type { CallType, Known } from './place.ts'
import { proofOf } from './story.ts'

/** Of the events about a call, those that are no word of a policy, a person or a budget on whether it may run. */
export type SettlingType = Exclude<
  CallType,
  ApprovalType | `policy.${string}` | 'call.denied' | 'call.flagged' | 'budget.refused'
>

type Told = Partial<Settled> & Pick<Settled, 'verdict' | 'says'>

/** The fields of an outcome that are unknown unless its event says so. */
export const nothingMore = {
  is_error: null,
  duration_ms: null,
  child_run_id: null,
  child_outcome: null,
  recalled_from: null,
  missed: null,
  ignored_seq: null,
  note: null,
} as const

/** The outcome that an event says. */
export function settlementOf(event: Known<SettlingType>): Settled {
  const { payload } = event
  return {
    check: 'outcome',
    actor: event.actor,
    attempt: 'attempt' in payload ? payload.attempt : null,
    code: null,
    ...nothingMore,
    duration_ms: 'durationMs' in payload ? payload.durationMs : null,
    child_run_id: 'childRunId' in payload ? payload.childRunId : null,
    recalled_from:
      'recalled' in payload && payload.recalled
        ? { run_id: payload.recalled.runId, seq: payload.recalled.seq }
        : null,
    proof: proofOf(event),
    ...told(event),
  }
}

type HereEvent = Known<`input.${'requested' | 'answered' | 'expired'}` | 'todo.written'>

/** A call that nobody executes: the decision settles it, or a person does. */
function settledHere(event: HereEvent): Told {
  switch (event.type) {
    case 'input.answered':
      return {
        verdict: 'answered',
        is_error: event.payload.output.isError,
        says: `${event.payload.by?.id ?? event.actor} answered the question.`,
      }
    case 'input.requested':
      return {
        verdict: 'asked',
        says: `The model asked the person it works for (${event.payload.kind}).`,
      }
    case 'input.expired':
      return {
        verdict: 'unanswered',
        says: 'Nobody answered in time. The model was told to go on with assumptions.',
      }
    case 'todo.written':
      return {
        verdict: 'completed',
        is_error: false,
        says: `The decision wrote the plan of the model: ${event.payload.todos.length} items, ${event.payload.open} of them open.`,
      }
  }
}

function told(event: Known<SettlingType>): Told {
  switch (event.type) {
    case 'tool.completed':
      return completed(event)
    case 'tool.failed':
      return failed(event)
    case 'tool.denied':
      return denied(event)
    case 'tool.aborted':
      return aborted(event)
    case 'tool.unknown': {
      const code = event.payload.reason
      const why =
        code === 'worker_lost'
          ? 'its worker vanished'
          : 'it did not end in time, or the connection to it was lost'
      return { verdict: 'unknown', code, says: `Nobody knows whether the call happened: ${why}.` }
    }
    case 'tool.resolved':
      return resolved(event)
    case 'tool.late': {
      const code = event.payload.error?.split(' ')[0] ?? null
      const isResult = code === null || code === 'tool.completed' || code === 'tool.failed'
      const what = isResult ? 'A result' : 'A word on its end'
      const says = `${what} arrived when it could no longer count${code === null ? '' : ` (${code})`}.`
      return { verdict: 'late', code, says }
    }
    case 'recall.missed':
    case 'rerun.stopped': {
      const missed = event.payload.reason
      const says = `The run that is repeated has no result for this call (${missed}): nothing was executed.`
      return { verdict: 'recall_missed', missed, says }
    }
    case 'child.started':
      return {
        verdict: 'child_started',
        says: `The run ${event.payload.childRunId} began to do the work of the call.`,
      }
    case 'child.ended': {
      const { outcome, output, childRunId } = event.payload
      const says = `The run ${childRunId} ended (${outcome}), and answered for the call.`
      return { verdict: 'child_ended', child_outcome: outcome, is_error: output.isError, says }
    }
    case 'input.answered':
    case 'input.requested':
    case 'input.expired':
    case 'todo.written':
      return settledHere(event)
    case 'event.ignored': {
      const { seq, type, state } = event.payload
      const says = `The event #${seq} (${type}) changed nothing: the run was in the state ${state}.`
      return { verdict: 'ignored', code: type, ignored_seq: seq, says }
    }
    default:
      return event satisfies never
  }
}

function completed({ payload }: Known<'tool.completed'>): Told {
  const { recalled, output } = payload
  const is_error = output.isError
  if (recalled) return { verdict: 'recalled', is_error, says: taken('result', recalled) }
  const says = `The tool ran and answered${is_error ? ', with an error' : ''}.`
  return { verdict: 'completed', is_error, says }
}

function failed({ payload }: Known<'tool.failed'>): Told {
  const { recalled, error } = payload
  const { code } = error
  if (recalled) return { verdict: 'recalled', code, says: taken('failure', recalled) }
  return { verdict: 'failed', code, says: `The call failed (${code}).` }
}

const taken = (what: string, { seq, runId }: { readonly seq: number; readonly runId: string }) =>
  `The ${what} was taken from event #${seq} of the run ${runId}: nothing was executed.`

/** Of a denial that was made in this run, the recheck tells. */
function denied({ payload }: Known<'tool.denied'>): Told {
  const { recalled, answer } = payload
  const code = answer.reasons[0]?.code ?? null
  const from = recalled ? ` from event #${recalled.seq} of the run ${recalled.runId}` : ''
  const says = `The denial was taken${from}${code === null ? '' : ` (${code})`}: nothing was executed.`
  return { verdict: 'recalled', code, says }
}

function aborted({ payload }: Known<'tool.aborted'>): Told {
  const code = payload.reason
  if (code === 'never_started')
    return {
      verdict: 'never_started',
      code,
      says: 'The run was ending: the call was taken back before it had begun.',
    }
  const says =
    code === 'cancelled'
      ? 'The call was told to stop, and ended without a result.'
      : 'Its worker vanished while the run was ending; the call was not repeated.'
  return { verdict: 'aborted', code, says }
}

function resolved({ actor, payload }: Known<'tool.resolved'>): Told {
  const { resolution, note = null } = payload
  const words = {
    happened: `${actor} said that the call had happened.`,
    not_happened: `${actor} said that the call had not happened.`,
    retry: `${actor} allowed one more attempt of the call.`,
  }
  return { verdict: resolution, note, says: words[resolution] }
}
