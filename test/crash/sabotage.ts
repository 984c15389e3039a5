/**
 * Safety lines, broken on purpose: `--sabotage <name>` must turn the suite red. What it cannot find, it does not guard.
 */
import type { Effect } from '@signalbox/core'
import type { AppendItem, AppendResult, Register } from '@signalbox/engine'
import type { Ports } from './failpoints.ts'

export const sabotages = {
  /** Results are accepted whatever became of their effect, under a key of their own (I7). */
  fence: onAppend((item) => ({ ...item, facts: item.facts?.map(unfenced) ?? [] })),
  /** A refused claim of a lost call reads like a granted one (I8, I10). */
  claim: onAppend(
    (item) => item,
    (result) => ({
      ...result,
      claims: result.claims.map((claim) => ({ ...claim, code: 'ok' as const })),
    }),
  ),
  /** Decisions that end a run are dropped, and reported as made (I2, I12). */
  lost: (ports: Ports): Ports => ({
    ...ports,
    register: overAppend(ports.register, async (item) => {
      const { decision, ...rest } = item
      const result = await ports.register.append(decision?.status === 'ended' ? rest : item)
      return decision?.status === 'ended' ? { ...result, decisionCode: 'ok' } : result
    }),
  }),
  /** A `once` call counts as one that may be repeated: only a kill tells the difference (I8). */
  rerun: onAppend(({ decision, ...item }) => ({
    ...item,
    ...(decision ? { decision: { ...decision, effects: decision.effects.map(repeatable) } } : {}),
  })),
  /** Nobody looks for runs with undecided facts: only a kill tells the difference (I12). */
  blind: (ports: Ports): Ports => ({
    ...ports,
    register: over(ports.register, { readyRuns: () => Promise.resolve([]) }),
  }),
  /** Nobody looks for runs whose parents have not heard of their ends: only a kill tells the difference (I12). */
  deaf: (ports: Ports): Ports => ({
    ...ports,
    register: over(ports.register, { endedChildren: () => Promise.resolve([]) }),
  }),
  /** Nobody looks for runs whose parents have left: only a kill tells the difference (I12). */
  orphaned: (ports: Ports): Ports => ({
    ...ports,
    register: over(ports.register, { orphans: () => Promise.resolve([]) }),
  }),
  /** The first run that does the work of a call is forgotten: only a kill tells the difference (I8). */
  twins: (ports: Ports): Ports => ({
    ...ports,
    register: over(overAppend(ports.register, unnamed(ports.register)), {
      children: () => Promise.resolve([]),
    }),
  }),
  /** The budget of a tree refuses nothing (G1). */
  lavish: (ports: Ports): Ports => ({
    ...ports,
    register: over(ports.register, {
      reserve: async (asked) => {
        await ports.register.reserve(asked)
        return { code: 'ok' }
      },
    }),
  }),
  /** Budgets outlive their trees (I12). */
  hoarded: (ports: Ports): Ports => ({
    ...ports,
    register: over(ports.register, { settleBudgets: () => Promise.resolve([]) }),
  }),
  /** What a policy denies right before an execution runs all the same (I10). */
  recheck: (ports: Ports): Ports => {
    const { policies } = ports
    return policies
      ? { ...ports, policies: over(policies, { recheck: () => Promise.resolve(null) }) }
      : ports
  },
  /** Every tool call is made twice (I8). */
  twice: (ports: Ports): Ports => {
    const { tools } = ports
    if (!tools) return ports
    const call: typeof tools.call = async (request, signal) => {
      await tools.call(request, signal)
      return tools.call(request, signal)
    }
    return { ...ports, tools: over(tools, { call }) }
  },
}

export type Sabotage = keyof typeof sabotages

export const isSabotage = (name: string): name is Sabotage => Object.hasOwn(sabotages, name)

function unfenced(fact: NonNullable<AppendItem['facts']>[number]) {
  return fact.fence === null ? fact : { ...fact, fence: null, key: `${fact.key}.${fact.salt}` }
}

/** Creates by runs are known by a name of their own each. */
const unnamed =
  (register: Register): Register['append'] =>
  (item) => {
    const { create, ...rest } = item
    return register.append(create?.parent ? { ...rest, create: { ...create, alias: null } } : item)
  }

const repeatable = (effect: Effect): Effect =>
  effect.mode === 'once' ? { ...effect, mode: 'idempotent' } : effect

function onAppend(
  change: (item: AppendItem) => AppendItem,
  answer: (result: AppendResult) => AppendResult = (result) => result,
) {
  return (ports: Ports): Ports => ({
    ...ports,
    register: overAppend(ports.register, async (item) =>
      answer(await ports.register.append(change(item))),
    ),
  })
}

const overAppend = (register: Register, append: Register['append']): Register =>
  over(register, { append })

/** The port with other methods in place of some of its own. */
const over = <P extends object>(port: P, methods: Partial<P>): P =>
  new Proxy(port, {
    get(target, key) {
      const other: unknown = Reflect.get(methods, key)
      if (other !== undefined) return other
      const member: unknown = Reflect.get(target, key, target)
      return typeof member === 'function' ? member.bind(target) : member
    },
  })
