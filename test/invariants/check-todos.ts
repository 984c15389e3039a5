/**
 * The rules that plans keep: what a decision writes is what the model asked it to, once for each call; it is reminded of what is open and of
 * nothing else, twice at most, and wherever it might be.
 */
import { callsOf, decisionSchemas, factSchemas, limits, todoToolName } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { callOf, isEnd, type RunRecord } from './run-record.ts'

/** Of one run, when everything has settled. */
export function todoViolations(run: RunRecord): readonly string[] {
  return [...writeViolations(run), ...reminderViolations(run), ...endViolations(run)]
}

/** The arguments with which a call may run: those of the model, or of the person who edited them. */
function argsOf(log: readonly StoredEvent[], callId: string): unknown {
  const edit = log.find((event) => event.type === 'approval.answered' && callOf(event) === callId)
  const edited = edit && factSchemas['approval.answered'].parse(edit.payload).edited
  if (edited) return edited.args['todos']
  const calls = log.flatMap((event) =>
    event.type === 'model.completed'
      ? callsOf(factSchemas['model.completed'].parse(event.payload).turn)
      : [],
  )
  return calls.find(({ id }) => id === callId)?.args['todos']
}

function writeViolations({ head: { runId }, log, agent, effects }: RunRecord): readonly string[] {
  const written = log.filter(({ type }) => type === 'todo.written')
  const about = (event: StoredEvent): string => `${runId} at ${event.seq}`
  return [
    ...written.flatMap((event) => {
      const { callId, todos } = decisionSchemas['todo.written'].parse(event.payload)
      const isAsked = JSON.stringify(argsOf(log, callId)) === JSON.stringify(todos)
      const others = log.filter(
        (each) => callOf(each) === callId && /^(todo|call\.denied)/.test(each.type),
      )
      return [
        ...(agent?.todo ? [] : [`L1 the agent of ${about(event)} has no plan`]),
        ...(isAsked ? [] : [`L1 ${about(event)} writes another list than was asked for`]),
        ...(others.length === 1 ? [] : [`L1 the call of ${about(event)} settled more than once`]),
      ]
    }),
    ...effects
      .filter(({ spec }) => 'tool' in spec && spec.tool === todoToolName)
      .map(({ effectId }) => `L1 ${effectId} executes a call that settles in its decision`),
  ]
}

/** Items that are open before an event of the run. */
const openBefore = (log: readonly StoredEvent[], seq: number): number => {
  const newest = log.findLast((event) => event.type === 'todo.written' && event.seq < seq)
  return newest ? decisionSchemas['todo.written'].parse(newest.payload).open : 0
}

function reminderViolations({ head: { runId }, log }: RunRecord): readonly string[] {
  const reminders = log.filter(({ type }) => type === 'todo.reminded')
  return [
    ...(reminders.length > limits.todoRemindersMax
      ? [`L2 ${runId} was reminded ${reminders.length} times`]
      : []),
    ...reminders.flatMap((event, n) => {
      const { nth, open } = decisionSchemas['todo.reminded'].parse(event.payload)
      const isRight = nth === n + 1 && open > 0 && open === openBefore(log, event.seq)
      return isRight
        ? []
        : [`L2 ${runId} at ${event.seq} is reminded of ${open}, for the ${nth}th time`]
    }),
  ]
}

/** A run that completed with items open was reminded as often as it may be, had no turn left, or had nothing to show. */
function endViolations({ head: { runId }, log, agent }: RunRecord): readonly string[] {
  const end = log.find(isEnd)
  if (!agent?.todo || end?.payload['outcome'] !== 'completed') return []
  if (openBefore(log, end.seq) === 0) return []
  const reminded = log.filter(({ type }) => type === 'todo.reminded').length
  const answers = log.filter(({ type }) => type === 'model.completed')
  const turns = new Set(
    answers.map(({ payload }) => factSchemas['model.completed'].parse(payload).turn.message.id),
  ).size
  return reminded === limits.todoRemindersMax || turns >= agent.limits.maxTurns
    ? []
    : [`L3 ${runId} completed with items open, and was reminded ${reminded} times`]
}
