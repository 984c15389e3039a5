/**
 * The two registers side by side: random items, plausible and wrong, get the same answers from the in-memory register and
 * from the SQL function, and leave the same rows behind. The simulation proves the engine over the first; this test is why
 * that says something about the second.
 */
import { createMemoryRegister } from '@signalbox/engine/memory'
import type { AppendItem, AppendResult, Register } from '@signalbox/engine'
import { systemClock } from '@signalbox/engine'
import * as fc from 'fast-check'
import { setTimeout } from 'node:timers/promises'
import { expect, test } from 'vitest'
import {
  about,
  claim,
  creation,
  decision,
  event,
  fact,
  fence,
  finalDecision,
  newRun,
  type RunIds,
  timer,
  toolEffect,
} from '../../packages/postgres/test/support/drafts.ts'
import { useRegister } from '../../packages/postgres/test/support/register.ts'

const bench = useRegister()

/** Numbers, so that a failing sequence shrinks. What they mean depends on where the run stands. */
interface Move {
  readonly run: number
  readonly kind: number
  readonly n: number
  readonly wrong: boolean
}

const moves = fc.array(
  fc.record({
    run: fc.nat({ max: 2 }),
    kind: fc.nat({ max: 11 }),
    n: fc.nat({ max: 3 }),
    wrong: fc.boolean(),
  }),
  { minLength: 5, maxLength: 40 },
)

/** The first run exists, runs, and has effects: otherwise most sequences would say little. */
const prelude: readonly Move[] = [0, 2, 5].map((kind) => ({
  run: 0,
  kind,
  n: 0,
  wrong: false,
}))

const move = (run: number, kind: number, n: number, wrong = false): Move => ({
  run,
  kind,
  n,
  wrong,
})

/** Sequences that reach the codes which chance seldom reaches. */
const examples: [Move[]][] = [
  [[move(1, 1, 0), move(2, 1, 0, true), move(2, 1, 0)]],
  [[move(0, 8, 0, true), move(0, 8, 0, true)]],
  [[move(0, 8, 1), move(0, 8, 1)]],
  [[move(0, 10, 0), move(0, 8, 0)]],
]

type Make = (run: RunIds, move: Move, register: Register) => Promise<AppendItem>

const modes = ['read', 'idempotent', 'once'] as const
const expects = ['started', 'lost', 'pending', 'unknown'] as const
const becomes = ['done', 'unknown', 'cancelled', 'pending'] as const

const cursor = async (register: Register, run: RunIds) =>
  (await register.head(run.runId)) ?? { seq: 0, facts: 0, decided: 0 }

const makers: readonly Make[] = [
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
  async (run, { n, wrong }, register) => {
    const { decided, facts } = await cursor(register, run)
    const effects = [0, 1, 2].map((k) => toolEffect(run, n * 3 + k, { mode: modes[k] ?? 'read' }))
    const from = wrong ? decided + 1 : decided
    const fresh = await unusedEffects(register, effects)
    return {
      ...about(run),
      decision: decision(from, facts, { effects: fresh, timers: [timer('t', 0)] }),
    }
  },
  async (run, { n }, register) => {
    const { decided, facts } = await cursor(register, run)
    const stateName = n === 0 ? 'cancelling' : 'tools'
    return { ...about(run), decision: decision(decided, facts, { stateName, clearTimers: ['t'] }) }
  },
  async (run, { wrong }, register) => {
    const { decided, facts } = await cursor(register, run)
    return { ...about(run), decision: finalDecision(decided, wrong ? facts - 1 : facts) }
  },
  async (run, { n, wrong }) => ({
    ...about(run),
    claims: [n, n + 1].map((k) => claim(`${run.runId}.${k}`, { leaseMs: wrong ? 600_000 : 1 })),
  }),
  async (run, { n, wrong }, register) => {
    const { seq, decided } = await cursor(register, run)
    const facts = [fact('model.completed', `together-${n}`)]
    return { ...about(run), facts, decision: decision(decided, wrong ? seq : seq + 1) }
  },
  async (run) => ({ ...about(run), facts: [fact('cancel.requested', 'cancel')] }),
  async (run) => ({ ...about(run), notes: [event('webhook.delivered')] }),
]

async function unusedEffects<E extends { readonly id: string }>(register: Register, effects: E[]) {
  const known = await Promise.all(effects.map((effect) => register.effect(effect.id)))
  return effects.filter((_, n) => known[n] === null)
}

/** What of an answer must be the same: all of it but the words of a refusal. */
const essence = ({ detail: _detail, ...answer }: AppendResult) => answer

/** What of a run must be the same afterwards: everything that does not say when it was written. */
async function remains(register: Register, run: RunIds) {
  const head = await register.head(run.runId)
  const events = await register.events(run.runId, {})
  const open = await register.openEffects(run.runId)
  return {
    head: head && { ...head, createdAt: 0, updatedAt: 0 },
    events: events.map(({ position: _position, ...stored }) => stored),
    effects: open
      .map(({ effectId, status, attempt, owner }) => ({ effectId, status, attempt, owner }))
      .toSorted((a, b) => a.effectId.localeCompare(b.effectId)),
  }
}

test('both registers answer every sequence of items alike, and keep the same', async () => {
  const codes = new Set<string>()
  await fc.assert(
    fc.asyncProperty(moves, async (sequence) => {
      const memory = createMemoryRegister(systemClock)
      const thread = newRun()
      const runs = [
        newRun(),
        newRun({ threadId: thread.threadId }),
        newRun({ threadId: thread.threadId }),
      ]
      const tenantId = `tenant-${thread.runId}`
      for (const step of [...prelude, ...sequence]) {
        const ids = runs[step.run]
        const make = makers[step.kind]
        if (!ids || !make) continue
        const item = await make({ ...ids, tenantId }, step, memory)
        const [expected, actual] = [await memory.append(item), await bench.register.append(item)]
        expect(essence(actual)).toEqual(essence(expected))
        for (const code of [
          actual.code,
          actual.decisionCode,
          ...actual.factCodes,
          ...actual.claims.map((each) => each.code),
        ])
          if (code !== null) codes.add(code)
        await setTimeout(2)
      }
      for (const run of runs)
        expect(await remains(bench.register, run)).toEqual(await remains(memory, run))
    }),
    { numRuns: Number(process.env['DIFFERENTIAL_RUNS'] ?? 150), examples },
  )
  const all = [
    'ok',
    'exists',
    'conflict',
    'no_run',
    'duplicate',
    'fenced',
    'ended',
    'not_admitted',
    'stale',
    'gone',
    'leased',
    'cancelled',
    'lost',
  ]
  expect(all.filter((code) => !codes.has(code))).toEqual([])
})
