/**
 * What would become of one call: the decision an engine would make, without an engine. Lists, passports and Cedar first,
 * then the policies with I/O, then the living passports, as they are asked again right before each execution.
 */
import {
  type AgentDefinition,
  authorize,
  combineAnswers,
  evaluatorError,
  type JsonObject,
  judgedOf,
  needsIo,
  type PolicyAnswer,
  type PolicyRequest,
} from '@signalbox/core'
import type { PolicyHost } from '@signalbox/engine'

/** A call that no model made. `at` is milliseconds since the epoch. */
export interface TestedCall {
  readonly agent: AgentDefinition
  readonly tool: string
  readonly args: JsonObject
  readonly user: PolicyRequest['user']
  readonly isSubagent: boolean
  readonly at: number
}

/** The decision, and which policies had no say in it, or denied because they could not answer. */
export interface Judged {
  readonly answer: PolicyAnswer
  readonly faults: readonly { readonly policyId: string; readonly message: string }[]
}

/** Ids of a run and a call that never were. */
const run = '00000000-0000-7000-8000-000000000000'
const callId = 'c_000000000000_1_1'

/** Decides about a call. Rejects only with the reason of the signal. */
export async function judgeCall(
  policies: PolicyHost,
  { agent, tool, args, user, isSubagent, at }: TestedCall,
  signal: AbortSignal,
): Promise<Judged> {
  if (!agent.tools.some(({ name }) => name === tool))
    return { answer: unknownTool(tool), faults: [] }
  const caller = { user, isSubagent }
  const { passports } = policies
  const evaluatorOf = (spec: Spec) => policies.evaluator(spec)
  const bench = { run, agent, caller, at, evaluatorOf, passports }
  const pure = authorize(bench, { id: callId, name: tool, args })
  if (pure.answer.effect === 'deny') return pure
  const request = {
    tool,
    args,
    ...judgedOf(agent, tool),
    callId,
    agent: agent.name,
    runId: run,
    at,
    ...caller,
  }
  const asked = await askAll(policies, agent, { request, signal })
  const answer = combineAnswers([pure.answer, ...asked.answers])
  const faults = [...pure.faults, ...asked.faults]
  if (answer.effect === 'deny' || answer.effect === 'require_approval') return { answer, faults }
  const { failClosed, policies: specs } = agent.guardrails
  const late = await policies.recheck(specs, request, { approved: false, failClosed, signal })
  return { answer: late ?? answer, faults }
}

type Spec = AgentDefinition['guardrails']['policies'][number]

/** In the order of the policies, however fast each is: the first denial is the one that is told. */
async function askAll(
  policies: PolicyHost,
  { guardrails }: AgentDefinition,
  { request, signal }: { readonly request: PolicyRequest; readonly signal: AbortSignal },
) {
  const specs = guardrails.policies.filter(needsIo)
  const asked = await Promise.allSettled(specs.map((spec) => policies.ask(spec, request, signal)))
  signal.throwIfAborted()
  const faults: { policyId: string; message: string }[] = []
  const answers = asked.flatMap((each, n) => {
    if (each.status === 'fulfilled') return each.value
    const [spec] = specs.slice(n)
    if (spec === undefined) return []
    const { reason } = each
    const message = reason instanceof Error ? reason.message : String(reason)
    faults.push({ policyId: spec.id, message })
    return guardrails.failClosed ? evaluatorError(spec) : []
  })
  return { answers, faults }
}

/** The machine says so before any policy is asked. */
const unknownTool = (tool: string): PolicyAnswer => ({
  effect: 'deny',
  reasons: [{ code: 'unknown_tool', message: `There is no tool named ${tool}.` }],
  policyId: '',
  policyDigest: '',
})
