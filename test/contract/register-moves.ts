/** Random steps of the differential test: items for `append`, and what a register does besides. */
import { conversationTypes, limits } from '@signalbox/core'
import type { AppendItem, DecisionDraft, Register } from '@signalbox/engine'
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
  settling,
  toolEffect,
  webhookEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { lifting, pausing } from '../../packages/postgres/test/support/pauses.ts'

/** Numbers, so that a failing sequence shrinks. What they mean depends on where the run stands. */
export interface Move {
  readonly run: number
  readonly kind: number
  readonly n: number
  readonly wrong: boolean
  /** Which rule its item breaks, if any. */
  readonly broken?: number
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

const message = { id: 'u', role: 'user', parts: [] }

const cursor = async (register: Register, run: RunIds) =>
  (await register.head(run.runId)) ?? { seq: 0, facts: 0, decided: 0 }

/** Calls that change files, but for one. */
const changing = ({ runId }: RunIds, n: number) =>
  n === 3 ? {} : { payload: { files: [{ path: `${n}`, key: runId, bytes: n }] } }

const long = 'x'.repeat(limits.idCharsMax + 1)

/** What may be wrong with an item, part by part; nothing if it has no such part. */
export const breakers: readonly ((item: AppendItem) => AppendItem)[] = [
  (item) => ({ ...item, ...(item.facts && { facts: broken(item.facts, { actor: long }) }) }),
  (item) => ({ ...item, ...(item.notes && { notes: broken(item.notes, { verdict: long }) }) }),
  (item) => ({ ...item, ...(item.claims && { claims: broken(item.claims, { owner: 'a b' }) }) }),
  (item) => ({ ...item, ...(item.settle && { settle: { ...item.settle, attempt: -1 } }) }),
  (item) => ({ ...item, ...(item.create && { create: { ...item.create, agent: '' } }) }),
  (item) => withDecision(item, { state: { s: 'x'.repeat(limits.stateBytesMax) } }),
  (item) => withDecision(item, { stateName: 'tools', status: 'ended' }),
  (item) => withDecision(item, { timers: [timer('t', -1)] }),
  (item) => withDecision(item, { events: [event('run.transitioned', { tool: long })] }),
  (item) =>
    withDecision(item, {
      effects: item.decision?.effects.map((each) => ({ ...each, queue: '' })) ?? [],
    }),
]

const withDecision = (item: AppendItem, over: Partial<DecisionDraft>): AppendItem =>
  item.decision ? { ...item, decision: { ...item.decision, ...over } } : item

/** The last of a list is another. */
const broken = <T>(list: readonly T[], over: Partial<T>): readonly T[] =>
  list.map((each, n) => (n === list.length - 1 ? { ...each, ...over } : each))

/** Items, by kind. */
export const makers: readonly Make[] = [
  async (run) => creation(run),
  async (run, { n, wrong }) =>
    creation(
      run,
      { alias: { key: `alias-${n}-${run.tenantId}`, bodyHash: `${wrong}` } },
      // Runs are given files, but for some.
      { input: [], ...changing(run, n).payload },
    ),
  async (run) => ({ ...about(run), admit: true, facts: [fact('run.admitted', 'admitted')] }),
  async (run, { n }) => ({
    ...about(run),
    facts: [fact('tool.completed', `key-${n}`, changing(run, n))],
  }),
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
    const effects = await unusedEffects(register, [webhookEffect(run, 10 + n)])
    const more = { stateName, clearTimers: ['t'], effects } as const
    return { ...about(run), decision: decision(decided, facts, more) }
  },
  async (run, { n, wrong }, { register }) => {
    const { decided, facts } = await cursor(register, run)
    const effects = await unusedEffects(register, [webhookEffect(run, 10 + n)])
    const through = wrong ? facts - 1 : facts
    return { ...about(run), decision: finalDecision(decided, through, { effects }) }
  },
  async (run, { n, wrong }) => ({
    ...about(run),
    claims: [n, n + 1, 10 + n].map((k) =>
      claim(`${run.runId}.${k}`, { leaseMs: wrong ? 600_000 : 1 }),
    ),
  }),
  async (run, { n, wrong }, { register }) => {
    const { seq, decided } = await cursor(register, run)
    const facts = [fact('model.completed', `together-${n}`)]
    return { ...about(run), facts, decision: decision(decided, wrong ? seq : seq + 1) }
  },
  async (run) => ({ ...about(run), facts: [fact('cancel.requested', 'cancel')] }),
  async (run, { n, wrong }) => {
    const notes = [event('webhook.delivered')]
    if (n === 0 && wrong) return { ...about(run), notes }
    const next = n % 2 === 1 && !wrong ? 'done' : 'pending'
    const more = { attempt: n === 3 ? 2 : 1, becomes: next, delayMs: n === 2 ? 60_000 : 0 } as const
    const settle = settling(`${run.runId}.${10 + n}`, {
      ...more,
      expect: wrong ? 'done' : 'started',
    })
    return { ...about(run), notes, settle }
  },
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
  // One that does not just wait: it is refused, put off, or ends what is there.
  async (run, { n, wrong }) =>
    creation(run, {
      multitask: multitasks[n % 4] ?? 'enqueue',
      ...(wrong ? { delayMs: 600_000 } : {}),
    }),
  // One that goes on from another run, or from one that has said nothing to it.
  async (run, { n, wrong }, { register, runs }) => {
    const { runId = run.runId } = runs[n] ?? {}
    const { seq } = await cursor(register, { ...run, runId })
    return creation(run, { base: { runId, seq: wrong ? seq + 1 : Math.max(1, seq) } })
  },
  // One that shares a limit with others, and wants to start.
  async (run, { n, wrong }) => {
    const item = creation(run, {
      priority: n,
      lanes: [
        { key: 'all', most: 2 },
        { key: `some-${n % 2}`, ...(wrong ? { rate: 1, perMs: 600_000 } : { most: 1 }) },
      ],
    })
    const admitted = fact('run.admitted', 'admitted')
    return { ...item, admit: true, facts: [...(item.facts ?? []), admitted] }
  },
  // Something is said to it; the longer ones fit together three times.
  async (run, { n, wrong }) => {
    const said = { messages: [message], bytes: wrong ? Math.floor(limits.injectedBytesMax / 3) : n }
    return {
      ...about(run),
      facts: [fact('input.injected', `said-${n}-${wrong}`, { payload: said })],
    }
  },
]

