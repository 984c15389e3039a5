/** States of runs as states of A2A's tasks. */
import type { Outcome, RunStatus } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'

export const taskStates = [
  'TASK_STATE_SUBMITTED',
  'TASK_STATE_WORKING',
  'TASK_STATE_INPUT_REQUIRED',
  'TASK_STATE_COMPLETED',
  'TASK_STATE_FAILED',
  'TASK_STATE_CANCELED',
  'TASK_STATE_REJECTED',
  'TASK_STATE_AUTH_REQUIRED',
] as const
export type TaskState = (typeof taskStates)[number]

const byStatus = {
  queued: 'TASK_STATE_SUBMITTED',
  running: 'TASK_STATE_WORKING',
  waiting: 'TASK_STATE_INPUT_REQUIRED',
} as const satisfies Readonly<Record<Exclude<RunStatus, 'ended'>, TaskState>>

/** Rejected is what somebody decided not to do; failed is what was not brought to its end. */
const byOutcome = {
  completed: 'TASK_STATE_COMPLETED',
  refused: 'TASK_STATE_REJECTED',
  safety_stopped: 'TASK_STATE_REJECTED',
  guardrail_stopped: 'TASK_STATE_REJECTED',
  loop_stopped: 'TASK_STATE_FAILED',
  budget_exhausted: 'TASK_STATE_FAILED',
  length_stopped: 'TASK_STATE_FAILED',
  interrupted: 'TASK_STATE_FAILED',
  timed_out: 'TASK_STATE_FAILED',
  failed: 'TASK_STATE_FAILED',
  cancelled: 'TASK_STATE_CANCELED',
  rolled_back: 'TASK_STATE_CANCELED',
} as const satisfies Readonly<Record<Outcome, TaskState>>

/** The state of a task. */
export function taskState({ status, outcome }: Pick<RunHead, 'status' | 'outcome'>): TaskState {
  if (outcome !== null) return byOutcome[outcome]
  return status === 'ended' ? 'TASK_STATE_FAILED' : byStatus[status]
}

/** The runs that a state means. */
export const amongState = (state: TaskState) => ({
  statuses: (['queued', 'running', 'waiting'] as const).filter((each) => byStatus[each] === state),
  outcomes: outcomesOf(state),
})

const outcomesOf = (state: TaskState): readonly Outcome[] => {
  const all: Outcome[] = []
  let outcome: Outcome
  for (outcome in byOutcome) if (byOutcome[outcome] === state) all.push(outcome)
  return all
}
