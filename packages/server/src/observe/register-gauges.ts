/**
 * Gauges of what is open in the register, over all tenants: the same in every process that has them.
 *
 * G1 A scrape waits for the register for a second at most, and shows what is known then.
 * G2 The register is asked once at a time, every five seconds at most, and for a twentieth of the time at most: what a large backlog
 *    costs, it costs seldom.
 * G3 What is older than a minute is absent rather than wrong. `register_tally_age_seconds` says how old the figures are.
 */
import type { Tally } from '@signalbox/postgres'
import { Gauge, type Registry } from 'prom-client'
import { within } from '../health/check.ts'
import { LabelValues } from './label-values.ts'

export interface RegisterGaugesOptions {
  readonly read: () => Promise<Tally>
  /** Models that may be asked, as `provider/model`. */
  readonly models: Iterable<string>
  /** Milliseconds of a clock that only goes forward. For tests. */
  readonly now?: () => number
}

const freshMs = 5_000
const restPerCost = 20
const waitMsMax = 1_000
const staleMs = 60_000

type Labels = Readonly<Record<string, string>>
type Series = readonly (readonly [Labels, number])[]

/** A gauge, and what it shows of a tally. `models` has a series for each of the models even where all is well. */
interface Shown {
  readonly name: string
  readonly help: string
  readonly labelNames: readonly string[]
  readonly series: (tally: Tally, models: LabelValues) => Series
}

const seconds = (ms: number | null): number => (ms ?? 0) / 1000

const single = (name: string, help: string, value: (tally: Tally) => number): Shown => ({
  name,
  help,
  labelNames: [],
  series: (tally) => [[{}, value(tally)]],
})

const gauges: readonly Shown[] = [
  {
    name: 'runs_open',
    help: 'Runs that have not ended.',
    labelNames: ['status', 'state'],
    series: ({ runs }) => runs.map(({ status, state, count }) => [{ status, state }, count]),
  },
  {
    name: 'effects_waiting',
    help: 'Calls that may be performed now, and that nobody performs yet.',
    labelNames: ['queue'],
    series: ({ queues }) => queues.map(({ queue, count }) => [{ queue }, count]),
  },
  {
    name: 'effects_oldest_waiting_seconds',
    help: 'For how long the oldest of them has waited.',
    labelNames: ['queue'],
    series: ({ queues }) => queues.map(({ queue, oldestMs }) => [{ queue }, seconds(oldestMs)]),
  },
  single(
    'effects_unknown',
    'Calls of open runs whose outcome is unknown.',
    (tally) => tally.unknown,
  ),
  single('approvals_waiting', 'Calls that wait for a human.', (tally) => tally.approvals.count),
  single(
    'approvals_oldest_waiting_seconds',
    'For how long the oldest of them has waited.',
    (tally) => seconds(tally.approvals.oldestMs),
  ),
  single(
    'inputs_waiting',
    'Questions of models that wait for a person.',
    (tally) => tally.inputs.count,
  ),
  single('inputs_oldest_waiting_seconds', 'For how long the oldest of them has waited.', (tally) =>
    seconds(tally.inputs.oldestMs),
  ),
  single(
    'feed_delay_seconds',
    'Age of the oldest event that the feed does not show yet.',
    (tally) => seconds(tally.feedDelayMs),
  ),
  {
    name: 'pauses',
    help: 'Pauses that stand, by what starts nothing new.',
    labelNames: ['target'],
    series: ({ pauses }) =>
      ['agent', 'tool', 'queue'].map((target) => [
        { target },
        pauses.find((each) => each.target === target)?.count ?? 0,
      ]),
  },
  {
    name: 'breaker_open',
    help: '1 if the model is not called for now, because it failed too often.',
    labelNames: ['model'],
    series({ openBreakers }, models) {
      const open = new Set(openBreakers.map((model) => models.of(model)))
      return [...new Set([...models, ...open])].map((model) => [{ model }, open.has(model) ? 1 : 0])
    },
  },
]

/** Adds the gauges to a registry. */
export function addRegisterGauges(registry: Registry, options: RegisterGaugesOptions): void {
  const latest = new LatestTally(options.read, options.now ?? (() => performance.now()))
  const models = new LabelValues()
  models.know(options.models)
  const age: Gauge = new Gauge({
    name: 'signalbox_register_tally_age_seconds',
    help: 'Age of the figures in the gauges of the register.',
    registers: [registry],
    async collect() {
      await latest.take()
      age.set(seconds(latest.ageMs))
    },
  })
  for (const { name, help, labelNames, series } of gauges) {
    const gauge: Gauge = new Gauge({
      name: `signalbox_${name}`,
      help,
      labelNames: [...labelNames],
      registers: [registry],
      async collect() {
        const tally = await latest.take()
        gauge.reset()
        // Without labels there is a 0 after a reset, which nobody counted.
        if (labelNames.length === 0) gauge.remove()
        if (tally === null) return
        for (const [labels, value] of series(tally, models)) gauge.set(labels, value)
      },
    })
  }
}

/** The newest tally of a register. */
class LatestTally {
  readonly #read: () => Promise<Tally>
  readonly #now: () => number
  #asking: Promise<void> | null = null
  #askAgainAt: number
  #tally: Tally | null = null
  #at: number

  constructor(read: () => Promise<Tally>, now: () => number) {
    this.#read = read
    this.#now = now
    this.#askAgainAt = now()
    this.#at = now()
  }

  /** Null if there is none that is new enough. Never rejects. */
  async take(): Promise<Tally | null> {
    if (this.#asking === null && this.#now() >= this.#askAgainAt) this.#asking = this.#ask()
    if (this.#asking)
      await within(this.#asking, waitMsMax).catch(() => {
        // What is known stands for a while.
      })
    return this.ageMs <= staleMs ? this.#tally : null
  }

  /** Milliseconds since the tally was made; without one since this began. */
  get ageMs(): number {
    return this.#now() - this.#at
  }

  async #ask(): Promise<void> {
    const began = this.#now()
    try {
      this.#tally = await this.#read()
      this.#at = began
    } catch {
      // The age says so, and the health of the process says why.
    } finally {
      const cost = this.#now() - began
      this.#askAgainAt = began + Math.max(freshMs, restPerCost * cost)
      this.#asking = null
    }
  }
}
