/** What the suite says about its schedules. */
import { isDeclared } from './declared.ts'
import type { Played } from './schedule.ts'
import type { Backend } from './stack.ts'

export interface Figures {
  readonly seed: number
  readonly seconds: number
  readonly failpoints: number
  readonly schedules: number
  readonly kills: number
  readonly runs: number
  readonly events: number
  readonly executions: number
  readonly violations: number
  readonly unknown: Readonly<Record<string, number>>
  readonly byBackend: Readonly<Record<string, Readonly<Record<string, number>>>>
}

/** Why a schedule failed; empty if it passed. A point that only chance meets may be missed. */
export function failuresOf(tries: readonly Played[]): readonly string[] {
  const last = tries.at(-1)
  const missed = last?.missed ?? []
  return [
    ...tries.flatMap(({ violations }) => violations),
    ...(last && isDeclared(last.name) ? missed : []),
  ]
}

export function figuresOf(
  schedules: readonly (readonly Played[])[],
  about: Pick<Figures, 'seed' | 'seconds' | 'failpoints'>,
): Figures {
  const all = schedules.flat()
  const of = (backend: Backend) => sumUp(all.filter((played) => played.backend === backend))
  const unknown: Record<string, number> = {}
  for (const { because } of all.flatMap(({ unknowns }) => unknowns))
    unknown[because] = (unknown[because] ?? 0) + 1
  return {
    ...about,
    schedules: schedules.length,
    ...sumUp(all),
    unknown,
    byBackend: { postgres: of('postgres'), redis: of('redis') },
  }
}

function sumUp(all: readonly Played[]) {
  const sum = (value: (played: Played) => number): number =>
    all.reduce((total, played) => total + value(played), 0)
  return {
    plays: all.length,
    kills: sum(({ kills }) => kills),
    runs: sum(({ runs }) => runs),
    events: sum(({ events }) => events),
    executions: sum(({ executions }) => executions),
    unknowns: sum(({ unknowns }) => unknowns.length),
    violations: sum(({ violations }) => violations.length),
    msMean: Math.round(sum(({ ms }) => ms) / Math.max(all.length, 1)),
  }
}

export function printSchedule(tries: readonly Played[], verbose: boolean): void {
  const last = tries.at(-1)
  if (!last) return
  const failures = failuresOf(tries)
  const where = `${last.backend}: ${last.name}`
  if (failures.length > 0) console.log(`FAILED ${where}: ${failures.slice(0, 5).join('; ')}`)
  else if (verbose) {
    const many = tries.length > 1 ? `, try ${tries.length}` : ''
    console.log(`ok ${where} (${Math.round(last.ms)} ms, ${last.kills} kills${many})`)
  }
}

export function printFigures(figures: Figures): void {
  const { schedules, failpoints, kills, violations, runs, events, executions, seconds } = figures
  for (const [because, n] of Object.entries(figures.unknown))
    console.log(`tool.unknown ${n}x: ${because}`)
  for (const [backend, sums] of Object.entries(figures.byBackend))
    console.log(
      `${backend}: ${sums['plays']} schedules, ${sums['kills']} kills, ${sums['msMean']} ms each`,
    )
  console.log(`${runs} runs, ${events} events, ${executions} tool executions, ${seconds} s`)
  console.log(
    `${schedules} schedules, ${failpoints} failpoints, ${kills} kills, ${violations} violations`,
  )
}
