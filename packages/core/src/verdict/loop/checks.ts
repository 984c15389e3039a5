/** The checks behind the layers: what each of them finds wrong with the set at hand, the newest of the window. */
import type { LoopConfig } from './config.ts'
import type { Frequent } from './frequency.ts'
import type { LoopLayer } from './layer.ts'
import type { LoopState } from './state.ts'
import { blank, type Entry } from './window.ts'

/** What one layer finds. */
export interface Found {
  /** `warn`: the model is told, after the results. `stop`: nothing of the set executes. */
  readonly action: 'warn' | 'stop'
  readonly layer: LoopLayer
  /** Tools of the set at hand; for `tool_frequency` the one tool. */
  readonly tools: readonly string[]
  /** Same sets, calls of the tool, repeats of the pair, or sets with the same results. */
  readonly count: number
  readonly threshold: number
}

interface Thresholds {
  readonly warn: number
  readonly hard: number | null
  /** Was the model told already? */
  readonly told: boolean
}

function measure(count: number, { warn, hard, told }: Thresholds) {
  if (hard !== null && count >= hard) return { action: 'stop', count, threshold: hard } as const
  if (count >= warn && !told) return { action: 'warn', count, threshold: warn } as const
  return null
}

/** The same set, asked for again and again; sets between do not matter. */
export function identicalSets(
  config: LoopConfig,
  entries: readonly Entry[],
  tools: readonly string[],
): Found | null {
  const newest = entries.at(-1) ?? blank
  const count = entries.filter(({ set }) => set === newest.set).length
  const { warnThreshold: warn, hardLimit: hard } = config
  const measured = measure(count, { warn, hard, told: newest.identical })
  return measured && { ...measured, layer: 'identical_call_set', tools }
}

/** The last two sets, in turns up to now. */
export function alternatingSets(
  { cycles }: LoopConfig,
  entries: readonly Entry[],
  tools: readonly string[],
): Found | null {
  const [before, newest] = entries.slice(-2)
  if (!cycles || !before || !newest || before.set === newest.set) return null
  const backwards = entries.toReversed()
  const broken = backwards.findIndex(({ set }, at) => set !== (at % 2 ? before : newest).set)
  const count = Math.floor((broken === -1 ? backwards.length : broken) / 2)
  const told = newest.cycle && before.cycle
  const measured = measure(count, { warn: cycles.warn, hard: cycles.hardLimit, told })
  return measured && { ...measured, layer: 'alternating_cycle', tools }
}

/** One tool, called too often. */
export const frequentTool = ({ tool, ...measured }: Frequent): Found => ({
  ...measured,
  layer: 'tool_frequency',
  tools: [tool],
})

/** Sets that gave nothing new: known from the results of those before this one. */
export function stagnantSets(
  { stagnation }: LoopConfig,
  { stagnant }: LoopState,
  tools: readonly string[],
): Found | null {
  if (!stagnation || !stagnant) return null
  const { warn, hardLimit: hard } = stagnation
  const measured = measure(stagnant.sets, { warn, hard, told: stagnant.warned })
  return measured && { ...measured, layer: 'stagnant_results', tools }
}
