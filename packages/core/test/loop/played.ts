/** Plays a trajectory through the loop check, as the machine would. */
import { digest } from '../support/facts.ts'
import type { EffectMode } from '../../src/definition.ts'
import type { LoopConfig } from '../../src/verdict/loop/config.ts'
import { setKey } from '../../src/verdict/loop/keys.ts'
import { closeSet, takeResult } from '../../src/verdict/loop/results.ts'
import { emptyLoop } from '../../src/verdict/loop/state.ts'
import { judgeSet } from '../../src/verdict/loop/verdict.ts'
import type { Trajectory } from './trajectories.ts'

/** What the configuration gives to a new agent, where that is not the default of stored definitions. */
export const newAgent = {
  cycles: { longest: 5 },
  news: true,
  repeatable: ['wait', 'sleep', 'delay', 'scroll'],
}

interface Player {
  readonly config: LoopConfig
  readonly effects: Readonly<Record<string, EffectMode>>
  /** What a call gives that gave nothing: it failed, or was denied. */
  readonly failed?: string
}

/** The set that was refused, from 1; null if none was. */
export function stoppedAt(sets: Trajectory, { config, effects, failed }: Player): number | null {
  let state = emptyLoop
  for (const [at, calls] of sets.entries()) {
    const named = calls.map(({ tool, args }) => ({ name: tool, args }))
    const key = setKey(named, (tool) => effects[tool] && { effect: effects[tool] })
    const asked = { set: digest(key), tools: calls.map(({ tool }) => tool) }
    const judged = judgeSet({ config, toolNames: Object.keys(effects) }, state, asked)
    if (judged.verdict?.action === 'stop') return at + 1
    state = judged.state
    for (const { tool, gives } of calls) {
      const result = gives === failed ? '' : digest(gives)
      state = takeResult(state, { digest: result, reads: effects[tool] === 'read' })
    }
    state = closeSet(config, state)
  }
  return null
}
