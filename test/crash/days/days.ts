/** The days there are. One that is a fault of a schedule gets a stack of its own, with the settings of production. */
import { sampled, type Share } from '../../../scripts/ci/sampled.ts'
import { type Fault, playSchedule } from '../schedule.ts'
import { type Backend, type Extras, Stack } from '../stack.ts'
import { aloneDays } from './alone.ts'
import { asleep } from './asleep.ts'
import { lostByLiving } from './check.ts'
import { clockJump, jumpingClock } from './clocks.ts'
import { outage } from './outages.ts'
import { clusterDays, redisDays } from './redis-days.ts'
import { rolling } from './rolling.ts'
import { claimsUnanswered, silence } from './silences.ts'
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
        const bad = [...played.violations, ...played.missed, ...lostByLiving(played)]
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

export interface Choice {
  /** All of them, and those that come in two sizes in the larger one. */
  readonly full: boolean
  /** Only days whose name holds this: all of them. */
  readonly only: string | null
  readonly seed: number
  readonly hasRedis: boolean
  readonly hasDisk: boolean
}

export interface Chosen {
  readonly days: readonly Day[]
  /** How many there are in all. */
  readonly all: number
}

/** Without `full`, those that are always played, and of each other group one, which the seed decides. */
export function daysOf(choice: Choice): Chosen {
  const { full, only, seed } = choice
  const always = core(choice)
  const others = groups(choice).flatMap(({ group, days }) =>
    days.map((day): Share & { readonly day: Day } => ({ group, oneIn: days.length, day })),
  )
  const all = [...always, ...others.map(({ day }) => day)]
  const days =
    only !== null
      ? all.filter(({ name }) => name.includes(only))
      : full
        ? all
        : [...always, ...sampled(others, seed).map(({ day }) => day)]
  return { days, all: all.length }
}

const clocks: Extras = { nodeArgs: jumpingClock }

const otherThan = ({ hasRedis }: Choice): Backend => (hasRedis ? 'redis' : 'postgres')

function core(choice: Choice): readonly Day[] {
  const { full } = choice
  const other = otherThan(choice)
  return [
    full ? rolling(13, 20) : rolling(2, 3),
    transcripts(other, full ? { runs: 200, faults: 100 } : { runs: 16, faults: 10 }),
    schedule('postgres', [silence('postgres', 'open')], { isProxied: true }),
    schedule(other, [claimsUnanswered], { isProxied: true }),
    schedule('postgres', [outage(15, 'killed')]),
    schedule(other, [asleep('a call claimed and not begun')]),
  ]
}

interface Group {
  readonly group: string
  readonly days: readonly Day[]
}

function groups(choice: Choice): readonly Group[] {
  const { hasRedis, hasDisk } = choice
  const other = otherThan(choice)
  return [
    {
      group: 'outages',
      days: [
        schedule(other, [outage(15, 'hanging')]),
        schedule(other, [outage(5, 'killed'), outage(5, 'hanging')]),
        schedule(other, [silence('postgres', 'all')], { isProxied: true }),
        schedule('postgres', [outage(60, 'killed')]),
        schedule(other, [outage(60, 'hanging')]),
      ],
    },
    {
      group: 'queues',
      days: hasRedis
        ? [
            ...redisDays.map((fault) => schedule('redis', [fault])),
            ...clusterDays.map((fault) => schedule('redis', [fault], { isClustered: true })),
            schedule('redis', [silence('redis', 'open')], { isProxied: true }),
            schedule('redis', [silence('redis', 'all')], { isProxied: true }),
          ]
        : [],
    },
    {
      group: 'processes',
      days: [
        schedule('postgres', [asleep('a call begun')]),
        schedule('postgres', [asleep('a call about to be judged again')]),
        schedule(other, [asleep('a call that was judged again')]),
        schedule(other, [clockJump('orchestrator', 'ahead'), clockJump('worker', 'back')], clocks),
        schedule(
          'postgres',
          [clockJump('worker', 'ahead'), clockJump('orchestrator', 'back')],
          clocks,
        ),
        ...(hasDisk
          ? aloneDays.map((fault) => schedule('postgres', [fault], { isAlone: true }))
          : []),
      ],
    },
  ]
}
