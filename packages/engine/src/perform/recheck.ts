/**
 * The policies, asked again right before an execution: time has passed since the decision, most of all where a human was
 * asked. Deny wins. Only what can have changed is asked:
 *
 * K1 Of the pinned policies: living passports, and after an approval all of them, for by then a pinned passport may have
 *    expired.
 * K2 Of the configuration this process was started with: all policies of the agent of that name, if they are not the pinned
 *    ones. A run that waited for weeks does not execute what the operator has denied since.
 */
import {
  type AgentDefinition,
  authorize,
  judgedOf,
  type PolicyAnswer,
  type PolicyRequest,
  type ToolCallPart,
} from '@signalbox/core'
import type { Clock, EffectRow, PolicyHost, Register } from '../ports.ts'
import type { EvaluatorOf } from '../record/decision.ts'
import { canonical, sha256 } from '../record/draft.ts'
import type { Preparations } from '../record/preparations.ts'
import type { Views } from '../record/view.ts'
import { originOf, requestOf } from './evidence.ts'
import { logOf } from './recordings.ts'

export interface RecheckDeps {
  readonly policies: PolicyHost
  readonly register: Pick<Register, 'events'>
  readonly views: Views
  readonly clock: Clock
  readonly evaluatorOf: EvaluatorOf
  readonly preparations: Preparations
  /** The agent of this name in the configuration of this process; null if it has none. */
  readonly agents: (name: string) => AgentDefinition | null
}

/** Why a call does not run, and which policies say so: those the run pins, or those of today's configuration. */
export interface Denial {
  readonly answer: PolicyAnswer
  readonly configuration: 'pinned' | 'current'
}

/** A call that is about to be executed, on a worker or by a run of its own. */
export interface CheckedCall {
  readonly row: Pick<EffectRow, 'runId' | 'tenantId' | 'threadId' | 'definitionHash'>
  readonly effect: { readonly approval?: number | undefined }
  readonly call: ToolCallPart
}

/** The denial, or null if the call may run. Rejects when the signal is aborted, or when the caller of the run cannot be read. */
export async function recheck(
  deps: RecheckDeps,
  task: CheckedCall,
  signal: AbortSignal,
): Promise<Denial | null> {
  const agent = await deps.views.definition(task.row.definitionHash)
  const current = changedSince(deps, agent)
  if (!mayHaveChanged(agent, task) && current === null) return null
  const request = await readRequest(deps, task, agent)
  const pinned = await pinnedDenial(deps, task, { agent, request, signal })
  if (pinned) return { answer: pinned, configuration: 'pinned' }
  if (current === null) return null
  const answer = await currentDenial(deps, task, { agent, current, request, signal })
  return answer && { answer, configuration: 'current' }
}

/** Reads what the call would be checked by. Rejects with a `NewerError` where that is newer than this build. */
export async function readForCheck(deps: RecheckDeps, task: CheckedCall): Promise<void> {
  const agent = await deps.views.definition(task.row.definitionHash)
  if (mayHaveChanged(agent, task) || changedSince(deps, agent)) await readRequest(deps, task, agent)
}

const isApproved = ({ effect }: CheckedCall): boolean => effect.approval !== undefined

const mayHaveChanged = ({ guardrails }: AgentDefinition, task: CheckedCall): boolean =>
  guardrails.policies.some(
    (spec) => isApproved(task) || (spec.use === 'passport' && spec.source !== null),
  )

/** The agent as it is configured now, if other policies judge its calls than those the run pins. */
function changedSince({ agents }: RecheckDeps, pinned: AgentDefinition): AgentDefinition | null {
  const current = agents(pinned.name)
  return current && rulesOf(current) !== rulesOf(pinned) ? current : null
}

const rules = new WeakMap<AgentDefinition, string>()

/** The policies over calls, and what tools say about their arguments, in canonical form. */
function rulesOf(agent: AgentDefinition): string {
  const { allowedTools, deniedTools, approvalTools, policies, failClosed } = agent.guardrails
  const judged = agent.tools.flatMap((tool) => (tool.judged ? [[tool.name, tool.judged]] : []))
  const known =
    rules.get(agent) ??
    canonical({ allowedTools, deniedTools, approvalTools, policies, failClosed, judged })
  rules.set(agent, known)
  return known
}

/** A question to the policies of an agent. */
export interface AskedCall {
  readonly agent: AgentDefinition
  readonly request: PolicyRequest
  readonly signal: AbortSignal
}

async function pinnedDenial(
  deps: RecheckDeps,
  task: CheckedCall,
  { agent, request, signal }: AskedCall,
): Promise<PolicyAnswer | null> {
  if (!mayHaveChanged(agent, task)) return null
  const approved = isApproved(task)
  const { policies, failClosed } = agent.guardrails
  if (approved) {
    const pinned = pureAnswer(deps, task, { agent, request })
    if (pinned.effect === 'deny') return pinned
  }
  return deps.policies.recheck(policies, request, { approved, failClosed, signal })
}

/**
 * The denial of the call by today's configuration. That a person should approve it by now is a denial, unless a person
 * did, or did so earlier for a call like this.
 */
async function currentDenial(
  deps: RecheckDeps,
  task: CheckedCall,
  { current, request, signal }: AskedCall & { readonly current: AgentDefinition },
): Promise<PolicyAnswer | null> {
  // Policies that cannot be made ready have no evaluator, which denies unless `failClosed` is false.
  await deps.preparations.lackOf(`current:${sha256(rulesOf(current))}`, current)
  const pure = pureAnswer(deps, task, { agent: current, request })
  if (pure.effect === 'deny') return pure
  if (pure.effect === 'require_approval' && !(isApproved(task) || (await isReused(deps, task))))
    return { ...pure, effect: 'deny' }
  const { policies, failClosed } = current.guardrails
  const { call } = task
  const { judged: _, ...asked } = request
  const now = { ...asked, ...judgedOf(current, call.name) }
  const ask = (approved: boolean) =>
    deps.policies.recheck(policies, now, { approved, all: true, failClosed, signal })
  const denial = await ask(isApproved(task))
  if (denial === null || isApproved(task)) return denial
  return (await isReused(deps, task)) ? ask(true) : denial
}

/** Does an earlier approval of a person stand for the call? The decision has said so. */
async function isReused({ register }: RecheckDeps, { row, call }: CheckedCall): Promise<boolean> {
  for await (const { type, payload } of logOf(register, row.runId))
    if (type === 'approval.reused' && payload['callId'] === call.id) return true
  return false
}

/** The answer of the pure policies of an agent now. */
const pureAnswer = (
  { evaluatorOf, policies }: RecheckDeps,
  { row, call }: CheckedCall,
  { agent, request }: { readonly agent: AgentDefinition; readonly request: PolicyRequest },
): PolicyAnswer => {
  const caller = { user: request.user, isSubagent: request.isSubagent }
  const { passports } = policies
  const bench = { run: row.runId, agent, evaluatorOf, passports, caller, at: request.at }
  return authorize(bench, call).answer
}

async function readRequest(
  { register, clock }: RecheckDeps,
  { row, call }: CheckedCall,
  agent: AgentDefinition,
): Promise<PolicyRequest> {
  const [first] = await register.events(row.runId, { limit: 1 })
  return requestOf(originOf(first ?? null), row, { agent, call, at: clock.now() })
}
