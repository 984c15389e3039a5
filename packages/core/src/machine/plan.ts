/**
 * What a transition asks for, as data: the machine's only action is `emit`, and nobody ever executes it. `decide`
 * collects the params.
 */
import type { AgentDefinition } from '../definition.ts'
import type { Effect, Timer } from '../effect.ts'
import type { Verdict } from '../event/decision.ts'
import type { ToolCallPart } from '../message.ts'
import type { ToolSpec } from '../definition.ts'
import { effectId, messageId, type RunContext } from './context.ts'

export interface Emission {
  readonly effects?: readonly Effect[]
  readonly verdicts?: readonly Verdict[]
  readonly retries?: readonly string[]
  readonly timers?: readonly Timer[]
  readonly clearTimers?: readonly string[]
}

/** The timer that ends a run which is active for too long. */
export const timeoutTimer = 'timeout'

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
  readonly call: Pick<ToolCallPart, 'id' | 'argsHash'>
  readonly spec: ToolSpec
  /** The human's answer that allowed it. */
  readonly approval?: { readonly approval: number; readonly edited?: true }
}

/** The effect numbered `n` for a call that may run. */
export const toolCall = (
  context: RunContext,
  n: number,
  { call, spec, approval }: Cleared,
): Effect => ({
  kind: 'tool.call',
  id: effectId(context.run, n),
  mode: spec.effect,
  queue: spec.queue,
  delayMs: 0,
  source: effectId(context.run, context.source),
  callId: call.id,
  tool: spec.name,
  toolVersion: spec.version,
  argsHash: call.argsHash,
  timeoutMs: spec.timeoutMs,
  ...approval,
})

/** A run waits for a human when nothing of it can move without one; its time does not count then. */
export function isWaiting(state: string, context: RunContext): boolean {
  const open = Object.values(context.open)
  const moving = open.some((call) => call.status === 'running')
  if (state === 'approval' || state === 'input') return !moving
  return state === 'tools' && open.length > 0 && !moving
}

/** The clock of a run, advanced to `at`: waiting stops it, and its timeout timer with it. */
export function keepTime(
  agent: AgentDefinition,
  before: RunContext,
  now: { readonly waiting: boolean; readonly final: boolean; readonly at: number },
): { readonly time: Pick<RunContext, 'activeMs' | 'since'>; readonly emission: Emission } {
  const running = before.since !== null
  const shouldRun = !now.waiting && !now.final
  const { activeMs, since } = before
  if (running === shouldRun) return { time: { activeMs, since }, emission: {} }
  if (shouldRun) {
    return {
      time: { activeMs, since: now.at },
      emission: { timers: [timeoutIn(agent, before, now.at)] },
    }
  }
  return {
    time: { activeMs: activeAt(before, now.at), since: null },
    emission: { clearTimers: [timeoutTimer] },
  }
}

/** How long the run has been active at `at`. A clock that went backwards adds nothing. */
export const activeAt = ({ activeMs, since }: RunContext, at: number): number =>
  activeMs + (since === null ? 0 : Math.max(0, at - since))

/** The timeout timer, set to what is left of the run's time. */
export const timeoutIn = (agent: AgentDefinition, context: RunContext, at: number): Timer => ({
  id: timeoutTimer,
  afterMs: Math.max(0, agent.limits.timeoutMs - activeAt(context, at)),
})
