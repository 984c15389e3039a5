/** What must hold between a run and those it has started: begun once, told of once, and none that goes on alone. */
import { type FactPayload, factSchemas, limits, type RunStartEffect } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import {
  foldedThrough,
  isAbout,
  isEnd,
  isStep,
  parentOf,
  type Parent,
  type RunRecord,
} from './run-record.ts'

interface Child {
  readonly run: RunRecord
  readonly parent: Parent
}

/** `runs`: all of the register. Their logs need positions in the feed. */
export function familyViolations(runs: readonly RunRecord[]): readonly string[] {
  const byId = new Map(runs.map((run) => [run.head.runId, run]))
  const children = runs.flatMap((run): readonly Child[] => {
    const parent = parentOf(run)
    return parent ? [{ run, parent }] : []
  })
  const bad: string[] = []
  const started = new Map<string, string>()
  for (const { run, parent } of children) {
    const other = started.get(parent.effectId)
    if (other) bad.push(`I8 ${parent.effectId} started ${other} and ${run.head.runId}`)
    started.set(parent.effectId, run.head.runId)
  }
  return [
    ...bad,
    ...children.flatMap((child) => birthViolations(child, byId.get(child.parent.runId))),
    ...runs.flatMap((run) => endViolations(run, byId)),
    ...runs.flatMap(openViolations),
    ...runs.flatMap(limitViolations),
  ]
}

/** An agent that says how many runs it may start starts no more: in a turn, and in all. */
function limitViolations({ head: { runId }, agent, effects }: RunRecord): readonly string[] {
  const { subagents } = agent ?? {}
  if (!subagents) return []
  const sources = effects.flatMap(({ spec }) => (spec.kind === 'run.start' ? [spec.source] : []))
  const inTurns = [...new Set(sources)].map(
    (source) => sources.filter((each) => each === source).length,
  )
  const { perTurn, perRun } = subagents
  return [
    ...(sources.length > perRun ? [`D1 ${runId} started ${sources.length} runs`] : []),
    ...inTurns
      .filter((count) => count > perTurn)
      .map((count) => `D1 ${runId} started ${count} runs in one turn`),
  ]
}

const at = (event: StoredEvent | undefined): string => event?.position ?? '~'

/** From here on a run starts no more: it was told to end, or made up its mind to. */
const isLeaving = (event: StoredEvent): boolean =>
  event.type === 'cancel.requested' ||
  isEnd(event) ||
  (isStep(event) && JSON.stringify(event.payload['path']).includes('"cancelling"'))

/** A run is started by an effect of a living parent, as the effect says, and the parent's log names it. */
function birthViolations({ run, parent }: Child, above: RunRecord | undefined): readonly string[] {
  const { runId } = run.head
  const effect = above?.effects.find(({ effectId }) => effectId === parent.effectId)
  if (!above || effect?.spec.kind !== 'run.start')
    return [`I10 ${runId} was started without an effect`]
  const bad: string[] = []
  const born = at(run.log[0])
  const start = above.log.find(
    (event) => event.type === 'effect.started' && isAbout(event, effect.effectId),
  )
  if (!start || at(start) > born) bad.push(`I10 ${runId} was started before its effect`)
  if (above.log.some((event) => isLeaving(event) && at(event) < born))
    bad.push(`I14 ${runId} was started after ${above.head.runId} was told to end`)
  const wrong = above.log.find(
    (event) =>
      isAbout(event, effect.effectId) &&
      (settlings.has(event.type) ||
        (tellings.has(event.type) && event.payload['childRunId'] !== runId)),
  )
  if (wrong) bad.push(`I7 ${runId} was started, and ${wrong.type} of ${above.head.runId} denies it`)
  const said = above.log.find(
    (event) => event.type === 'child.started' && isAbout(event, effect.effectId),
  )
  const again = above.log.filter(
    (event) => event.type === 'effect.started' && isAbout(event, effect.effectId),
  )
  if (said && again.some(({ seq }) => seq > said.seq))
    bad.push(`I8 ${effect.effectId} was started again after its run was`)
  return [...bad, ...placeViolations({ run, parent }, above, effect.spec)]
}

const tellings = new Set(['child.started', 'child.ended'])
/** What becomes of a call for which no run was started. */
const settlings = new Set(['tool.failed', 'tool.denied', 'tool.aborted', 'budget.refused'])

