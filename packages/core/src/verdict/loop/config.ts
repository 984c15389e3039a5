/**
 * Loop detection as an agent configures it. A limit that could never be reached is refused, with the numbers that
 * would do: a hard stop that cannot happen is worse than none, because somebody relies on it.
 */
import { z } from 'zod'

/** What a run remembers at most, so that its cached state stays small. */
export const loopBounds = { windowMax: 40, callsMax: 120, overridesMax: 50 } as const

// A number that is out of bounds is compared with no other.
const abort = { abort: true } as const
const count = z.number().int(abort).min(1, abort)
const calls = count.max(loopBounds.callsMax, abort)

type Refuse = (message: string, ...path: readonly string[]) => void

/** Loop detection of an agent. Counts are of sets of calls, `toolFreq…` of single calls. */
export const LoopConfig = z
  .object({
    enabled: z.boolean().default(true),
    /** The same set asked for this often within the window: the model is told, once. */
    warnThreshold: count.default(3),
    /** The same set asked for this often within the window: it is not executed, and the run ends. */
    hardLimit: count.default(5),
    /** Sets that are remembered. */
    windowSize: count.max(loopBounds.windowMax, abort).default(20),
    toolFreqWarn: calls.default(30),
    toolFreqHardLimit: calls.default(50),
    /** Other numbers for single tools, by name: higher or lower. */
    toolFreqOverrides: z
      .record(z.string(), z.object({ warn: calls, hardLimit: calls }))
      .default({}),
    /** Is a repeated set whose results changed no repetition? False: results do not matter. */
    progress: z.boolean().default(true),
    /** Does something new between two askings for the same set count as progress? False: only results of the set itself do. */
    news: z.boolean().default(false),
    /** Tools whose same call again is no repetition: they wait, scroll, press a key. `tool_frequency` counts them. */
    repeatable: z.array(z.string()).max(loopBounds.overridesMax).default([]),
    /**
     * Sets in turns, A-B-A-B or A-B-C-A-B-C and on to five: counts are of full repeats, A-B is one. `longest`: so many sets in a repeat, as far as
     * `hardLimit` repeats fit into the window. Null: not looked for.
     */
    cycles: z
      .object({
        warn: count.default(3),
        hardLimit: count.default(4),
        longest: count.min(2, abort).max(5, abort).default(2),
      })
      .nullable()
      .prefault({}),
    /** Sets of reading calls, each another than the one before, that all gave the same. Null: not looked for. */
    stagnation: z
      .object({ warn: count.default(5), hardLimit: count.nullable().default(null) })
      .nullable()
      .prefault({}),
  })
  .superRefine((config, context) => {
    const refuse: Refuse = (message, ...path) => {
      context.addIssue({ code: 'custom', path: [...path], message })
    }
    checkOrder(config, refuse)
    checkReach(config, refuse)
    const overrides = Object.keys(config.toolFreqOverrides).length
    if (overrides > loopBounds.overridesMax)
      refuse(
        `takes at most ${loopBounds.overridesMax} tools, not ${overrides}`,
        'toolFreqOverrides',
      )
  })
export type LoopConfig = z.infer<typeof LoopConfig>

interface Checked {
  readonly warnThreshold: number
  readonly hardLimit: number
  readonly windowSize: number
  readonly toolFreqWarn: number
  readonly toolFreqHardLimit: number
  readonly toolFreqOverrides: Readonly<Record<string, { warn: number; hardLimit: number }>>
  readonly cycles: { readonly warn: number; readonly hardLimit: number } | null
  readonly stagnation: { readonly warn: number; readonly hardLimit: number | null } | null
}

/** Nobody is stopped before he was warned. */
function checkOrder(config: Checked, refuse: Refuse): void {
  const order = (warn: number, hard: number, ...path: readonly string[]) => {
    if (hard < warn)
      refuse(`must be at least ${warn}, where the warning is; it is ${hard}`, ...path)
  }
  order(config.warnThreshold, config.hardLimit, 'hardLimit')
  order(config.toolFreqWarn, config.toolFreqHardLimit, 'toolFreqHardLimit')
  for (const [tool, { warn, hardLimit }] of Object.entries(config.toolFreqOverrides))
    order(warn, hardLimit, 'toolFreqOverrides', tool, 'hardLimit')
  const { cycles, stagnation } = config
  if (cycles) order(cycles.warn, cycles.hardLimit, 'cycles', 'hardLimit')
  if (stagnation?.hardLimit) order(stagnation.warn, stagnation.hardLimit, 'stagnation', 'hardLimit')
}

/** The window must be able to hold what the hard limits count. */
function checkReach({ windowSize, hardLimit, cycles }: Checked, refuse: Refuse): void {
  if (windowSize < hardLimit)
    refuse(
      `must be at least ${hardLimit}, the hardLimit; in a window of ${windowSize} no set is ever stopped`,
      'windowSize',
    )
  if (!cycles || cycles.hardLimit * 2 <= windowSize) return
  const most = Math.floor(windowSize / 2)
  const instead = most === 0 ? 'set cycles to null' : `lower this to ${most}, or set cycles to null`
  refuse(
    `${cycles.hardLimit} repeats of two sets need a windowSize of ${cycles.hardLimit * 2}, it is ${windowSize}: raise that, ${instead}`,
    'cycles',
    'hardLimit',
  )
}
