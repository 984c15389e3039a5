/** Random steps of the differential test: items for `append`, and what a register does besides. */
import type { AppendItem, Register } from '@signalbox/engine'
import {
  about,
  birth,
  claim,
  creation,
  decision,
  event,
  fact,
  fence,
  finalDecision,
  type RunIds,
  startEffect,
  timer,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'

/** Numbers, so that a failing sequence shrinks. What they mean depends on where the run stands. */
export interface Move {
  readonly run: number
  readonly kind: number
  readonly n: number
  readonly wrong: boolean
}

/** Who else is there. */
interface Place {
  readonly register: Register
  readonly runs: readonly RunIds[]
}

type Make = (run: RunIds, move: Move, place: Place) => Promise<AppendItem>

const modes = ['read', 'idempotent', 'once'] as const
const expects = ['started', 'lost', 'pending', 'unknown'] as const
const becomes = ['done', 'unknown', 'cancelled', 'pending'] as const

const cursor = async (register: Register, run: RunIds) =>
  (await register.head(run.runId)) ?? { seq: 0, facts: 0, decided: 0 }

/** Items, by kind. */
export const makers: readonly Make[] = [
  async (run) => creation(run),
  async (run, { n, wrong }) =>
    creation(run, { alias: { key: `alias-${n}-${run.tenantId}`, bodyHash: `${wrong}` } }),
  async (run) => ({ ...about(run), admit: true, facts: [fact('run.admitted', 'admitted')] }),
  async (run, { n }) => ({ ...about(run), facts: [fact('tool.completed', `key-${n}`)] }),
  async (run, { n, wrong }) => {
    const gate = fence(`${run.runId}.${n}`, expects[n % 4] ?? 'started', {
      attempt: wrong ? 2 : 1,
      becomes: becomes[(n + (wrong ? 1 : 0)) % 4] ?? 'done',
    })
    return {
      ...about(run),
      facts: [fact('tool.completed', `result-${n}-${wrong}`, { fence: gate })],
    }
  },
  async (run, { n, wrong }, { register }) => {
    const { decided, facts } = await cursor(register, run)
    const effects = [0, 1, 2].map((k) =>
      n === k
        ? startEffect(run, n * 3 + k)
        : toolEffect(run, n * 3 + k, { mode: modes[k] ?? 'read' }),
    )
    const from = wrong ? decided + 1 : decided
    const fresh = await unusedEffects(register, effects)
    return {
      ...about(run),
      decision: decision(from, facts, { effects: fresh, timers: [timer('t', 0)] }),
    }
  },
  async (run, { n }, { register }) => {
    const { decided, facts } = await cursor(register, run)
    const stateName = n === 0 ? 'cancelling' : 'tools'
    return { ...about(run), decision: decision(decided, facts, { stateName, clearTimers: ['t'] }) }
  },
  async (run, { wrong }, { register }) => {
    const { decided, facts } = await cursor(register, run)
    return { ...about(run), decision: finalDecision(decided, wrong ? facts - 1 : facts) }
  },
  async (run, { n, wrong }) => ({
    ...about(run),
    claims: [n, n + 1].map((k) => claim(`${run.runId}.${k}`, { leaseMs: wrong ? 600_000 : 1 })),
  }),
  async (run, { n, wrong }, { register }) => {
    const { seq, decided } = await cursor(register, run)
    const facts = [fact('model.completed', `together-${n}`)]
    return { ...about(run), facts, decision: decision(decided, wrong ? seq : seq + 1) }
  },
  async (run) => ({ ...about(run), facts: [fact('cancel.requested', 'cancel')] }),
  async (run) => ({ ...about(run), notes: [event('webhook.delivered')] }),
  // A run that another one starts; or itself, or one that is not there.
  async (run, { n, wrong }, { register, runs }) => {
    const parent = { ...run, ...runs[n] }
    const rootId = (await register.head(parent.runId))?.parent?.rootId ?? parent.runId
    const { attempt = 0 } = (await register.effect(`${parent.runId}.${n}`)) ?? {}
    return birth(run, parent, { n, rootId: wrong ? run.runId : rootId, attempt })
  },
  async (run, { n, wrong }) => {
    const gate = fence(`${run.runId}.${n}`, 'started', {
      attempt: wrong ? 2 : 1,
      becomes: 'started',
    })
    return {
      ...about(run),
      facts: [fact('child.started', `started-${n}-${wrong}`, { fence: gate })],
    }
  },
]

async function unusedEffects<E extends { readonly id: string }>(register: Register, effects: E[]) {
  const known = await Promise.all(effects.map((effect) => register.effect(effect.id)))
  return effects.filter((_, n) => known[n] === null)
}

type Operate = (
  run: RunIds,
  move: Move,
  runs: readonly RunIds[],
) => (register: Register) => Promise<unknown>

const own = (runs: readonly RunIds[], found: readonly { readonly runId: string }[]) =>
  found
    .map(({ runId }) => runId)
    .filter((runId) => runs.some((run) => run.runId === runId))
    .toSorted()

/** What a register does besides, by kind: the answer must be the same. */
export const operations: readonly Operate[] = [
  (run, { n }) =>
    (register) =>
      register.renew([{ effectId: `${run.runId}.${n}`, attempt: 1 }], 1),
  (run, { n, wrong }) =>
    (register) => {
      const limit = { turns: n, calls: 2, tokens: 100 * n, cost: wrong ? null : 50 }
      return register.openBudget({ rootId: run.runId, tenantId: run.tenantId, ...limit })
    },
  (run, { n, wrong }, runs) =>
    (register) => {
      const { runId: rootId } = runs[n % 2] ?? run
      const what = { turns: wrong ? 0 : 1, calls: wrong ? 1 : 0, tokens: 40 * n, cost: 20 } as const
      return register.reserve({ rootId, runId: run.runId, effectId: `${run.runId}.${n}`, ...what })
    },
  (run, { n, wrong }, runs) =>
    (register) => {
      const { runId: rootId } = runs[n % 2] ?? run
      const used = { tokens: wrong ? 60 : 10, cost: 5 }
      return register.spend({ rootId, effectId: `${run.runId}.${n}` }, used)
    },
  () => (register) => register.settleBudgets(),
  (run) => (register) => register.children(run.runId),
  (_run, _move, runs) => async (register) => ({
    endedChildren: own(runs, await register.endedChildren(1000)),
    orphans: own(runs, await register.orphans(1000)),
  }),
]
