/** The checks behind the layers: what each of them finds wrong with the set at hand, the newest of the window. */
import type { LoopConfig } from './config.ts'
import type { Frequent } from './frequency.ts'
import type { LoopLayer } from '../../loop-layer.ts'
import type { LoopState } from './state.ts'
import { blank, type WindowEntry } from './window.ts'

/** The finding of one layer. */
export interface LoopFound {
  /** `warn`: the model is told, after the results. `stop`: nothing of the set executes. */
  readonly action: 'warn' | 'stop'
  readonly layer: LoopLayer
  /** Tools of the set at hand; for `tool_frequency` the one tool. */
  readonly tools: readonly string[]
  /** Same sets, calls of the tool, repeats of the pair, or sets with the same results. */
  readonly count: number
  readonly threshold: number
  /** `alternating_cycle`: sets in one repeat. */
  readonly sets?: number
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

/** The same set, asked for again and again; sets between do not matter, unless they brought something new. */
export function identicalSets(
  config: LoopConfig,
  entries: readonly WindowEntry[],
  tools: readonly string[],
): LoopFound | null {
  const newest = entries.at(-1) ?? blank
  const count = askings(entries, newest.set)
  const { warnThreshold: warn, hardLimit: hard } = config
  const measured = measure(count, { warn, hard, told: newest.identical })
  return measured && { ...measured, layer: 'identical_call_set', tools }
}

/**
 * How often the set was asked for: since the last set that gave something new, which counts too if it is the same. Askings
 * between which something was written count half.
 */
function askings(entries: readonly WindowEntry[], set: string): number {
  let [halves, worked] = [0, false]
  for (const entry of entries.toReversed()) {
    if (entry.set === set) {
      halves += worked ? 1 : 2
      worked = false
    }
    if (entry.news === 'results') break
    worked ||= entry.news === 'work' && entry.set !== set
  }
  return Math.floor(halves / 2)
}

/** The last sets, in turns up to now: two of them, or as many as the agent looks for. */
export function alternatingSets(
  { cycles, windowSize }: LoopConfig,
  entries: readonly WindowEntry[],
  tools: readonly string[],
): LoopFound | null {
  if (!cycles) return null
  const { warn, hardLimit: hard, longest } = cycles
  const found: LoopFound[] = []
  for (let sets = 2; sets <= longest && sets * hard <= windowSize; sets += 1) {
    const repeated = entries.slice(-sets)
    // The same set again and again is not in turns.
    if (repeated.length < sets || new Set(repeated.map(({ set }) => set)).size === 1) continue
    const told = repeated.every(({ cycle }) => cycle)
    const measured = measure(repeats(entries, sets), { warn, hard, told })
    if (measured) found.push({ ...measured, layer: 'alternating_cycle', tools, sets })
  }
  return found.find(({ action }) => action === 'stop') ?? found[0] ?? null
}

/** Full repeats of the newest `sets` entries, these included: only the first repeat may have brought something new. */
function repeats(entries: readonly WindowEntry[], sets: number): number {
  const backwards = entries.toReversed()
  const broken = backwards.findIndex(({ set }, at) => set !== backwards[at % sets]?.set)
  const news = backwards.findIndex((entry) => entry.news !== 'none')
  const same = Math.floor((broken === -1 ? backwards.length : broken) / sets)
  return news === -1 ? same : Math.min(same, Math.floor(news / sets) + 1)
}

/** One tool, called too often. */
export const frequentTool = ({ tool, ...measured }: Frequent): LoopFound => ({
  ...measured,
  layer: 'tool_frequency',
  tools: [tool],
})

/** Sets that gave nothing new: known from the results of those before this one. */
export function stagnantSets(
  { stagnation }: LoopConfig,
  { stagnant }: LoopState,
  tools: readonly string[],
): LoopFound | null {
  if (!stagnation || !stagnant) return null
  const { warn, hardLimit: hard } = stagnation
  const measured = measure(stagnant.sets, { warn, hard, told: stagnant.warned })
  return measured && { ...measured, layer: 'stagnant_results', tools }
}
