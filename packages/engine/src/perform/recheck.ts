/**
 * The policies, asked again right before an execution: time has passed since the decision, most of all where a human was
 * asked. Deny wins. Only what can have changed is asked: living passports, and after an approval all policies, for by then
 * a pinned passport may have expired.
 */
import {
  type AgentDefinition,
  authorize,
  factSchemas,
  payloadOf,
  type PolicyAnswer,
  type PolicyRequest,
  type ToolCallPart,
} from '@signalbox/core'
import type { Clock, EffectRow, PolicyHost, Register } from '../ports.ts'
import type { EvaluatorOf } from '../record/decision.ts'
import type { Views } from '../record/view.ts'

export interface RecheckDeps {
  readonly policies: PolicyHost
  readonly register: Pick<Register, 'events'>
  readonly views: Views
  readonly clock: Clock
  readonly evaluatorOf: EvaluatorOf
}

/** A call that is about to be executed, on a worker or by a run of its own. */
export interface CheckedCall {
  readonly row: EffectRow
  readonly effect: { readonly approval?: number | undefined }
  readonly call: ToolCallPart
}

/** The denial, or null if the call may run. Rejects when the signal is aborted, or when nobody can tell who asks. */
export async function recheck(
  deps: RecheckDeps,
  task: CheckedCall,
  signal: AbortSignal,
): Promise<PolicyAnswer | null> {
  const agent = await deps.views.definition(task.row.definitionHash)
  const approved = task.effect.approval !== undefined
  if (!mayHaveChanged(agent, approved)) return null
  const request = await requestOf(deps, task, agent)
  const { policies, failClosed } = agent.guardrails
  if (approved) {
    const pinned = pinnedAnswer(deps, task, { agent, request })
    if (pinned.effect === 'deny') return pinned
  }
  return deps.policies.recheck(policies, request, { approved, failClosed, signal })
}

/** Reads what the call would be checked by. Rejects with a `NewerError` where that is newer than this build. */
export async function readForCheck(deps: RecheckDeps, task: CheckedCall): Promise<void> {
  const agent = await deps.views.definition(task.row.definitionHash)
  if (mayHaveChanged(agent, task.effect.approval !== undefined)) await requestOf(deps, task, agent)
}

const mayHaveChanged = ({ guardrails }: AgentDefinition, approved: boolean): boolean =>
  guardrails.policies.some((spec) => approved || (spec.use === 'passport' && spec.source !== null))

/** What the pinned policies say now. */
const pinnedAnswer = (
  { evaluatorOf }: RecheckDeps,
  { row, call }: CheckedCall,
  { agent, request }: { readonly agent: AgentDefinition; readonly request: PolicyRequest },
): PolicyAnswer => {
  const caller = { user: request.user, isSubagent: request.isSubagent }
  return authorize({ run: row.runId, agent, evaluatorOf, caller, at: request.at }, call).answer
}

async function requestOf(
  { register, clock }: RecheckDeps,
  { row, call }: CheckedCall,
  agent: AgentDefinition,
): Promise<PolicyRequest> {
  const [first] = await register.events(row.runId, { limit: 1 })
  const created = first ? payloadOf(factSchemas['run.created'], first) : null
  return {
    tool: call.name,
    args: call.args,
    callId: call.id,
    agent: agent.name,
    runId: row.runId,
    tenantId: row.tenantId,
    threadId: row.threadId,
    isSubagent: created?.parent !== undefined,
    user: created?.user ?? null,
    at: clock.now(),
  }
}
