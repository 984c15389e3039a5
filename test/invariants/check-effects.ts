/** What must hold between the log of a run and what its tools did in the world. */
import { type EffectMode, outlivesRun } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { comparable } from './digest.ts'
import { type EffectRecord, type Execution, isAbout, type RunRecord } from './run-record.ts'

/** `executions`: those of the run's effects, or more. */
export function effectViolations(
  run: RunRecord,
  executions: readonly Execution[],
): readonly string[] {
  return run.effects.flatMap((effect) => {
    const executed = executions.filter((each) => each.effectId === effect.effectId)
    return [
      ...countViolations(run, effect, executed),
      ...attemptViolations(run, effect),
      ...sameViolations(run, effect, executed),
      ...honestyViolations(run, effect, executed),
    ]
  })
}

/** Executions without an effect row (I10), and calls that were handed more than one idempotency key (I9). */
export function strayViolations(
  effects: readonly EffectRecord[],
  executions: readonly Execution[],
): readonly string[] {
  const known = new Set(effects.map(({ effectId }) => effectId))
  const bad = executions
    .filter(({ effectId }) => !known.has(effectId))
    .map(({ effectId }) => `I10 ${effectId} executed without an effect row`)
  const keys = new Map<string, string>()
  for (const { runId, callId, effectId } of executions) {
    const call = `${runId} ${callId}`
    if ((keys.get(call) ?? effectId) !== effectId) bad.push(`I9 ${call} has two idempotency keys`)
    keys.set(call, effectId)
  }
  return bad
}

/** Executions ≤ logged starts, attempt by attempt, and ≤ 1 for `once` effects, an operator's retries aside (I8). */
function countViolations(
  run: RunRecord,
  effect: EffectRecord,
  executed: readonly Execution[],
): readonly string[] {
  const { head, log } = run
  const { effectId, status } = effect
  const { kind } = effect.spec
  const bad: string[] = []
  const starts = log.filter((event) => event.type === 'effect.started' && isAbout(event, effectId))
  if (executed.length > starts.length)
    bad.push(`I8 ${effectId} executed ${executed.length}x, started ${starts.length}x`)
  for (const { attempt } of executed)
    if (!starts.some((event) => event.payload['attempt'] === attempt))
      bad.push(`I10 attempt ${attempt} of ${effectId} executed, but was never started`)
  const retries = log.filter((event) => isRetry(event, effectId)).length
  if (promisedMode(run, effect) === 'once' && executed.length > 1 + retries)
    bad.push(`I8 once-effect ${effectId} executed ${executed.length}x, ${retries} retries`)
  const isOpen = status === 'pending' || status === 'started'
  if (isOpen && head.status === 'ended' && !outlivesRun(kind))
    bad.push(`I7 ${effectId} is ${status} after the end of its run`)
  return bad
}

/** What is said to have become of an effect is said of the attempt under way; what became of an earlier one is a note. */
function attemptViolations({ log }: RunRecord, { effectId }: EffectRecord): readonly string[] {
  let started = 0
  const bad: string[] = []
  for (const { type, payload, seq } of log.filter((event) => isAbout(event, effectId))) {
    if (type === 'effect.started') started += 1
    else if (fenced.has(type) && payload['attempt'] !== started)
      bad.push(`I7 ${type} at ${seq} is of attempt ${Number(payload['attempt'])} of ${effectId}`)
  }
  return bad
}

/** Facts that count only while their attempt is the current one. */
const fenced = new Set([
  'budget.refused',
  'child.started',
  'context.compacted',
  'context.unchanged',
  'model.aborted',
  'model.completed',
  'policy.answered',
  'tool.aborted',
  'tool.completed',
  'tool.denied',
  'tool.failed',
  'tool.unknown',
])

/** What the pinned definition says of the tool, whatever became of it in the effect's row. */
function promisedMode({ agent }: RunRecord, { spec, mode }: EffectRecord): EffectMode {
  const tool = spec.kind === 'tool.call' ? spec.tool : null
  return agent?.tools.find(({ name }) => name === tool)?.effect ?? mode
}

const isRetry = (event: StoredEvent, effectId: string): boolean =>
  event.type === 'tool.resolved' &&
  isAbout(event, effectId) &&
  event.payload['resolution'] === 'retry'

/** What ran is what was judged (I11). */
function sameViolations(
  run: RunRecord,
  { effectId, spec }: EffectRecord,
  executed: readonly Execution[],
): readonly string[] {
  const other =
    spec.kind === 'tool.call' &&
    executed.some(({ argsHash }) => comparable(run, argsHash) !== comparable(run, spec.argsHash))
  return other ? [`I11 ${effectId} executed other arguments than were judged`] : []
}

/** The log says what happened: no call that ran is said never to have started, no lost `once` call to be aborted. */
function honestyViolations(
  { log }: RunRecord,
  { effectId, mode }: EffectRecord,
  executed: readonly Execution[],
): readonly string[] {
  const aborts = log.filter((event) => event.type === 'tool.aborted' && isAbout(event, effectId))
  return aborts.flatMap(({ payload: { reason } }) => [
    ...(reason === 'never_started' && executed.length > 0
      ? [`I8 ${effectId} ran, and is said never to have started`]
      : []),
    ...(reason === 'worker_lost' && mode === 'once'
      ? [`I8 ${effectId} is a once-effect, lost, and not said to be unknown`]
      : []),
  ])
}
