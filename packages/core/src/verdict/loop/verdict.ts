/**
 * Loop: is the model going in circles? Judged before anything of a set executes, over every set that was asked for,
 * whatever became of it. A fold: the same sets and results always come to the same verdicts.
 *
 * L1 `stop` refuses the set at hand. It goes before any warning, so that none hides it.
 * L2 One verdict per set: layers in their order. A warning that had to wait comes with a later set.
 * L3 One warning per set while it stays in the window; per tool until its count falls; per row of stagnant sets.
 * L4 The calls of a set that one of the first two layers objects to are not counted by tool.
 * L5 A set with a repeatable tool is like no other set: it repeats nothing.
 */
import { countCalls, type LoopSetting, tellTool } from './frequency.ts'
import {
  alternatingSets,
  type LoopFound,
  frequentTool,
  identicalSets,
  stagnantSets,
} from './checks.ts'
import type { LoopState } from './state.ts'
import { blank, type WindowEntry, readWindow, withSet, writeWindow } from './window.ts'

/** The set of calls that the model asked for at once: digest of its set key (hex, at least eight characters), names of the tools. */
export interface AskedSet {
  readonly set: string
  readonly tools: readonly string[]
}

/** The verdict on a set with which something is wrong. */
export interface LoopVerdict extends LoopFound {
  /** Digest of the set at hand. */
  readonly set: string
}

/** Judges a set before it executes. An empty one is no set. */
export function judgeSet(
  setting: LoopSetting,
  state: LoopState,
  asked: AskedSet,
): { readonly state: LoopState; readonly verdict: LoopVerdict | null } {
  const { config } = setting
  if (!config.enabled || asked.tools.length === 0) return { state, verdict: null }
  const isRepeatable = asked.tools.some((tool) => config.repeatable.includes(tool))
  const set = isRepeatable ? blank.set : asked.set
  const entries = withSet(readWindow(state.window), set, config.windowSize)
  const circles = present([
    isRepeatable ? null : identicalSets(config, entries, asked.tools),
    alternatingSets(config, entries, asked.tools),
  ])
  const counted =
    circles.length > 0
      ? { calls: state.calls, frequent: null }
      : countCalls(setting, state.calls, asked.tools)
  const found = present([
    ...circles,
    counted.frequent && frequentTool(counted.frequent),
    stagnantSets(config, state, asked.tools),
  ])
  const verdict = found.find(({ action }) => action === 'stop') ?? found[0] ?? null
  const judged = { ...state, window: writeWindow(entries), calls: counted.calls, taken: null }
  return {
    state: verdict?.action === 'warn' ? afterTelling(setting, judged, verdict) : judged,
    verdict: verdict && { ...verdict, set: asked.set },
  }
}

const present = <T>(values: readonly (T | null)[]): readonly T[] =>
  values.filter((value) => value !== null)

/** The state once the model is told (L3). */
function afterTelling(
  setting: LoopSetting,
  state: LoopState,
  { layer, tools, sets = 2 }: LoopFound,
): LoopState {
  switch (layer) {
    case 'identical_call_set':
      return { ...state, window: mark(state.window, 1, { identical: true }) }
    case 'alternating_cycle':
      return { ...state, window: mark(state.window, sets, { cycle: true }) }
    case 'tool_frequency':
      return { ...state, calls: tellTool(setting, state.calls, tools[0] ?? '') }
    case 'stagnant_results':
      return { ...state, stagnant: state.stagnant && { ...state.stagnant, warned: true } }
  }
}

/** The window with its newest entries marked. */
function mark(window: string, newest: number, as: Partial<WindowEntry>): string {
  const entries = readWindow(window)
  return writeWindow(
    entries.map((entry, at) => (at >= entries.length - newest ? { ...entry, ...as } : entry)),
  )
}