/** It stands where the effect put it, no deeper than runs may be started, and works for whom its parent does (I10, I12). */
function placeViolations(
  { run, parent }: Child,
  above: RunRecord,
  effect: RunStartEffect,
): readonly string[] {
  const { runId } = run.head
  const bad: string[] = []
  const higher = parentOf(above)
  const depth = (higher?.depth ?? 0) + 1
  if (parent.depth !== depth || effect.depth !== depth || depth > limits.childDepthMax)
    bad.push(`I12 ${runId} stands ${parent.depth} deep`)
  if (parent.rootId !== (higher?.rootId ?? above.head.runId) || parent.callId !== effect.callId)
    bad.push(`I10 ${runId} stands in another tree, or for another call`)
  if (run.agent && run.agent.name !== effect.agent)
    bad.push(`I10 ${runId} is of another agent than was asked for`)
  const [user, same] = [run, above].map(({ log }) =>
    JSON.stringify(factSchemas['run.created'].parse(log[0]?.payload).user),
  )
  if (user !== same) bad.push(`I10 ${runId} works for another user than its parent`)
  return bad
}

/** What a run is told of the end of a child is so: after it, its outcome, with an answer, and what it used (I7). */
function endViolations(
  { head, log }: RunRecord,
  byId: ReadonlyMap<string, RunRecord>,
): readonly string[] {
  return log
    .filter(({ type }) => type === 'child.ended')
    .flatMap((told) => {
      const { childRunId, effectId, callId, outcome, output, spent } = factSchemas[
        'child.ended'
      ].parse(told.payload)
      const child = byId.get(childRunId)
      const parent = child && parentOf(child)
      if (!child || parent?.effectId !== effectId || parent.callId !== callId)
        return [`I7 ${head.runId} is told of ${childRunId}, which it did not start so`]
      const bad: string[] = []
      const end = child.log.find(isEnd)
      if (at(end) > at(told)) bad.push(`I7 ${head.runId} is told of ${childRunId} before its end`)
      if (outcome !== end?.verdict)
        bad.push(`I7 ${head.runId} is told that ${childRunId} is ${outcome}`)
      if (output.content.length === 0 || output.isError !== (outcome !== 'completed'))
        bad.push(`I7 ${head.runId} reads no proper answer of ${childRunId}`)
      if (spent.tokens !== tokensOf(child))
        bad.push(`I7 ${childRunId} used ${tokensOf(child)} tokens, and says ${spent.tokens}`)
      return bad
    })
}

/** The usage of a turn or a summary; nothing for other events. */
function usageOf({ type, payload }: StoredEvent): FactPayload<'context.unchanged'>['usage'] {
  if (type === 'model.completed') return factSchemas[type].parse(payload).turn.usage
  return type === 'context.compacted' || type === 'context.unchanged'
    ? factSchemas[type].parse(payload).usage
    : {}
}

/** What a run used of tokens, as far as its decisions know, those of its children included. */
const tokensOf = ({ log }: RunRecord): number =>
  log.reduce((sum, event) => {
    const { type, payload, seq } = event
    if (seq > foldedThrough(log)) return sum
    if (type === 'child.ended') return sum + factSchemas[type].parse(payload).spent.tokens
    const { inputTokens = 0, outputTokens = 0 } = usageOf(event)
    return sum + inputTokens + outputTokens
  }, 0)

/** A run ends after those it has started, unless it broke; one that completed has heard of the end of each call (I7). */
function openViolations({ head, log, effects }: RunRecord): readonly string[] {
  const end = log.find(isEnd)
  if (!end || log.some(({ type }) => type === 'run.faulted')) return []
  const has = (type: string, effectId: string): boolean =>
    log.some((event) => event.type === type && isAbout(event, effectId))
  const completed = end.verdict === 'completed'
  return effects
    .filter(({ effectId, spec }) => spec.kind === 'run.start' && !has('child.ended', effectId))
    .filter(({ effectId }) =>
      completed
        ? ![...settlings].some((type) => has(type, effectId))
        : has('child.started', effectId),
    )
    .map(({ effectId }) => `I7 ${head.runId} ended while ${effectId} was open`)
}
