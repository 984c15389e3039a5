/**
 * Which plans start runs, and of whom. A plan has levels: 0 is the run that a client creates, 1 what that one starts, and so
 * on. A chain starts itself until it is refused; a tree starts several at once, on two levels or three; a team several, on one.
 */
import type { AgentDefinition, ToolSpec } from '@signalbox/core'
import { seeded } from './seeded.ts'

/** Far above the plans of clients: the plan of level n is that of level 0 and n of these. */
const level = 500_000_000

/** The plans of a seed follow one another. */
export const plansPerSeed = 10

/** How many plans start runs. */
const starting = 0.1

/** The seed in which a plan is played. */
export const seedOf = (plan: number): number => Math.floor((plan % level) / plansPerSeed)

const levelOf = (seed: number): number => Math.floor(seed / level)

type Family = 'none' | 'chain' | 'tree' | 'team' | 'stubborn' | 'lost'

/** How many trees are teams. */
const teams = 0.4

/** Does the plan start several runs at once that work side by side, and start none themselves? Drawn by itself. */
export const isTeam = (seed: number): boolean => familyOf(seed) === 'team'

/** `stubborn` asks for the same run again and again; `lost` for one of an agent that nobody knows. */
function familyOf(seed: number): Family {
  const unit = seeded((seed % level) * 17 + 3)
  if (unit() >= starting) return 'none'
  const kind = unit()
  if (kind < 0.3) return 'chain'
  if (kind < 0.92) return seeded((seed % level) * 67 + 5)() < teams ? 'team' : 'tree'
  return kind < 0.97 ? 'stubborn' : 'lost'
}

/** The agent whose runs the plan starts; null if it starts none. */
function startedBy(seed: number): string | null {
  const at = levelOf(seed)
  const below = `child-${(seed % level) + (at + 1) * level}`
  switch (familyOf(seed)) {
    case 'none':
      return null
    case 'chain':
      return at === 0 ? below : `child-${seed}`
    case 'tree':
      return at < 3 && seeded(seed * 13 + 5)() < (at === 0 ? 1 : 0.5) ? below : null
    case 'team':
    case 'stubborn':
      return at === 0 ? below : null
    case 'lost':
      return at === 0 ? 'nobody' : null
  }
}

/** Does the plan start runs? */
export const startsRuns = (seed: number): boolean => startedBy(seed) !== null

/** The agent whose runs the plan starts; empty if it starts none. */
export const agentStartedBy = (seed: number): string => startedBy(seed) ?? ''

/** The plan of an agent that runs start; null for a name that says none. */
export function planOf(name: string): number | null {
  const [, seed] = /^child-(\d+)$/.exec(name) ?? []
  return seed === undefined ? null : Number(seed)
}

/** How many runs a turn starts. */
export function startsIn(seed: number, turn: number): number {
  if (startedBy(seed) === null) return 0
  const unit = seeded(seed * 19 + turn)
  switch (familyOf(seed)) {
    case 'stubborn':
      return 1
    case 'team':
      if (levelOf(seed) > 0) return 0
      return turn === 0 ? 2 + Math.floor(unit() * 2) : turn === 1 && unit() < 0.4 ? 2 : 0
    case 'tree':
      if (turn === 0) return 1 + Math.floor(unit() * (levelOf(seed) === 0 ? 4 : 2))
      return turn === 1 && unit() < 0.3 ? 1 : 0
    default:
      return turn === 0 ? 1 : 0
  }
}

/** Limits that trees share: low ones are hit by several runs at once. */
export function sharedLimits(seed: number): Partial<AgentDefinition['limits']> {
  if (startedBy(seed) === null || levelOf(seed) > 0) return {}
  if (isTeam(seed)) return { maxTurns: 60 }
  const unit = seeded(seed * 23 + 11)
  const pick = <T>(...values: readonly T[]): T | undefined =>
    values[Math.floor(unit() * values.length)]
  return {
    maxTurns: pick(4, 16, 30, 30) ?? 16,
    ...(unit() < 0.2 ? { maxToolCalls: 3 + Math.floor(unit() * 6) } : {}),
    ...(unit() < 0.15 ? { maxTokens: pick(40, 60, 100, 6_000) ?? 60 } : {}),
    ...(unit() < 0.1 ? { maxCost: pick(0.000_06, 0.006) ?? null } : {}),
  }
}

/** The tool whose calls are runs; none if the plan starts none. `isNamed`: its calls name the agent. */
export function startTools(seed: number, like: ToolSpec, isNamed: boolean): readonly ToolSpec[] {
  const runs = startedBy(seed)
  return runs === null ? [] : [{ ...like, name: 'start', runs: isNamed ? ['nobody', runs] : runs }]
}
