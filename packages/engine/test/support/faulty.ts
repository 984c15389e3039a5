/** A register, and a wake bus, that do what they may do at worst: lose an answer, hold an append up, die with their process. */
import type { AppendItem, AppendResult, Register, WakeBus } from '@signalbox/engine'
import { createMemoryWakeBus, type MemoryRegister } from '@signalbox/testing/memory'

export type Next = (item: AppendItem) => Promise<AppendResult>

/** The register with `append` done by hand. */
export const withAppend = (
  truth: Register,
  append: (item: AppendItem, next: Next) => Promise<AppendResult>,
): Register => ({ ...truth, append: (item) => append(item, (it) => truth.append(it)) })

/** The register of a process that is held up before each append that `holds` names, until `open`. */
export function gated(
  truth: Register,
  holds: (item: AppendItem) => boolean,
): { readonly register: Register; readonly reached: Promise<void>; readonly open: () => void } {
  const { promise: reached, resolve: reach } = Promise.withResolvers<void>()
  const { promise: opened, resolve: open } = Promise.withResolvers<void>()
  const register = withAppend(truth, async (item, next) => {
    if (holds(item)) {
      reach()
      await opened
    }
    return next(item)
  })
  return { register, reached, open }
}

/** Where a process dies: right before an append, or right after it, before the answer. */
export interface Death {
  readonly before?: (item: AppendItem) => boolean
  readonly after?: (item: AppendItem) => boolean
}

/** The register of a process that dies: from then on nothing it asks for arrives. `dead` tells when. */
export function mortal(
  truth: Register,
  death: Death = {},
): { readonly register: Register; readonly dead: Promise<void>; readonly kill: () => void } {
  const { promise: dead, resolve } = Promise.withResolvers<void>()
  let alive = true
  const die = (): never => {
    alive = false
    resolve()
    throw new Error('the process is dead')
  }
  const mine = withAppend(truth, async (item, next) => {
    if (death.before?.(item)) return die()
    const result = await next(item)
    return death.after?.(item) ? die() : result
  })
  const register = new Proxy(mine, {
    get(target, name) {
      const method: unknown = Reflect.get(target, name)
      if (typeof method !== 'function') return method
      return async (...args: unknown[]): Promise<unknown> =>
        alive ? Reflect.apply(method, target, args) : die()
    },
  })
  const kill = (): void => {
    alive = false
  }
  return { register, dead, kill }
}

/** What a dead process held is free at once. */
export async function expire(truth: Register, runId: string): Promise<void> {
  const held = (await truth.openEffects(runId)).filter(({ leaseUntil }) => leaseUntil !== null)
  await truth.renew(held, 0)
}

/** Effects that nobody claimed are looked for at once, not only when they are overdue. */
export function hurry({ tables }: MemoryRegister): void {
  for (const effect of tables.effects.values()) if (effect.status === 'pending') effect.due = 0
}

/** A wake bus that loses everything. */
export const deaf = (): WakeBus => ({ ...createMemoryWakeBus(), publish: () => {} })

/** Does the item carry a fact of the type? */
export const carries = (item: AppendItem, type: string): boolean =>
  item.facts?.some((fact) => fact.type === type) ?? false

/** Does the item create a run that another one starts? */
export const createsChild = (item: AppendItem): boolean => item.create?.parent !== undefined
