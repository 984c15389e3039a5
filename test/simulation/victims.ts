/**
 * A run for which the register fails for ever, in one way: a seed has one, or none. Whatever it does, all the others must come
 * to their end, and nobody goes round because of it.
 */
import type { AppendItem, Register, StoredEvent } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import type { DayKind } from './days.ts'
import { epoch } from './schedule.ts'
import { seeded } from './seeded.ts'

/** Of the calls about it: those that read, that carry something, or that settle budgets for all. */
export const ways = [
  'reads',
  'facts',
  'decisions',
  'claims',
  'effects',
  'timers',
  'admissions',
  'budgets',
  'everything',
] as const
export type Way = (typeof ways)[number]

/** In which way it fails; null on other days. */
export function wayOf(seed: number, kind: DayKind): Way | null {
  if (kind !== 'victim') return null
  return ways[Math.floor(seeded(seed * 83 + 3)() * ways.length)] ?? null
}

/** The last run of the client: nobody waits for it. */
const alias = 'default\u0000key-2'

/** Is a run the victim, or below it? */
export function isVictim({ tables }: MemoryRegister, way: Way | null, runId: string): boolean {
  const victim = tables.aliases.get(alias)?.runId
  if (way === null || way === 'budgets' || victim === undefined) return false
  const parent = tables.runs.get(runId)?.parent
  return runId === victim || parent?.rootId === victim
}

const reads = new Set(['head', 'tail', 'events', 'openEffects', 'children'])

function fails({ tables }: MemoryRegister, way: Way, name: string, args: readonly unknown[]) {
  if (way === 'budgets') return name === 'settleBudgets'
  const victim = tables.aliases.get(alias)?.runId
  const [first] = args
  const isOfEffect =
    name === 'effect' && typeof first === 'string' && tables.effects.get(first)?.runId === victim
  if (victim === undefined) return false
  if (way === 'reads') return reads.has(name) && first === victim
  if (way === 'effects') return isOfEffect
  const item = name === 'append' ? itemOf(first) : null
  const isItem = item?.runId === victim
  if (way === 'everything') return isItem || isOfEffect || first === victim
  return isItem && carries(item, way)
}

function carries({ facts = [], decision, claims = [], admit, create }: AppendItem, way: Way) {
  if (way === 'facts') return facts.length > 0
  if (way === 'decisions') return decision !== undefined
  if (way === 'claims') return claims.length > 0
  if (way === 'timers') return facts.some(({ type }) => type === 'timer.fired')
  return admit === true && !create
}

const isItem = (value: unknown): value is AppendItem =>
  typeof value === 'object' && value !== null && 'runId' in value
/** What is appended, where it is that. */
export const itemOf = (value: unknown): AppendItem | null => (isItem(value) ? value : null)

/** The same register, but for the victim. */
export function withVictim<R extends Register>(
  real: R,
  memory: MemoryRegister,
  way: Way | null,
): R {
  if (way === null) return real
  return new Proxy(real, {
    get(target, name, receiver) {
      const method: unknown = Reflect.get(target, name, receiver)
      if (typeof method !== 'function') return method
      return (...args: unknown[]): unknown =>
        fails(memory, way, String(name), args)
          ? Promise.reject(new Error('the register fails for this run'))
          : Reflect.apply(method, target, args)
    },
  })
}

/** Calls of the register in one second of the schedule, by all processes together, in which nothing is recorded. */
const callsMax = 1_000
/** More are due for each event that is recorded in that second: a large tree of runs does much at once. */
const callsPerEvent = 2

/** Nobody goes round in circles, whatever fails: that calls much and records little. */
export function paceViolations(
  calls: ReadonlyMap<number, number>,
  events: readonly StoredEvent[],
): readonly string[] {
  const recorded = Map.groupBy(events, ({ at }) => Math.floor((at - epoch) / 1_000))
  const most = (second: number): number =>
    callsMax + callsPerEvent * (recorded.get(second)?.length ?? 0)
  return [...calls]
    .filter(([second, n]) => n > most(second))
    .map(([second, n]) => `E3 the register was called ${n} times in second ${second}`)
}

/** Nobody can say that what the register fails for has come to its end. */
const liveness = /^(I12|I6|I7|J2|L3|N3|W1) /

/** Violations but for those that say that a victim is stuck. */
export const butForVictims = (
  found: readonly string[],
  victims: readonly string[],
): readonly string[] =>
  found.filter((each) => !liveness.test(each) || !victims.some((runId) => each.includes(runId)))
