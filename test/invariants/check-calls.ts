/** What must hold of every call: asked for by a turn that closed well, decided once, with one result. */
import { callsOf, factSchemas, needsIo } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { isKeyed } from './digest.ts'
import {
  callOf,
  type EffectRecord,
  type Execution,
  isAbout,
  isEnd,
  type RunRecord,
} from './run-record.ts'

export function callViolations(
  run: RunRecord,
  executions: readonly Execution[],
): readonly string[] {
  return [
    ...resultViolations(run),
    ...run.effects.flatMap((effect) => [
      ...sourceViolations(run, effect),
      ...policyViolations(run, effect),
      ...deniedViolations(run, effect, executions),
    ]),
  ]
}

const results = new Set([
  'call.denied',
  'tool.completed',
  'tool.failed',
  'tool.denied',
  'tool.aborted',
  'child.ended',
  'todo.written',
  'input.expired',
])

/** One result per call; exactly one, if the run completed on an answer. */
function resultViolations(run: RunRecord): readonly string[] {
  const { head, log } = run
  const found = new Map<string, number>()
  for (const event of log)
    if (isResult(run, event)) {
      const callId = callOf(event)
      found.set(callId, (found.get(callId) ?? 0) + 1)
    }
  const bad = [...found]
    .filter(([, n]) => n > 1)
    .map(([callId, n]) => `I24 ${callId} of ${head.runId} has ${n} results`)
  if (log.find(isEnd)?.verdict !== 'completed') return bad
  for (const callId of askedFor(log))
    if (!found.has(callId)) bad.push(`I24 ${callId} of ${head.runId} has no result`)
  return bad
}

function isResult({ agent, log }: RunRecord, event: StoredEvent): boolean {
  const { type, payload, seq } = event
  // An answer behind the time of its question came too late, and is no result.
  if (type === 'input.answered')
    return !log.some(
      (each) =>
        each.seq < seq &&
        each.type === 'timer.fired' &&
        each.payload['timerId'] === `input:${callOf(event)}`,
    )
  if (type === 'tool.unknown') return agent?.onUnknown === 'tell'
  if (type === 'tool.resolved') return payload['resolution'] !== 'retry'
  return results.has(type)
}

const askedFor = (log: readonly StoredEvent[]): readonly string[] =>
  log
    .filter(({ type, verdict }) => type === 'model.completed' && verdict === 'complete')
    .flatMap(({ payload }) => callsOf(factSchemas['model.completed'].parse(payload).turn))
    .map(({ id }) => id)

/** Only a call of a turn with a positive verdict has an effect, with its own arguments unless a human changed them (I23). */
function sourceViolations(
  { log, agent }: RunRecord,
  { effectId, spec }: EffectRecord,
): readonly string[] {
  if (!('callId' in spec)) return []
  const source = log.find(
    (event) => event.type === 'model.completed' && isAbout(event, spec.source),
  )
  if (source?.verdict !== 'complete')
    return [`I23 ${effectId} is of a turn with ${source?.verdict}`]
  const { turn } = factSchemas['model.completed'].parse(source.payload)
  const call = callsOf(turn).find(({ id }) => id === spec.callId)
  if (call?.name !== spec.tool) return [`I23 ${effectId} is of a call that its turn does not have`]
  if (!spec.edited && call.argsHash !== spec.argsHash)
    return [`I11 ${effectId} has other arguments than its call`]
  if (agent && isKeyed(spec.argsHash) !== (agent.digests === 'hmac-sha256'))
    return [`J2 ${effectId} knows its arguments by a digest that its run does not make`]
  return []
}

/** Where policies with I/O are asked, nothing runs before they have allowed it (I10). */
function policyViolations(
  { agent, log }: RunRecord,
  { effectId, spec }: EffectRecord,
): readonly string[] {
  if (!('callId' in spec) || !agent?.guardrails.policies.some(needsIo)) return []
  const start = log.find((event) => event.type === 'effect.started' && isAbout(event, effectId))
  if (!start) return []
  const said = log
    .filter(({ type, seq }) => type === 'policy.answered' && seq < start.seq)
    .flatMap(({ payload }) => factSchemas['policy.answered'].parse(payload).decisions)
    .find(({ callId }) => callId === spec.callId)
  if (!said || said.answer.effect === 'deny')
    return [`I10 ${effectId} started without the word of its policies`]
  const same = said.tool === spec.tool && (spec.edited || said.argsHash === spec.argsHash)
  return same ? [] : [`I11 ${effectId} is not what its policies judged`]
}

/**
 * A call that was denied right before its execution did not run, and none that ran before is said not to have, unless nothing stays of
 * an attempt without an answer: of one that only reads, or whose tool is contained.
 */
function deniedViolations(
  { log, agent }: RunRecord,
  { effectId, mode, spec }: EffectRecord,
  executions: readonly Execution[],
): readonly string[] {
  const denied = log.find((event) => event.type === 'tool.denied' && isAbout(event, effectId))
  if (!denied) return []
  const ran = executions.filter((each) => each.effectId === effectId)
  if (ran.some(({ attempt }) => attempt >= Number(denied.payload['attempt'])))
    return [`I10 ${effectId} was denied, and ran`]
  const isContained =
    'tool' in spec && agent?.tools.some((tool) => tool.name === spec.tool && tool.contained)
  return mode !== 'read' && !isContained && ran.length > 0
    ? [`I8 ${effectId} ran, and is said not to have`]
    : []
}