const multitasks = ['enqueue', 'reject', 'interrupt', 'rollback'] as const

async function unusedEffects<E extends { readonly id: string }>(register: Register, effects: E[]) {
  const known = await Promise.all(effects.map((effect) => register.effect(effect.id)))
  return effects.filter((_, n) => known[n] === null)
}

type Operate = (
  run: RunIds,
  move: Move,
  runs: readonly RunIds[],
) => (register: Register) => Promise<unknown>

const targets = [
  { kind: 'agent', name: 'writer' },
  { kind: 'tool', name: 'write' },
  { kind: 'queue', name: 'tools' },
  { kind: 'tool', name: 'task' },
] as const
/** A tool call is looked at once, two seconds after it was asked for; on a slow machine only one of the registers is there by then. */
const taken = ['run.start'] as const

const own = (runs: readonly RunIds[], found: readonly { readonly runId: string }[]) =>
  found
    .map(({ runId }) => runId)
    .filter((runId) => runs.some((run) => run.runId === runId))
    .toSorted()

/** What a register does besides, by kind: the answer must be the same. */
export const operations: readonly Operate[] = [
  (run, { n }) =>
    (register) =>
      // Given back: that says nothing of whether the register can be reached, which all runs of a database would share.
      register.renew([{ effectId: `${run.runId}.${n}`, attempt: 1 }], 0),
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
  (run, { n }, runs) =>
    async (register) => ({
      superseded: (await register.superseded(1000, run)).map(({ runId, action, by }) => [
        runId,
        action,
        by,
      ]),
      heard: (await register.conversation(run.threadId, run.runId))
        .filter(({ type }) => type === 'run.created')
        .map(({ runId }) => runId),
      since: (
        await register.continuation(run.threadId, run.runId, {
          runId: (runs[n % 2] ?? run).runId,
          seq: 1,
        })
      )
        ?.filter(({ type }) => conversationTypes.some((one) => one === type))
        .map(({ runId, seq }) => [runId, seq]),
      changed: (await register.changedFiles(run.threadId, run.runId)).map(({ runId, seq }) => [
        runId,
        seq,
      ]),
      next: await register.nextInThread(run.tenantId, run.threadId),
      lanes: (await register.nextInLanes(run.runId, 10)).map(({ runId }) => runId),
      admissible: (await register.admissibleRuns(1000))
        .map(({ runId }) => runId)
        .filter((runId) => runs.some((one) => one.runId === runId)),
    }),
  // Pauses are the tenant's: one of each target, under an id that says which.
  ({ tenantId }, { n, wrong }) => {
    const pauseId = `${tenantId.slice(-36, -1)}${n}`
    const draft = pausing(tenantId, targets[n % 4], { pauseId, reason: `${wrong}` })
    return (register) => register.pause(draft)
  },
  ({ tenantId }, { n }) => {
    const lifted = lifting(tenantId, `${tenantId.slice(-36, -1)}${n}`)
    return (register) => register.lift(...lifted)
  },
  // What was held is released.
  (_run, _move, runs) => async (register) =>
    own(runs, await register.takeDue(taken, 600_000, 1000)),
]
