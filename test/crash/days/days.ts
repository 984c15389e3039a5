/** The days there are. One that is a fault of a schedule gets a stack of its own, with the settings of production. */
import { type Fault, playSchedule } from '../schedule.ts'
import { type Backend, type Extras, Stack } from '../stack.ts'
import { lostByLiving } from './check.ts'
import { clockJump } from './clocks.ts'
import { asleep } from './asleep.ts'
import { outage } from './outages.ts'
import { redisDays } from './redis-days.ts'
import { rolling } from './rolling.ts'
import { silence } from './silences.ts'
import { transcripts } from './transcripts.ts'

export interface Outcome {
  readonly violations: readonly string[]
  /** For people. */
  readonly figures: string
}

export interface Day {
  readonly name: string
  play(options: { readonly seed: number; readonly keep: boolean }): Promise<Outcome>
}

/** Faults one after the other on one stack: the days of a week. */
const schedule = (backend: Backend, faults: readonly Fault[], extras: Extras = {}): Day => ({
  name: `${backend}: ${faults.map(({ name }) => name).join(', ')}`,
  async play({ seed, keep }) {
    const stack = await Stack.start(backend, null, { scene: 'production', ...extras })
    let isBad = true
    try {
      const violations: string[] = []
      const figures: string[] = []
      for (const fault of faults) {
        const played = await playSchedule(stack, fault, seed)
        const bad = [...played.violations, ...lostByLiving(played)]
        violations.push(...bad.map((each) => `${fault.name}: ${each}`))
        figures.push(
          `${played.runs} runs, ${played.events} events in ${Math.round(played.ms / 1_000)} s`,
        )
        // What it left behind must not be blamed on the next one.
        if (bad.length > 0) break
      }
      isBad = violations.length > 0
      if (isBad) console.error(`  the last words of its processes: ${stack.log}`)
      return { violations, figures: figures.join('; ') }
    } finally {
      await stack.stop(keep || isBad)
    }
  },
})

export function daysOf({ full, hasRedis }: { full: boolean; hasRedis: boolean }): readonly Day[] {
  const backends: readonly Backend[] = hasRedis ? ['postgres', 'redis'] : ['postgres']
  const other = backends.at(-1) ?? 'postgres'
  return [
    schedule('postgres', [outage(15, 'killed')]),
    schedule(other, [outage(15, 'hanging')]),
    schedule(other, [outage(5, 'killed'), outage(5, 'hanging')]),
    schedule('postgres', [silence('postgres', 'open')], { isProxied: true }),
    schedule(other, [silence('postgres', 'all')], { isProxied: true }),
    ...(hasRedis
      ? [
          schedule('redis', [silence('redis', 'open'), silence('redis', 'all')], {
            isProxied: true,
          }),
        ]
      : []),
    full ? rolling(12, 20) : rolling(2, 3),
    transcripts(other, full ? { runs: 200, faults: 100 } : { runs: 16, faults: 10 }),
    ...(hasRedis ? [schedule('redis', redisDays)] : []),
    schedule(other, [asleep('a call claimed and not begun')]),
    schedule('postgres', [asleep('a call begun')]),
    schedule(other, [clockJump('orchestrator', 1), clockJump('worker', -1)]),
    ...(full
      ? [
          schedule('postgres', [clockJump('orchestrator', -1), clockJump('worker', 1)]),
          schedule('postgres', [outage(60, 'killed')]),
          schedule(other, [outage(60, 'hanging')]),
          schedule('postgres', [asleep('a call about to be judged again')]),
          schedule(other, [asleep('a call that was judged again')]),
        ]
      : []),
  ]
}
