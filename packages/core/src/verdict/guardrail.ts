/**
 * Guardrail: which calls of a positively closed turn may run. Per call and independent: a denial is an error result
 * for that call alone. Deny beats approval beats allow.
 */
import type { AgentDefinition, ToolSpec } from '../definition.ts'
import type { Verdict } from '../event/decision.ts'
import { limits } from '../limits.ts'
import type { ToolCallPart } from '../message.ts'
import type { ModelTurn } from '../turn.ts'

export type Judgement =
  | { readonly effect: 'allow'; readonly call: ToolCallPart; readonly spec: ToolSpec }
  | { readonly effect: 'ask'; readonly call: ToolCallPart; readonly spec: ToolSpec }
  | {
      readonly effect: 'deny'
      readonly call: ToolCallPart
      readonly code: string
      readonly message: string
    }

/** The calls of a turn, in order. Empty unless the turn closed positively. */
export const callsOf = (turn: ModelTurn): readonly ToolCallPart[] =>
  turn.message.parts.filter((part) => part.type === 'tool_call')

function judge(agent: AgentDefinition, call: ToolCallPart): Judgement {
  const deny = (code: string, message: string): Judgement => ({
    effect: 'deny',
    call,
    code,
    message,
  })
  if (call.invalid) return deny(call.invalid.code, call.invalid.message)
  const { allowedTools, deniedTools, approvalTools } = agent.guardrails
  if (allowedTools !== null && !allowedTools.includes(call.name))
    return deny(
      'oap.tool_not_allowed',
      `The tool ${call.name} is not on the list of allowed tools.`,
    )
  if (deniedTools.includes(call.name))
    return deny('oap.denied', `The tool ${call.name} is denied by the guardrail.`)
  const spec = agent.tools.find((tool) => tool.name === call.name)
  if (!spec) return deny('unknown_tool', `There is no tool named ${call.name}.`)
  return { effect: approvalTools.includes(call.name) ? 'ask' : 'allow', call, spec }
}

/** May a human approve a call of this tool, i.e. is there such a tool, and does it need that? */
export const approvable = (agent: AgentDefinition, tool: string): boolean =>
  agent.guardrails.approvalTools.includes(tool) && agent.tools.some(({ name }) => name === tool)

/** One judgement per call, in order. A turn with too many calls is denied as a whole. */
export function judgeCalls(agent: AgentDefinition, turn: ModelTurn): readonly Judgement[] {
  const calls = callsOf(turn)
  if (calls.length <= limits.callsPerTurnMax) return calls.map((call) => judge(agent, call))
  const message = `A turn may ask for ${limits.callsPerTurnMax} calls, this one asked for ${calls.length}.`
  return calls.map((call) => ({ effect: 'deny', call, code: 'too_many_calls', message }))
}

/** The events of the judgements that are not plain passes. */
export function guardrailVerdicts(judgements: readonly Judgement[]): readonly Verdict[] {
  return judgements.flatMap((judgement): readonly Verdict[] => {
    const { call } = judgement
    if (judgement.effect === 'allow') return []
    if (judgement.effect === 'ask') {
      const payload = { callId: call.id, tool: call.name, argsHash: call.argsHash }
      return [{ type: 'approval.requested', payload, tool: call.name, verdict: 'asked' }]
    }
    return [denied(call.id, call.name, judgement)]
  })
}

export function denied(
  callId: string,
  tool: string,
  reason: { readonly code: string; readonly message: string },
): Verdict {
  const payload = { callId, tool, code: reason.code, message: reason.message }
  return { type: 'call.denied', payload, tool, verdict: 'denied' }
}
