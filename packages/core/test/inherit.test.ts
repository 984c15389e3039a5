/** What a child inherits: never more than its own agent may use, never more than its parent has left. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { AgentDefinition, Effect, lowered, type RunStartEffect } from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { ends, parentWith, type Spent, starts } from './support/children.ts'
import { admitted, asks, created } from './support/facts.ts'
import { given } from './support/story.ts'

type Left = RunStartEffect['left']

const count = fc.oneof(fc.nat(3), fc.nat(2_000_000), fc.constant(Number.MAX_SAFE_INTEGER))
const money = fc.oneof(
  fc.constant(null),
  fc.double({ min: 0, max: 1_000, noNaN: true }),
  fc.constantFrom(0, Number.MIN_VALUE, 1e-9, 1e-6, 1.5e-6),
)
const left: fc.Arbitrary<Left> = fc.record({
  maxTurns: count,
  maxToolCalls: count,
  maxTokens: count,
  timeoutMs: count,
  maxCost: money,
})
/** With the least that a definition may have in the place of zero. */
const agents: fc.Arbitrary<AgentDefinition> = left.map((limits) =>
  agentWith({
    limits: {
      maxTurns: Math.max(1, limits.maxTurns),
      maxToolCalls: limits.maxToolCalls,
      maxTokens: Math.max(1, limits.maxTokens),
      timeoutMs: Math.max(1, limits.timeoutMs),
      maxCost: limits.maxCost === 0 ? 0.01 : limits.maxCost,
    },
  }),
)

/** Where nothing is left, a limit is the least there is. */
const least = { maxTurns: 1, maxToolCalls: 0, maxTokens: 1, timeoutMs: 1, maxCost: 0.000_001 }
const names = ['maxTurns', 'maxToolCalls', 'maxTokens', 'timeoutMs', 'maxCost'] as const
const or = (limit: number | null): number => limit ?? Infinity

test('no limit above the agent’s own or what is left, and always a definition', () => {
  fc.assert(
    fc.property(agents, left, (agent, rest) => {
      const child = lowered(agent, rest)
      expect(AgentDefinition.parse(child)).toEqual(child)
      expect({ ...child, limits: agent.limits }).toEqual(agent)
      expect(child.limits.warnAt).toBe(agent.limits.warnAt)
      for (const name of names) {
        expect(or(child.limits[name])).toBeLessThanOrEqual(or(agent.limits[name]))
        expect(or(child.limits[name])).toBeLessThanOrEqual(Math.max(or(rest[name]), least[name]))
      }
    }),
  )
})

test('what there is enough of is the agent’s own', () => {
  fc.assert(
    fc.property(agents, (agent) => {
      const { maxTurns, maxToolCalls, maxTokens, timeoutMs, maxCost } = agent.limits
      const same = { maxTurns, maxToolCalls, maxTokens, timeoutMs, maxCost }
      expect(lowered(agent, same)).toEqual(agent)
      expect(lowered(agent, { ...same, maxCost: null })).toEqual(agent)
    }),
  )
})

test.each([
  ['no limit of either', null, null, null],
  ['the parent’s alone', null, 0.5, 0.5],
  ['the agent’s alone', 0.25, null, 0.25],
  ['the lower one', 0.25, 0.5, 0.25],
  ['nothing left', 0.25, 0, 0.000_001],
])('money: %s', (_, own, rest, expected) => {
  const much = { maxTurns: 9, maxToolCalls: 9, maxTokens: 9, timeoutMs: 9 }
  const child = lowered(agentWith({ limits: { maxCost: own } }), { ...much, maxCost: rest })
  expect(child.limits.maxCost).toBe(expected)
})

test('whatever was used, what is left is a number that an effect may carry, and a definition', () => {
  const spent: fc.Arbitrary<Spent> = fc.record({
    turns: fc.nat(900),
    calls: fc.nat(150),
    tokens: fc.nat(900_000),
    cost: fc.nat(900),
    activeMs: fc.double({ min: 0, max: 100_000, noNaN: true }),
  })
  fc.assert(
    fc.property(
      spent,
      fc.nat(100_000),
      fc.constantFrom(null, 0.001, 1_000),
      (used, ms, maxCost) => {
        const agent = parentWith({ limits: { maxTurns: 1_000, maxCost } })
        const story = given(agent, created, admitted, asks('task'), starts(0))
          .after(ms)
          .and(ends(0, used))
          .and(asks('task'))
        // Within every limit: the second one is started, too.
        expect(story.decision.effects).toHaveLength(1)
        for (const effect of story.decision.effects) {
          expect(Effect.parse(JSON.parse(JSON.stringify(effect)))).toEqual(effect)
          if (effect.kind !== 'run.start') continue
          expect(AgentDefinition.safeParse(lowered(agent, effect.left)).success).toBe(true)
          for (const name of names)
            expect(or(effect.left[name])).toBeLessThanOrEqual(or(agent.limits[name]))
        }
      },
    ),
  )
})
