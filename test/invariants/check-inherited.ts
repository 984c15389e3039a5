/** What must hold between the limits of a run and those of the runs it has started (S3 of run starts). */
import { callsOf, factSchemas } from '@signalbox/core'
import { callOf, isAbout, parentOf, type RunRecord } from './run-record.ts'

/** `runs`: all of the register. */
export function inheritedViolations(runs: readonly RunRecord[]): readonly string[] {
  const byId = new Map(runs.map((run) => [run.head.runId, run]))
  return runs.flatMap((run) => [
    ...run.effects.flatMap(({ spec }) => leftViolations(run, spec)),
    ...loweredViolations(run, byId),
  ])
}

/** What is left of a limit. */
const rest = (limit: number, used: readonly number[]): number =>
  Math.max(0, limit - used.reduce((total, each) => total + each, 0))

/** What a run passes on is no more than it has left itself, as its own log adds up (S3). */
function leftViolations(
  { agent, log, effects }: RunRecord,
  spec: RunRecord['effects'][number]['spec'],
): readonly string[] {
  if (spec.kind !== 'run.start' || !agent) return []
  const source = log.findIndex(
    (event) => event.type === 'model.completed' && isAbout(event, spec.source),
  )
  const asked = effects.find(({ effectId }) => effectId === spec.source)?.spec
  const before = log.slice(0, source + 1)
  const turns = before
    .filter(({ type }) => type === 'model.completed')
    .map(({ payload }) => factSchemas['model.completed'].parse(payload).turn)
  const spent = before
    .filter(({ type }) => type === 'child.ended')
    .map(({ payload }) => factSchemas['child.ended'].parse(payload).spent)
  const tokens = turns.map(({ usage }) => (usage.inputTokens ?? 0) + (usage.outputTokens ?? 0))
  const calls = turns
    .filter(({ verdict }) => verdict === 'complete')
    .map((turn) => callsOf(turn).length)
  // The tree's budget counts these when they run.
  const waiting = spec.shared === true ? 0 : askedBeside(log.slice(source), spec.callId)
  const turn = asked?.kind === 'model.call' ? asked.turn : 0
  const { maxTurns, maxToolCalls, maxTokens, timeoutMs } = agent.limits
  const { left } = spec
  const tooMuch =
    left.maxTurns > rest(maxTurns, [turn, ...spent.map((each) => each.turns)]) ||
    left.maxToolCalls >
      rest(maxToolCalls, [...calls, -waiting, ...spent.map((each) => each.calls)]) ||
    left.maxTokens > rest(maxTokens, [...tokens, ...spent.map((each) => each.tokens)]) ||
    left.timeoutMs > timeoutMs
  return tooMuch ? [`S3 ${spec.id} passes on more than its run has left`] : []
}

/** Other calls of the turn that wait for a human: `log` begins with the turn. */
const askedBeside = (log: RunRecord['log'], callId: string): number => {
  const next = log.findIndex(({ type }, n) => n > 0 && type === 'model.completed')
  return log
    .slice(0, next === -1 ? undefined : next)
    .filter((event) => event.type === 'approval.requested' && callOf(event) !== callId).length
}

/** No limit of a run that was started is above what its parent had left. */
function loweredViolations(
  run: RunRecord,
  byId: ReadonlyMap<string, RunRecord>,
): readonly string[] {
  const parent = parentOf(run)
  const above = parent && byId.get(parent.runId)
  const effect = above?.effects.find(({ effectId }) => effectId === parent?.effectId)
  if (effect?.spec.kind !== 'run.start' || !run.agent) return []
  const { left } = effect.spec
  const { limits } = run.agent
  const higher =
    limits.maxTurns > Math.max(1, left.maxTurns) ||
    limits.maxToolCalls > left.maxToolCalls ||
    limits.maxTokens > Math.max(1, left.maxTokens) ||
    limits.timeoutMs > Math.max(1, left.timeoutMs) ||
    (left.maxCost !== null && (limits.maxCost ?? Infinity) > Math.max(0.000_001, left.maxCost))
  return higher ? [`S3 ${run.head.runId} has higher limits than its parent had left`] : []
}
