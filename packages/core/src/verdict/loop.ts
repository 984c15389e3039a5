/**
 * Loop: is the model asking for the same set of calls again and again? A fold over events: the window holds the
 * digests of the last sets, whatever became of them. A set one short of the hard limit is armed; asked for again, it is
 * refused before anything of it executes.
 */
import type { AgentDefinition } from '../definition.ts'
import type { Verdict } from '../event/decision.ts'
import type { RunContext } from '../machine/context.ts'

/** What the window keeps of a digest: enough to tell 40 sets apart, short enough for the cached state. */
const keyOf = (set: string): string => set.slice(0, 16)

/** The window with this set as its newest. */
const windowWith = (agent: AgentDefinition, context: RunContext, set: string): readonly string[] =>
  [...context.window, keyOf(set)].slice(-agent.loop.windowSize)

/** How often the set was asked for in the window, this time included. */
const countOf = (agent: AgentDefinition, context: RunContext, set: string): number =>
  windowWith(agent, context, set).filter((seen) => seen === keyOf(set)).length

/** Would this set reach the hard limit? Then none of its calls may run. */
export const isArmed = (agent: AgentDefinition, context: RunContext, set: string): boolean =>
  countOf(agent, context, set) >= agent.loop.hardLimit

/** The window after this set, and the sets in it that were warned about. */
export function countSet(
  agent: AgentDefinition,
  context: RunContext,
  set: string,
): Pick<RunContext, 'window' | 'warned'> {
  const window = windowWith(agent, context, set)
  const warned = shouldWarn(agent, context, set) ? [...context.warned, keyOf(set)] : context.warned
  return { window, warned: warned.filter((each) => window.includes(each)) }
}

function shouldWarn(agent: AgentDefinition, context: RunContext, set: string): boolean {
  return (
    countOf(agent, context, set) >= agent.loop.warnThreshold && !context.warned.includes(keyOf(set))
  )
}

export function loopVerdicts(
  agent: AgentDefinition,
  context: RunContext,
  asked: { readonly set: string; readonly tools: readonly string[] },
): readonly Verdict[] {
  const payload = {
    set: asked.set,
    tools: [...asked.tools],
    count: countOf(agent, context, asked.set),
  }
  if (isArmed(agent, context, asked.set))
    return [{ type: 'loop.stopped', payload, tool: null, verdict: 'stopped' }]
  if (!shouldWarn(agent, context, asked.set)) return []
  return [{ type: 'loop.warned', payload, tool: null, verdict: 'warned' }]
}

/** What the model reads once, after all results, in the request that follows a warning. Never stored history. */
export const loopWarning = (tools: readonly string[], count: number): string =>
  `[LOOP DETECTED] You have made the same calls (${[...new Set(tools)].join(', ')}) ${count} times. ` +
  'Their results will not change. Use what you have, or do something else.'
