/**
 * Authorization of the calls of a turn: evidence in (the calls, the pinned policies, who the run works for), one judgement
 * per call out. Per call and independent: a denial is an error result for that call alone. Deny beats approval beats allow.
 *
 * Z1 Only a call of a turn that closed positively gets here, and only one that is judged `allow`, or approved by a human,
 *    gets an effect (I10).
 * Z2 What a human rejected in this run is not asked again: the same call is denied at once.
 */
import type { AgentDefinition, ToolSpec } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import { limits } from '../../limits.ts'
import type { ToolCallPart } from '../../message.ts'
import { loadSkillToolName, pinnedSkills } from '../../skill/pinned.ts'
import type { ModelTurn } from '../../turn.ts'
import { agentProblem, familyProblem } from '../children/verdict.ts'
import { builtInEvaluator } from './built-in.ts'
import { type Evaluated, evaluatePolicies, type PolicyFault } from './combine.ts'
import type { PassportEvaluator } from './passports.ts'
import { addTally, type RateState, type CallTally } from './rates.ts'
import type { PolicyAnswer, PolicyReason } from '../../policy-answer.ts'
import type { PolicyRequest, PureEvaluator } from './request.ts'
import { type SkillPositions, skillObjection } from '../skill/verdict.ts'
import type { AllowlistSpec, PolicySpec } from './spec.ts'

interface Judged {
  readonly call: ToolCallPart
  readonly faults: readonly PolicyFault[]
}

interface NotDenied extends Judged {
  readonly spec: ToolSpec
  readonly warnings: readonly PolicyAnswer[]
  readonly flags: readonly PolicyAnswer[]
}

/** The judgement of a call. */
export type CallJudgement =
  | (NotDenied & {
      readonly effect: 'allow'
      /** A human's earlier approval that stands for this call. */
      readonly grant: 'run' | 'always' | null
      /** In a rerun: the answer that wants a human's approval. */
      readonly skipped?: PolicyAnswer
    })
  | (NotDenied & { readonly effect: 'ask'; readonly answer: PolicyAnswer })
  | (Judged & { readonly effect: 'deny'; readonly answer: PolicyAnswer })

/** What judging takes besides the call. */
export interface Bench {
  readonly run: string
  readonly agent: AgentDefinition
  readonly evaluatorOf: (spec: PolicySpec) => PureEvaluator | null
  readonly passports: PassportEvaluator
  readonly caller: FactPayload<'model.completed'>['caller']
  readonly at: number
  /** Calls of the run so far, for the rates of passports. Default: none. */
  readonly recent?: RateState
}

/** The calls of a turn, in order. Empty unless the turn closed positively. */
export const callsOf = (turn: ModelTurn): readonly ToolCallPart[] =>
  turn.message.parts.filter((part) => part.type === 'tool_call')

/** The key of a call among those that humans decided about: its tool, and the agent's bits of its arguments' digest. */
export function grantKey({ approvals }: AgentDefinition, tool: number, argsHash: string): string {
  // Of a keyed digest, the scheme stands before the digits.
  const digits = argsHash.slice(argsHash.indexOf(':') + 1)
  return approvals.rememberedBits === 64
    ? `${tool}:${digits.slice(0, 16)}`
    : `${tool}:${compact(digits.slice(0, 32))}`
}

const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'

/** Hex as base 64, so that the cached state stays small. What is no hex stays as it is. */
function compact(hex: string): string {
  if (!/^[0-9a-f]+$/.test(hex)) return hex
  let rest = BigInt(`0x${hex}`)
  let text = ''
  for (; rest > 0n; rest /= 64n) text = alphabet.charAt(Number(rest % 64n)) + text
  return text
}

/** A denial that no policy made. */
export const engineDenial = (code: string, message: string): PolicyAnswer => ({
  effect: 'deny',
  reasons: [{ code, message }],
  policyId: '',
  policyDigest: '',
})

/** The agent's own lists, as a policy. */
const listsOf = ({ guardrails }: AgentDefinition): AllowlistSpec => {
  const { allowedTools, deniedTools, approvalTools } = guardrails
  return { use: 'allowlist', id: 'lists', digest: '', allowedTools, deniedTools, approvalTools }
}

/** What a tool of the agent says about its arguments, as a part of requests. */
export function judgedOf(
  { tools }: Pick<AgentDefinition, 'tools'>,
  name: string,
): Pick<PolicyRequest, 'judged'> {
  const judged = tools.find((tool) => tool.name === name)?.judged
  return judged === undefined ? {} : { judged }
}

/** What the pinned pure policies say about a call. */
export function authorize(
  { run, agent, evaluatorOf, passports, caller, at, recent }: Bench,
  call: Pick<ToolCallPart, 'id' | 'name' | 'args'>,
): Evaluated {
  const request: PolicyRequest = {
    tool: call.name,
    args: call.args,
    ...judgedOf(agent, call.name),
    callId: call.id,
    agent: agent.name,
    runId: run,
    isSubagent: caller?.isSubagent ?? false,
    user: caller?.user ?? null,
    at,
  }
  const { policies, failClosed } = agent.guardrails
  const specs = [listsOf(agent), ...policies]
  const either = (spec: PolicySpec) =>
    builtInEvaluator(spec, passports, recent) ?? evaluatorOf(spec)
  return evaluatePolicies({ specs, failClosed, evaluatorOf: either }, request)
}

