/** The requests of a transition, as data: a step gives them to `ask` of its event, and `decide` collects them. */
import type { AgentDefinition, ToolSpec } from '../definition.ts'
import type { Effect, RunStartEffect, Timer } from '../effect.ts'
import type { Verdict } from '../event/decision.ts'
import type { ToolCallPart } from '../message.ts'
import { leftOf } from '../verdict/budget/inherit.ts'
import { skillsAt } from '../verdict/skill/verdict.ts'
import { startedAgent } from '../verdict/children/verdict.ts'
import { activeAt } from './clock.ts'
import { effectId, isShared, messageId, type RunContext } from './context.ts'

export interface Emission {
  readonly effects?: readonly Effect[]
  readonly verdicts?: readonly Verdict[]
  readonly retries?: readonly string[]
  readonly timers?: readonly Timer[]
  readonly clearTimers?: readonly string[]
}

/** The model call of the turn that `context` has just begun or is retrying. */
export const modelCall = (context: RunContext, delayMs: number): Effect => ({
  kind: 'model.call',
  id: effectId(context.run, context.effects),
  mode: 'idempotent',
  queue: 'model',
  delayMs,
  turn: context.turn,
  retry: context.retry,
  tries: context.tries,
  model: context.model,
  correction: context.corrections,
  messageId: messageId(context.run, context.turn),
  ...sharedMark(context),
})

/** The summary of what is before a place, for the turn that waits for it. */
export const compactCall = (
  context: RunContext,
  {
    through,
    maxTokens,
    turn,
    overflow,
  }: {
    readonly through?: { readonly runId: string; readonly seq: number }
    readonly maxTokens: number
    readonly turn: number
    readonly overflow?: true
  },
): Effect => ({
  kind: 'context.compact',
  id: effectId(context.run, context.effects),
  mode: 'idempotent',
  queue: 'context',
  delayMs: 0,
  turn,
  ...(through ? { through } : {}),
  model: context.model,
  ...(overflow ? { overflow } : {}),
  maxTokens,
  ...sharedMark(context),
})

/** The question to the policies with I/O about the calls of the turn. */
export const policyCall = (context: RunContext, callIds: readonly string[]): Effect => ({
  kind: 'policy.evaluate',
  id: effectId(context.run, context.effects),
  mode: 'read',
  queue: 'policy',
  delayMs: 0,
  source: effectId(context.run, context.source),
  callIds: [...callIds],
})

/** A call that may run: what judged it says so. */
export interface Cleared {
  /** The arguments are needed of calls that name the agent of the run they start. */
  readonly call: Pick<ToolCallPart, 'id' | 'argsHash'> & Partial<Pick<ToolCallPart, 'args'>>
  readonly spec: ToolSpec
  /** The human's answer that allowed it. */
  readonly approval?: { readonly approval: number; readonly edited?: true }
}

/** Where and when a call begins. `context` is as it was before the calls of the turn began, but for what they count. */
export interface CallPlace {
  readonly agent: AgentDefinition
  readonly context: RunContext
  /** The fact that lets it begin. */
  readonly fact: { readonly at: number; readonly seq: number }
  /** Calls of the turn that wait for a human: counted already, and counted again by the tree's budget if they run. */
  readonly asked: number
}

/** The effect numbered `n` for a call that may run: on a worker, or by a run of its own. In a rerun, its result is looked up. */
export function callEffect(
  { agent, context, fact, asked }: CallPlace,
  n: number,
  { call, spec, approval }: Cleared,
): Effect {
  const common = {
    id: effectId(context.run, n),
    delayMs: 0,
    source: effectId(context.run, context.source),
    callId: call.id,
    tool: spec.name,
    argsHash: call.argsHash,
    ...approval,
    ...sharedMark(context),
  }
  if (context.rerun) return { kind: 'tool.recall', ...common, mode: 'read', queue: 'recall' }
  const started = startedAgent(spec, call.args)
  if (started === null) {
    const { effect: mode, queue, version: toolVersion, timeoutMs } = spec
    const loaded = skillsAt(agent, context.skills).map(({ name }) => name)
    const skills = loaded.length > 0 ? { skills: loaded } : {}
    return { kind: 'tool.call', ...common, mode, queue, toolVersion, timeoutMs, ...skills }
  }
  const left = leftOf(agent, context, activeAt(context, fact.at))
  return {
    kind: 'run.start',
    ...common,
    mode: 'idempotent',
    queue: 'run',
    agent: started,
    depth: context.depth + 1,
    ...sharedWith(agent, fact),
    left: isShared(context) ? left : { ...left, maxToolCalls: left.maxToolCalls + asked },
  }
}

/** What an agent that says which runs it may start shares with them: its files, as they are when the call is cleared, and the wait for humans. */
function sharedWith(
  { subagents }: AgentDefinition,
  { seq }: CallPlace['fact'],
): Pick<RunStartEffect, 'filesThrough' | 'waitsBelow'> {
  if (!subagents) return {}
  return { waitsBelow: true, ...(subagents.files === 'none' ? {} : { filesThrough: seq }) }
}

const sharedMark = (context: RunContext): { readonly shared?: true } =>
  isShared(context) ? { shared: true } : {}
