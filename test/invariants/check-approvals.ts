/** What must hold between a call that needs a human, his answer, and what ran (I10, I11). */
import { type AgentDefinition, callsOf, factSchemas } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import { comparable } from './digest.ts'
import { callOf, type EffectRecord, isAbout, type RunRecord } from './run-record.ts'

/** `runs`: all of the register, for what was approved for every run of an agent. */
export function approvalViolations(run: RunRecord, runs: readonly RunRecord[]): readonly string[] {
  return [
    ...askedOnce(run),
    ...run.effects.flatMap((effect) => effectViolations(run, effect, runs)),
    ...answerViolations(run),
    ...repeatViolations(run),
  ]
}

const aboutCall = (log: readonly StoredEvent[], type: string, callId: string) =>
  log.filter((event) => event.type === type && callOf(event) === callId)

/** A call is asked about once, and decided once: by an answer or by its time. */
function askedOnce({ log, head }: RunRecord): readonly string[] {
  const bad: string[] = []
  for (const asked of log.filter(({ type }) => type === 'approval.requested')) {
    const callId = callOf(asked)
    for (const type of ['approval.requested', 'approval.answered', 'approval.expired'])
      if (aboutCall(log, type, callId).length > 1)
        bad.push(`I10 ${head.runId} has ${type} of ${callId} more than once`)
    if (aboutCall(log, 'approval.reused', callId).length > 0)
      bad.push(`I10 ${head.runId} asked about ${callId}, for which an earlier answer stood`)
  }
  return bad
}

/** An answer is about exactly what was asked, from somebody who may give it (H2, H3). */
function answerViolations({ log, agent, head }: RunRecord): readonly string[] {
  const bad: string[] = []
  const created = log[0] && factSchemas['run.created'].parse(log[0].payload)
  for (const event of log.filter(({ type }) => type === 'approval.answered')) {
    const { callId, tool, argsHash, by } = factSchemas['approval.answered'].parse(event.payload)
    const [asked] = aboutCall(log, 'approval.requested', callId)
    if (
      !asked ||
      asked.seq > event.seq ||
      asked.payload['argsHash'] !== argsHash ||
      asked.tool !== tool
    )
      bad.push(`I11 the answer about ${callId} of ${head.runId} is not about what was asked`)
    const { roles, forbidRequester } = agent?.approvals ?? { roles: null, forbidRequester: false }
    if (roles && !roles.includes(by?.role ?? ''))
      bad.push(`H3 ${callId} was decided by ${by?.id}, whose role may not`)
    if (forbidRequester && by?.id === created?.user?.id)
      bad.push(`H3 ${callId} was decided by ${by?.id}, whom the run works for`)
  }
  return bad
}

/** How many rejections a run remembers. */
const rememberedMax = 6

/** What a human rejected he is not asked about again, by the turns that come after his answer (Z2). */
function repeatViolations({ log, head }: RunRecord): readonly string[] {
  const rejected = log.filter(
    ({ type, verdict }) => type === 'approval.answered' && verdict === 'reject',
  )
  if (rejected.length > rememberedMax) return []
  return log
    .filter(({ type }) => type === 'approval.requested')
    .filter((asked) =>
      rejected.some(
        (answer) =>
          answer.tool === asked.tool &&
          answer.payload['argsHash'] === asked.payload['argsHash'] &&
          answer.seq < turnOf(log, callOf(asked)) &&
          // An answer that came too late rejected nothing.
          aboutCall(log, 'approval.expired', callOf(answer)).length === 0,
      ),
    )
    .map(({ seq }) => `I10 ${head.runId} asks at ${seq} about what a human rejected before`)
}

/** Where the turn that asks for the call was recorded. */
function turnOf(log: readonly StoredEvent[], callId: string): number {
  const turn = log.find(
    ({ type, verdict, payload }) =>
      type === 'model.completed' &&
      verdict === 'complete' &&
      callsOf(factSchemas[type].parse(payload).turn).some(({ id }) => id === callId),
  )
  return turn?.seq ?? 0
}

function effectViolations(
  run: RunRecord,
  { effectId, spec }: EffectRecord,
  runs: readonly RunRecord[],
): readonly string[] {
  if (!('callId' in spec)) return []
  const { log, agent } = run
  const { callId } = spec
  const bad: string[] = []
  for (const type of ['call.denied', 'approval.expired'])
    if (aboutCall(log, type, callId).length > 0)
      bad.push(`I10 ${effectId} is an effect for a call that has ${type}`)
  // Nothing executes: `check-reruns.ts` says what then must hold.
  if (spec.kind === 'tool.recall') return bad
  const [asked] = aboutCall(log, 'approval.requested', callId)
  const [reused] = aboutCall(log, 'approval.reused', callId)
  const start = log.find((event) => event.type === 'effect.started' && isAbout(event, effectId))
  if (!asked && !reused && !listed(agent, spec.tool)) return bad
  if (!start) return bad
  if (reused) return [...bad, ...reusedViolations(run, { reused, argsHash: spec.argsHash }, runs)]
  const [answered] = aboutCall(log, 'approval.answered', callId)
  const { decision, edited, argsHash } = answered
    ? factSchemas['approval.answered'].parse(answered.payload)
    : { decision: null, edited: undefined, argsHash: '' }
  if (!answered || answered.seq > start.seq || decision === 'reject' || decision === null)
    bad.push(`I10 ${effectId} started without its approval`)
  const approved = decision === 'edit' ? edited?.argsHash : argsHash
  if (approved !== spec.argsHash) bad.push(`I11 ${effectId} is not what was approved`)
  return bad
}

/** Must a human approve the tool, whatever the policies say? */
function listed(agent: AgentDefinition | undefined, tool: string): boolean {
  if (!agent) return false
  const { approvalTools, policies } = agent.guardrails
  const lists = policies.flatMap((spec) => (spec.use === 'allowlist' ? spec.approvalTools : []))
  return [...approvalTools, ...lists].includes(tool)
}

/** An earlier approval stands for a call only if there is one: of the same tool with the same arguments, and that far. */
function reusedViolations(
  run: RunRecord,
  { reused, argsHash }: { readonly reused: StoredEvent; readonly argsHash: string },
  runs: readonly RunRecord[],
): readonly string[] {
  if (reused.payload['argsHash'] !== argsHash)
    return [`I11 ${reused.runId} reuses the approval of other arguments at ${reused.seq}`]
  const always = reused.payload['scope'] === 'always'
  const logs = always
    ? runs.filter(({ agent }) => agent?.name === run.agent?.name).map(({ log }) => log)
    : [run.log.filter(({ seq }) => seq < reused.seq)]
  const stands = logs.flat().some((event) => {
    if (event.type !== 'approval.answered' || event.tool !== reused.tool) return false
    const answer = factSchemas['approval.answered'].parse(event.payload)
    const reaches = answer.scope === 'always' || (!always && answer.scope === 'run')
    const same = comparable(run, answer.argsHash) === comparable(run, argsHash)
    return answer.decision === 'approve' && same && reaches
  })
  return stands ? [] : [`I10 ${reused.runId} reuses an approval at ${reused.seq} that nobody gave`]
}
