/** The evidence that a model's answer is recorded with, besides itself: the decider knows neither chance, nor people, nor other runs. */
import {
  type AgentDefinition,
  callsOf,
  factSchemas,
  type FactPayload,
  judgedOf,
  mayAskAPerson,
  type ModelTurn,
  payloadOf,
  type PolicyRequest,
  type ToolCallPart,
} from '@signalbox/core'
import type { EffectRow, Random, StoredEvent } from '../ports.ts'
import { type GrantDeps, grantedOf } from './grants.ts'
import type { ModelTask } from './model-call.ts'

type Created = FactPayload<'run.created'>
type Answered = FactPayload<'model.completed'>

/** The user that a run works for, as its first event says. */
export interface Origin {
  readonly user: Created['user']
  readonly endUser: string | null
  /** The run that started this one; undefined if nobody did. */
  readonly parent: Created['parent']
  readonly fields: Created['fields']
  /** The request to sum up its thread, if the run was created for that. */
  readonly compact: Created['compact']
  /** The memory of whom it works for. */
  readonly memory: Created['memory']
  /** The part of a conversation that it learns from, if the run was created for that. */
  readonly learn: Created['learn']
  readonly input: Created['input']
}

/** Reads it from the first event of a run. */
export function originOf(first: StoredEvent | null): Origin {
  if (!first)
    return {
      user: undefined,
      endUser: null,
      parent: undefined,
      fields: undefined,
      compact: undefined,
      memory: undefined,
      learn: undefined,
      input: [],
    }
  const created = payloadOf(factSchemas['run.created'], first)
  const { user, endUser, parent, fields, compact, memory, learn, input } = created
  return { user, endUser: endUser ?? null, parent, fields, compact, memory, learn, input }
}

/** The question to a policy about a call of a run. */
export const requestOf = (
  { user, parent, fields }: Origin,
  { runId, tenantId, threadId }: Pick<EffectRow, 'runId' | 'tenantId' | 'threadId'>,
  about: {
    readonly agent: AgentDefinition
    readonly call: ToolCallPart
    readonly at: number
  },
): PolicyRequest => ({
  tool: about.call.name,
  args: about.call.args,
  ...judgedOf(about.agent, about.call.name),
  callId: about.call.id,
  agent: about.agent.name,
  runId,
  tenantId,
  threadId,
  ...(fields ? { fields } : {}),
  isSubagent: parent !== undefined,
  user: user ?? null,
  at: about.at,
})

/** Only what somebody will ask for: chance where a retry may follow, people where policies may be. */
export async function evidenceOf(
  deps: GrantDeps & { readonly random: Random },
  task: ModelTask,
  { turn, origin }: { readonly turn: ModelTurn; readonly origin: Origin },
): Promise<Pick<Answered, 'chance' | 'caller' | 'granted'>> {
  if (turn.verdict === 'error' || turn.verdict === 'interrupted')
    return { chance: deps.random.unit() }
  const calls = callsOf(turn)
  const { approvalTools, policies } = task.agent.guardrails
  if (calls.length === 0 || (approvalTools.length === 0 && policies.length === 0)) return {}
  const caller = { user: origin.user ?? null, isSubagent: origin.parent !== undefined }
  const mayAsk = approvalTools.length > 0 || policies.some(mayAskAPerson)
  const of = { tenantId: task.tenantId, agent: task.agent.name }
  const granted = mayAsk ? await grantedOf(deps, of, calls) : []
  return { ...(policies.length > 0 ? { caller } : {}), ...(granted.length > 0 ? { granted } : {}) }
}
