/** What must hold of runs that start others, whatever happens to them. The properties of all runs hold of these, too. */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { decide, type Fact, limits, type RunStartEffect } from '../src/index.ts'
import { doesCall } from './support/facts.ts'
import { checker, families, play, type Played } from './support/plays.ts'
import { fresh } from './support/machine.ts'

const holds = checker(800, families)

/** Facts that were not ignored. */
const taken = ({ world, facts }: Played): readonly Fact[] => {
  const ignored = new Set(
    world.decisions.flatMap(({ decision }) =>
      decision.verdicts.flatMap((each) =>
        each.type === 'event.ignored' ? [each.payload.seq] : [],
      ),
    ),
  )
  return facts.filter(({ seq }) => !ignored.has(seq))
}

const effectsOf = ({ world }: Played) => world.decisions.flatMap(({ decision }) => decision.effects)

const startsOf = (played: Played): readonly RunStartEffect[] =>
  effectsOf(played).filter((effect) => effect.kind === 'run.start')

const depthOf = ({ facts }: Played): number => {
  const [first] = facts
  return first?.type === 'run.created' ? (first.payload.parent?.depth ?? 0) : 0
}

/** A run that was faulted is given up, whatever is open. */
const isFaulted = ({ facts }: Played): boolean => facts.some(({ type }) => type === 'run.faulted')

test('the plays reach what there is to reach', () => {
  const seen = new Set<string>()
  for (const script of fc.sample(families, { numRuns: 1_000, seed: 2 })) {
    const { subject, facts } = play(script)
    let state = fresh
    for (const fact of facts) {
      const decision = decide(subject, state, [fact])
      const { name, context } = state
      const hasChild = Object.values(context.open).some(({ status }) => status === 'child')
      const isIgnored = decision.verdicts.some(({ type }) => type === 'event.ignored')
      const call = 'callId' in fact.payload && fact.payload.callId ? ' of a call' : ''
      const about = fact.type === 'run.faulted' && hasChild ? ' with a child' : call
      if (!isIgnored) seen.add(`${fact.type}${about} in ${name}`)
      ;({ state } = decision)
    }
  }
  expect([...seen]).toEqual(
    expect.arrayContaining([
      'child.started of a call in tools',
      'child.started of a call in approval',
      'child.started of a call in cancelling',
      'child.ended of a call in tools',
      'child.ended of a call in approval',
      'child.ended of a call in cancelling',
      'budget.refused in model',
      'budget.refused in cancelling',
      'budget.refused of a call in tools',
      'budget.refused of a call in cancelling',
      'run.faulted with a child in tools',
    ]),
  )
})

test('no run is started too deep, nor one too many; none is given more than there is', () => {
  holds((played) => {
    const depth = depthOf(played)
    const starts = startsOf(played)
    assert.ok(starts.length <= limits.childrenMax)
    assert.ok(starts.length === 0 || depth < limits.childDepthMax)
    const own = played.subject.agent.limits
    for (const { depth: deeper, left } of starts) {
      assert.equal(deeper, depth + 1)
      assert.ok(left.maxTurns < own.maxTurns)
      assert.ok(left.maxToolCalls < own.maxToolCalls)
      assert.ok(left.maxTokens <= own.maxTokens)
      assert.ok(left.timeoutMs <= own.timeoutMs)
      assert.equal(left.maxCost === null, own.maxCost === null)
      assert.ok((left.maxCost ?? 0) <= (own.maxCost ?? 0))
    }
    assert.ok(played.world.state.context.children >= starts.length)
  })
})

test('a budget is marked as shared from the first run that is started on, and in every run below', () => {
  holds((played) => {
    const depth = depthOf(played)
    const before: RunStartEffect[] = []
    for (const effect of effectsOf(played)) {
      if (effect.kind === 'model.call')
        assert.equal(effect.shared ?? false, depth > 0 || before.length > 0)
      else if (doesCall(effect)) {
        const ofOtherTurns = before.some(({ source }) => source !== effect.source)
        if (depth > 0 || ofOtherTurns) assert.equal(effect.shared, true)
        else if (before.length === 0) assert.equal(effect.shared, undefined)
      } else assert.ok(!('shared' in effect))
      if (effect.kind === 'run.start') before.push(effect)
    }
  })
})

test('what children used counts, each once, and nothing else does', () => {
  holds((played) => {
    if (isFaulted(played)) return
    const { context } = played.world.state
    const sum = { turns: 0, tokens: 0, ended: 0 }
    const ended = new Set<string>()
    for (const { type, payload } of taken(played)) {
      if (type === 'child.ended') {
        assert.ok(!ended.has(payload.effectId))
        ended.add(payload.effectId)
        sum.turns += payload.spent.turns
        sum.tokens += payload.spent.tokens
      }
      if (type !== 'model.completed') continue
      const { inputTokens = 0, outputTokens = 0 } = payload.turn.usage
      sum.tokens += inputTokens + outputTokens
    }
    assert.equal(context.childTurns, sum.turns)
    assert.equal(context.tokens, sum.tokens)
  })
})

const outcomes = ['child.ended', 'tool.failed', 'tool.aborted', 'tool.denied', 'budget.refused']

test('a run that has ended left no child behind: each call of one has its outcome', () => {
  holds((played) => {
    if (!played.world.ended || isFaulted(played)) return
    const facts = taken(played)
    for (const { id } of startsOf(played)) {
      const about = facts.filter(
        ({ type, payload }) =>
          outcomes.includes(type) && 'effectId' in payload && payload.effectId === id,
      )
      assert.equal(about.length, 1)
    }
  })
})

test('the words of a used-up budget are said once, and are the end', () => {
  holds(({ world, batch }) => {
    const said = batch.verdicts.filter(({ type }) => type === 'budget.exhausted')
    assert.ok(said.length <= 1)
    const { name, context } = world.state
    if (said.length === 1 && name !== 'failed') assert.equal(context.ending, 'budget_exhausted')
  })
})

test('a run is never active for longer than went by', () => {
  holds(({ world, facts }) => {
    const [first] = facts
    const last = facts.at(-1)
    const { activeMs } = world.state.context
    assert.ok(activeMs >= 0 && activeMs <= (last?.at ?? 0) - (first?.at ?? 0))
  })
})
