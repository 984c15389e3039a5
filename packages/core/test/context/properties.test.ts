/**
 * Properties of every run whose agent has a `context`, whatever happens to it (P4 and P5 of the context systems; D1, D4 and D6 of `decide.ts`,
 * I12, I15, I16). Would catch: a compaction that a batch decides otherwise than single facts, a run that waits for a summary for ever, a
 * state that grows over its limit.
 */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  ContextConfig,
  decide,
  type Decision,
  type Fact,
  isFinal,
  limits,
  persist,
  replay,
} from '../../src/index.ts'
import { outlives } from '../../src/machine/tell.ts'
import { casesOf, timeout } from '../support/full.ts'
import { fresh, reviveState } from '../support/machine.ts'
import { play, type Script, scripts } from '../support/plays.ts'

const numRuns = casesOf(200)

const contexts = fc.record({
  prune: fc.record({
    at: fc.constantFrom(0.1, 0.4),
    keepTurns: fc.integer({ min: 1, max: 4 }),
    minTokens: fc.constantFrom(1, 20_000),
  }),
  compact: fc.record({
    at: fc.constantFrom(0.5, 0.9),
    maxPerRun: fc.nat(2),
    failuresMax: fc.integer({ min: 1, max: 2 }),
    maxShare: fc.constantFrom(0.25, 1),
  }),
})

/** Runs of agents with a window that is soon full, and tokens enough to fill it. */
const roomy: fc.Arbitrary<Script> = fc
  .tuple(scripts, contexts, fc.constantFrom(60_000, 200_000))
  .map(([script, context, contextWindow]) => ({
    ...script,
    agent: {
      ...script.agent,
      context: ContextConfig.parse(context),
      model: { ...script.agent.model, contextWindow },
      limits: { ...script.agent.limits, maxTokens: 5_000_000, maxCost: null },
    },
  }))

const holds = (check: (played: ReturnType<typeof play>) => void): void =>
  fc.assert(
    fc.property(roomy, (script) => check(play(script))),
    { numRuns },
  )

test(
  'batches do not matter: state and verdicts are those of single facts (P4, D1, D6)',
  () => {
    holds(({ subject, facts: all }) => {
      const facts: Fact[] = []
      const singles: Decision[] = []
      for (const fact of all) {
        const state = singles.at(-1)?.state ?? fresh
        if (fact.type === 'run.faulted' || (fact.type === 'input.injected' && isFinal(state)))
          continue
        facts.push(fact)
        singles.push(decide(subject, state, [fact]))
      }
      const batch = decide(subject, fresh, facts)
      assert.deepEqual(batch.state, singles.at(-1)?.state ?? fresh)
      assert.deepEqual(
        batch.verdicts,
        singles.flatMap((each) => each.verdicts),
      )
      const effects = singles.flatMap((each) => each.effects)
      assert.deepEqual(batch.effects, isFinal(batch.state) ? effects.filter(outlives) : effects)
    })
  },
  timeout,
)

test(
  'the cached state reads back as it was, and is at most 2048 bytes (P5, I15)',
  () => {
    holds(({ decisions }) => {
      for (const { decision } of decisions) {
        const text = JSON.stringify(persist(decision.state))
        assert.ok(Buffer.byteLength(text) <= limits.stateBytesMax, text)
        assert.deepEqual(reviveState(JSON.parse(text)), decision.state)
      }
    })
  },
  timeout,
)

test(
  'replay reproduces every decision, and ends where the run did (I16)',
  () => {
    holds(({ subject, log, state }) => {
      const replayed = replay(subject, log)
      assert.deepEqual(replayed.differences, [])
      assert.deepEqual(replayed.state, state)
    })
  },
  timeout,
)

test(
  'every run ends or waits for a human, once every effect has its answer (I12)',
  () => {
    fc.assert(
      fc.property(roomy, fc.nat(10_000), (script, seed) => play(script).settle(seed)),
      { numRuns },
    )
  },
  timeout,
)

test(
  'one compaction is open at a time, and no more are made than the agent allows',
  () => {
    holds(({ decisions, facts, subject }) => {
      const asked = decisions.flatMap(({ decision }) =>
        decision.effects.filter(({ kind }) => kind === 'context.compact'),
      )
      assert.equal(new Set(asked.map(({ id }) => id)).size, asked.length)
      const most = subject.agent.context?.compact.maxPerRun ?? 0
      const made = facts.filter(
        (fact) =>
          fact.type === 'context.compacted' && asked.some(({ id }) => id === fact.payload.effectId),
      )
      const outcomes = new Set(
        made.map((fact) => ('effectId' in fact.payload ? fact.payload.effectId : '')),
      )
      // The first overflow of a run may come before anything was counted.
      assert.ok(outcomes.size <= Math.max(most, 1))
    })
  },
  timeout,
)

test('every arrow of `context` is walked', () => {
  const walked = new Set<string>()
  for (const script of fc.sample(roomy, { numRuns: 3_000, seed: 20_261_128 }))
    for (const { decision } of play(script).decisions)
      decision.path.forEach((name, n) => {
        const before = decision.path[n - 1]
        if (before) walked.add(`${before} → ${name}`)
      })
  for (const arrow of [
    'safety → context',
    'loop → context',
    'context → model',
    'context → failed',
    'context → cancelling',
  ])
    expect([...walked]).toContain(arrow)
})
