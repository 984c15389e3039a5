/**
 * What must hold between the world and the register, and only the world can know: what the policies say, when they were
 * switched off, and what people were told.
 */
import {
  type AgentDefinition,
  factSchemas,
  type JsonObject,
  JsonObjectSchema,
  needsIo,
} from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { isAbout, parentOf, type RunRecord } from '../invariants/run-record.ts'
import { bannedTerm } from './agents.ts'
import { type Asked, isAskedAgain, wordOf } from './policies.ts'
import { comparable } from '../invariants/digest.ts'
import { hashOf, type SeenExecution, type Told, type World } from './world.ts'

export function worldViolations(world: World, runs: readonly RunRecord[]): readonly string[] {
  const executions = [...world.executions, ...startsOf(runs)]
  return runs.flatMap((run) => [
    ...executions
      .filter(({ runId }) => runId === run.head.runId)
      .flatMap((execution) => executionViolations(world, run, execution)),
    ...world.told
      .filter(({ said }) => said.runId === run.head.runId)
      .flatMap((told) => toldViolations(run, told)),
    ...editViolations(run),
    ...changedViolations(world, run),
    ...bannedViolations(run),
    ...failureViolations(run),
  ])
}

/** Deny beats approval beats allow, of all lists and policies, for the arguments that ran; none ran without a human. */
function executionViolations(
  { killedAt }: World,
  run: RunRecord,
  { effectId, attempt, callId, tool, args }: SeenExecution,
): readonly string[] {
  const { agent, log, effects } = run
  if (!agent) return []
  const bad: string[] = []
  const spec = effects.find((effect) => effect.effectId === effectId)?.spec
  const approved = spec !== undefined && 'callId' in spec && spec.approval !== undefined
  const words = wordsOf(agent, { tool, args, isSubagent: isStarted(log) })
  if (words.includes('deny')) bad.push(`I10 ${effectId} executed although a policy denies it`)
  // Of tools, the workers tell (`check-effects.ts`).
  if (
    spec?.kind === 'run.start' &&
    comparable(run, spec.argsHash) !== comparable(run, hashOf(args))
  )
    bad.push(`I11 ${effectId} started a run with other arguments than were judged`)
  const start = log.find(
    (event) =>
      event.type === 'effect.started' &&
      isAbout(event, effectId) &&
      event.payload['attempt'] === attempt,
  )
  const isAsked = agent.guardrails.policies.some((policy) => isAskedAgain(policy, approved))
  if (isAsked && start && start.at >= killedAt)
    bad.push(`I10 ${effectId} executed, claimed after every policy denied`)
  const human = log.some(
    ({ type, payload }) =>
      (type === 'approval.answered' || type === 'approval.reused') && payload['callId'] === callId,
  )
  if (words.includes('require_approval') && !human)
    bad.push(`I10 ${effectId} executed, and no human was asked`)
  return bad
}

const isStarted = (log: readonly StoredEvent[]): boolean => parentOf({ log }) !== undefined

/** A run that was started is what its call did in the world: its first words are the arguments. */
function startsOf(runs: readonly RunRecord[]): readonly SeenExecution[] {
  return runs.flatMap(({ log }) => {
    const parent = parentOf({ log })
    const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
    const [part] = created?.input[0]?.parts ?? []
    if (!parent || part?.type !== 'text') return []
    const { effectId, runId, callId } = parent
    const args: JsonObject = JsonObjectSchema.parse(JSON.parse(part.text))
    return [{ effectId, runId, callId, tool: 'start', attempt: 1, args, argsHash: hashOf(args) }]
  })
}

/** What lists and policies say about a call; one that cannot be asked denies, or has no say. */
function wordsOf(agent: AgentDefinition, asked: Asked): readonly string[] {
  const { policies, failClosed } = agent.guardrails
  const words = policies.map((spec) => wordOf(spec, asked))
  const inPlace = failClosed ? 'deny' : 'allow'
  return [
    ...listWords(agent, asked.tool),
    ...words.map((word) => (word === 'throw' ? inPlace : word)),
  ]
}

/** Arguments that a human edited are judged again in the decision: what a pure policy denies has no effect. */
function editViolations({ agent, log, effects }: RunRecord): readonly string[] {
  if (!agent) return []
  const policies = agent.guardrails.policies.filter((spec) => !needsIo(spec))
  const pure = { ...agent, guardrails: { ...agent.guardrails, policies } }
  return effects.flatMap(({ effectId, spec }) => {
    if (!('callId' in spec) || !spec.edited) return []
    const answer = log.find(({ seq }) => seq === spec.approval)
    const { edited } = factSchemas['approval.answered'].parse(answer?.payload)
    const asked = { tool: spec.tool, args: edited?.args ?? {}, isSubagent: isStarted(log) }
    return wordsOf(pure, asked).includes('deny')
      ? [`I10 ${effectId} is an effect of edited arguments that a policy denies`]
      : []
  })
}