/** The memory of a run about its calls: part of its context, where each field is explained. */
interface Remembered {
  readonly grants: readonly string[]
  readonly refused: readonly string[]
  readonly rates: RateState
  readonly depth: number
  readonly children: number
  readonly skills: SkillPositions
}

/** The knowledge of calls before this one that a judgement needs: from this run, and from the fact that brought it. */
export interface KnownOfCalls {
  readonly context: Remembered
  readonly granted: readonly string[]
}

/** The same at one call of a turn. */
interface KnownAtCall extends KnownOfCalls {
  /** `inTurn`: runs that calls before it start. */
  readonly context: Remembered & { readonly inTurn: number }
}

function judge(bench: Bench, known: KnownAtCall, call: ToolCallPart): CallJudgement {
  const deny = (answer: PolicyAnswer, faults: readonly PolicyFault[] = []): CallJudgement => ({
    effect: 'deny',
    call,
    answer,
    faults,
  })
  if (call.invalid) return deny(invalid(bench.agent, call.name, call.invalid))
  const index = bench.agent.tools.findIndex((tool) => tool.name === call.name)
  const spec = bench.agent.tools[index]
  if (!spec) return deny(invalid(bench.agent, call.name, unknownTool(call.name)))
  const nobody = agentProblem(spec, call.args)
  if (nobody) return deny(engineDenial(nobody.code, nobody.message))
  const { answer, faults, warnings, flags } = authorize(bench, call)
  if (answer.effect === 'deny') return deny(answer, faults)
  const notOfSkills = ofSkills(bench.agent, known.context, call.name)
  if (notOfSkills) return deny(notOfSkills, faults)
  const tooMany = spec.runs === undefined ? null : familyProblem(bench.agent, known.context)
  if (tooMany) return deny(engineDenial(tooMany.code, tooMany.message), faults)
  const key = grantKey(bench.agent, index, call.argsHash)
  if (known.context.refused.includes(key))
    return deny(
      engineDenial('rejected_before', 'A person rejected this very call. Do not repeat it.'),
    )
  const about = { call, spec, faults, warnings, flags }
  if (answer.effect !== 'require_approval') return { effect: 'allow', ...about, grant: null }
  if (known.context.grants.includes(key)) return { effect: 'allow', ...about, grant: 'run' }
  if (known.granted.includes(call.id)) return { effect: 'allow', ...about, grant: 'always' }
  return { effect: 'ask', ...about, answer }
}

const unknownTool = (name: string): PolicyReason => ({
  code: 'unknown_tool',
  message: `There is no tool named ${name}.`,
})

/** The denial of a call that cannot be made as it stands. A model that calls a skill is told that it is one. */
function invalid(agent: AgentDefinition, name: string, { code, message }: PolicyReason) {
  const isSkill = code === 'unknown_tool' && pinnedSkills(agent).some((each) => each.name === name)
  const hint = isSkill ? ` It is a skill: load it with ${loadSkillToolName}.` : ''
  return engineDenial(code, `${message}${hint}`)
}

/** The denial of a call that the skills which are loaded do not allow; null if they do. */
export function ofSkills(
  agent: AgentDefinition,
  { skills }: Pick<Remembered, 'skills'>,
  tool: string,
): PolicyAnswer | null {
  const objection = skillObjection(agent, skills, tool)
  return objection && engineDenial(objection.code, objection.message)
}

/** One judgement per call, in order, and what the calls add to the rates. A turn with too many calls is denied as a whole. */
export function judgeCalls(
  bench: Bench,
  known: KnownOfCalls,
  turn: ModelTurn,
): { readonly judgements: readonly CallJudgement[]; readonly rates: RateState } {
  const calls = callsOf(turn)
  let { rates, children } = known.context
  if (calls.length > limits.callsPerTurnMax) {
    const message = `A turn may ask for ${limits.callsPerTurnMax} calls, this one asked for ${calls.length}.`
    const answer = engineDenial('too_many_calls', message)
    return {
      judgements: calls.map((call) => ({ effect: 'deny', call, answer, faults: [] })),
      rates,
    }
  }
  const judgements = calls.map((call) => {
    // The calls of one turn count one after the other: a rate is not exceeded by asking at once.
    const inTurn = children - known.context.children
    const now = { ...known, context: { ...known.context, children, inTurn } }
    const judgement = judge({ ...bench, recent: rates }, now, call)
    if (judgement.effect === 'deny') return judgement
    rates = withCall(bench, rates, call)
    if (judgement.spec.runs !== undefined) children += 1
    return judgement
  })
  return { judgements, rates }
}

/** The rates after one more call, under each capability that a passport maps its tool to. */
function withCall(
  { agent, passports, at }: Bench,
  rates: RateState,
  { name, args }: ToolCallPart,
): RateState {
  const asked = { tool: name, args, ...judgedOf(agent, name) }
  const tallies = agent.guardrails.policies.flatMap((spec): readonly CallTally[] =>
    spec.use === 'passport' ? passports.tallies(spec, asked) : [],
  )
  const byKey = new Map(tallies.map((tally) => [tally.key, tally]))
  return [...byKey.values()].reduce((state, each) => addTally(state, each, at), rates)
}
