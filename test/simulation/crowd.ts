/**
 * Crowds: seeds in which two clients at once create runs on few threads, with every strategy, delays, priorities, limits that
 * they share, and webhooks. In some nobody answers what waits for a human for long: then a run is in the way of others that
 * come due when no fault is left to blame.
 */
import type { Lane, Multitask } from '@signalbox/engine'
import { seeded } from './seeded.ts'

/** How many seeds are one. */
const crowded = 0.08
/** How many of them nobody attends to. */
const unattended = 0.2

/** A run that a client wants. */
export interface Wish {
  /** Of the request, and what its message says. */
  readonly key: string
  readonly threadId: string
  readonly multitask: Multitask
  readonly delayMs: number
  readonly priority: number
  readonly lanes: readonly Lane[]
  readonly webhook: boolean
  /** Cancelled a while after it was created. */
  readonly cancelled: boolean
  /** Waited before the next. Milliseconds. */
  readonly pauseMs: number
  /** Which plan it plays, of those of the seed. */
  readonly plan: number
}

export interface Crowd {
  /** Of each client. */
  readonly wishes: readonly (readonly Wish[])[]
  readonly unattended: boolean
}

/** Where webhooks go. It stands in no event. */
export const address = 'https://hooks.test/run?token=a-secret-of-the-address'

type Unit = () => number

/** The crowd of a seed; null if it has none. */
export function crowdOf(seed: number): Crowd | null {
  const unit = seeded(seed * 41 + 29)
  if (unit() >= crowded) return null
  const left = unit() < unattended
  const scene = { lanes: lanesOf(unit), threads: 1 + Math.floor(unit() * 3) }
  const race = strategyOf(unit)
  const wishes = [0, 1].map((client) => {
    const own = Array.from({ length: 2 + Math.floor(unit() * 2) }, (_, n) =>
      wishOf(unit, scene, { client, n }),
    )
    // Both begin with the same, on the same thread.
    return own.map((wish, n): Wish => (n === 0 ? { ...wish, ...first, multitask: race } : wish))
  })
  const [, [, ...rest] = []] = wishes
  const last = rest.at(-1)
  // The last of them comes due after the faults, to whoever still waits.
  const late = left && last ? [{ ...last, ...lateOf(unit) }] : []
  return {
    wishes: wishes.map((own, n) =>
      n === 1 && late.length > 0 ? [...own.slice(0, -1), ...late] : own,
    ),
    unattended: left,
  }
}

const first = { threadId: 't0', delayMs: 0 } as const

const lateOf = (unit: Unit) => ({
  threadId: 't0',
  multitask: unit() < 0.5 ? ('interrupt' as const) : ('rollback' as const),
  delayMs: 4_500 + Math.floor(unit() * 1_500),
  cancelled: false,
})

const strategies: readonly Multitask[] = ['enqueue', 'reject', 'interrupt', 'rollback']

const strategyOf = (unit: Unit): Multitask => strategies[Math.floor(unit() * 4)] ?? 'enqueue'

function lanesOf(unit: Unit): readonly Lane[] {
  const most = unit() < 0.6 ? [{ key: 'user', most: 1 + Math.floor(unit() * 2) }] : []
  return unit() < 0.3 ? [...most, { key: 'agent', rate: 1, perMs: 600 }] : most
}

function wishOf(
  unit: Unit,
  scene: { readonly lanes: readonly Lane[]; readonly threads: number },
  { client, n }: { readonly client: number; readonly n: number },
): Wish {
  return {
    key: `crowd-${client}-${n}`,
    threadId: `t${Math.floor(unit() * scene.threads)}`,
    multitask: strategyOf(unit),
    delayMs: unit() < 0.2 ? Math.floor(unit() * 1_200) : 0,
    priority: Math.floor(unit() * 3) - 1,
    lanes: unit() < 0.9 ? scene.lanes : [],
    webhook: unit() < 0.4,
    cancelled: unit() < 0.12,
    pauseMs: unit() * 500,
    plan: client * 4 + n,
  }
}