/** Only a call that somebody changed in the register's tables is found to be another one than was judged. */
const changedViolations = ({ tampered }: World, { log }: RunRecord): readonly string[] =>
  log
    .filter(({ type, payload }) => type === 'tool.failed' && isChanged(payload['error']))
    .flatMap(({ runId, seq }) => (tampered ? [] : [`I11 ${runId} found a changed call at ${seq}`]))

const isChanged = (error: unknown): boolean => JSON.stringify(error).includes('call_changed')

function listWords({ guardrails }: AgentDefinition, tool: string): readonly string[] {
  const lists = [guardrails, ...guardrails.policies.filter((spec) => spec.use === 'allowlist')]
  return lists.flatMap(({ deniedTools, approvalTools }) => [
    ...(deniedTools.includes(tool) ? ['deny'] : []),
    ...(approvalTools.includes(tool) ? ['require_approval'] : []),
  ])
}

const standing = new Set(['accepted', 'already', 'conflict'])

/** Was a run cancelled or faulted before it could decide that the time for an answer is over? */
const endedBefore = (
  { stateName }: RunRecord['head'],
  log: RunRecord['log'],
  callId: string,
): boolean => {
  const has = (type: string, about: (payload: JsonObject) => boolean): boolean =>
    log.some((event) => event.type === type && about(event.payload))
  const wasOver = has('timer.fired', ({ timerId }) => timerId === `approval:${callId}`)
  return stateName === 'cancelled' || (wasOver && has('run.faulted', () => true))
}

/** Nobody is told that his answer stands when another one does, or none. */
function toldViolations(run: RunRecord, { said, answer }: Told): readonly string[] {
  const { log, head } = run
  const { callId, decision, scope, args, by } = said
  const about = (type: string) =>
    log.find((event) => event.type === type && event.payload['callId'] === callId)
  const answered = about('approval.answered')
  const stands = answered && factSchemas['approval.answered'].parse(answered.payload)
  const hash = decision === 'edit' && args ? hashOf(args) : undefined
  const same =
    stands?.decision === decision &&
    comparable(run, stands.edited?.argsHash) === comparable(run, hash) &&
    // How far an approval reaches is part of it.
    (decision !== 'approve' || scope === undefined || stands.scope === scope)
  const bad: string[] = []
  if ((answer.code === 'accepted' || answer.code === 'already') && !same)
    bad.push(
      `H1 ${by?.id} was told ${answer.code} to ${decision} of ${callId}, which does not stand`,
    )
  if (answer.code === 'conflict' && same)
    bad.push(`H1 ${by?.id} was told of a conflict with his own ${decision} of ${callId}`)
  if ((answer.code === 'accepted' || answer.code === 'already') && about('approval.expired'))
    bad.push(`H1 ${by?.id} was told ${answer.code} to ${decision} of ${callId}, which had expired`)
  if (answer.code === 'expired' && !about('approval.expired') && !endedBefore(head, log, callId))
    bad.push(`H1 ${by?.id} was told that ${callId} had expired, and it had not`)
  if (args?.['n'] === 'many' && standing.has(answer.code))
    bad.push(`H4 ${by?.id} was told ${answer.code} to arguments that no tool takes`)
  return bad
}

/** A register that does not answer at once fails no run: whoever needs it asks again. */
const failureViolations = ({ log, head }: RunRecord): readonly string[] =>
  log
    .filter(({ type, verdict }) => type === 'model.completed' && verdict === 'error')
    .map(({ payload }) => factSchemas['model.completed'].parse(payload).turn.error)
    .flatMap((error) =>
      error?.class === 'invalid_request' && !error.images
        ? [`${head.runId} failed: ${error.message}`]
        : [],
    )

/** What a guardrail took out of a text is in no event. */
function bannedViolations({ agent, log, head }: RunRecord): readonly string[] {
  if (!agent || agent.guardrails.stream.length === 0) return []
  const said = log.find(({ payload }) => JSON.stringify(payload).includes(bannedTerm))
  return said ? [`I23 ${head.runId} says at ${said.seq} what a guardrail took out`] : []
}
