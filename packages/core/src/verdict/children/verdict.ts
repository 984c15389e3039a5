/**
 * Which calls may start a run: evidence in (the runs that the run has started so far, its depth, its definition), the reason of a denial out, or
 * none. Judged call by call in the order of the turn, so that of too many the first ones run, and the model reads why the others do not.
 */
import type { AgentDefinition, ToolSpec } from '../../definition.ts'
import type { JsonObject } from '../../json.ts'
import { limits } from '../../limits.ts'
import type { PolicyReason } from '../../policy-answer.ts'

/** The place of a run in its tree. */
interface Family {
  /** So many runs stand above it. */
  readonly depth: number
  /** Runs that it has started, those of the turn at hand included. */
  readonly children: number
  /** Of them, those that calls of this turn start. */
  readonly inTurn: number
}

/** Why no run may be started; null if one may. */
export function familyProblem(
  { subagents }: Pick<AgentDefinition, 'subagents'>,
  { depth, children, inTurn }: Family,
): PolicyReason | null {
  const { childDepthMax, childrenMax } = limits
  if (depth >= childDepthMax)
    return {
      code: 'too_deep',
      message: `Runs may be started ${childDepthMax} deep; this one starts none.`,
    }
  const perRun = subagents?.perRun ?? childrenMax
  if (children >= perRun)
    return {
      code: 'too_many_children',
      message: `A run may start ${counted(perRun)}; this one has.`,
    }
  if (subagents && inTurn >= subagents.perTurn)
    return {
      code: 'too_many_at_once',
      message: `A turn may start ${counted(subagents.perTurn)}; other calls of this turn do. Ask again in a later turn.`,
    }
  return null
}

const counted = (runs: number): string => `${runs} ${runs === 1 ? 'run' : 'runs'}`

/** The agent whose run does the work of a call; null if the tool starts none, or the call names none that it may start. */
export function startedAgent(
  { runs }: Pick<ToolSpec, 'runs'>,
  args: JsonObject | undefined,
): string | null {
  if (typeof runs !== 'object') return runs ?? null
  return runs.find((agent) => agent === args?.['agent']) ?? null
}

/** Why a call starts no run of any agent: it names none that there is. Null for a call that does, and for tools that start no run. */
export function agentProblem(
  spec: Pick<ToolSpec, 'runs'>,
  args: JsonObject | undefined,
): PolicyReason | null {
  if (typeof spec.runs !== 'object' || startedAgent(spec, args) !== null) return null
  const message = `There is no such agent. The argument agent takes one of: ${spec.runs.join(', ')}.`
  return { code: 'unknown_agent', message }
}

/** Does the decision that lets a call run need its arguments? The fact that does so says them, and of no other call. */
export const readsArguments = ({ settles, runs }: Pick<ToolSpec, 'settles' | 'runs'>): boolean =>
  settles === 'here' || typeof runs === 'object'

/** Does the call count as the start of a run? In a rerun it starts none; it counts there, too, where the agent says how many it may start. */
export const countsAsStart = (
  { subagents }: Pick<AgentDefinition, 'subagents'>,
  { rerun }: { readonly rerun: boolean },
  { runs }: Pick<ToolSpec, 'runs'>,
): boolean => runs !== undefined && (!rerun || subagents !== undefined)
