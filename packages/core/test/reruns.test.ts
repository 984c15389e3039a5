/**
 * Reruns: no call of one is ever made. Would catch: a tool call, a child or a question to a human in a rerun, and a rerun that
 * goes on without a result.
 */
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { decide, type Fact, persist } from '../src/index.ts'
import { agentWith, asked } from './support/agent.ts'
import {
  admitted,
  aborts,
  argsHashOf,
  asks,
  callId,
  cancels,
  completes,
  created,
  type Move,
  toolCall,
} from './support/facts.ts'
import { said } from './support/log.ts'
import { judged, policiesSay } from './support/permissions.ts'
import { play, scripts } from './support/plays.ts'
import { given } from './support/story.ts'
import { reviveState, fresh } from './support/machine.ts'

const repeats: Move = (known) => {
  const fact = created(known)
  if (fact.type !== 'run.created') return fact
  return { ...fact, payload: { ...fact.payload, rerun: { runId: 'other' } } }
}

/** The nth call of the turn was never recorded. */
const misses =
  (n: number, tool: string): Move =>
  (known) => ({
    type: 'recall.missed',
    payload: {
      ...toolCall(known, n),
      tool,
      argsHash: argsHashOf(''),
      reason: 'never_made',
      recorded: 0,
    },
  })

const begun = (...patch: Parameters<typeof agentWith>) =>
  given(agentWith(...patch), repeats, admitted)

describe('a rerun', () => {
  test('looks results up, whatever the call would do, and asks no human', () => {
    const story = begun()
      .when(asks('search', 'write', 'pay', 'rm'))
      .gives({
        state: 'tools',
        path: ['model', 'safety', 'guardrail', 'tools'],
        effects: ['2 tool.recall search', '3 tool.recall write', '4 tool.recall pay'],
        verdicts: ['approval.skipped skipped pay', 'call.denied denied rm'],
      })
    expect(story.decision.effects).toMatchObject([
      { mode: 'read', queue: 'recall', argsHash: argsHashOf('') },
      { mode: 'read' },
      { mode: 'read' },
    ])
    expect(reviveState(persist(story.state))).toEqual(story.state)
    story
      .and(completes(0), completes(1))
      .when(completes(2))
      .gives({ state: 'model', path: ['tools', 'loop', 'model'], effects: ['5 model.call'] })
  })

  test('starts no run for a call', () => {
    const task = { ...agentWith().tools[0]!, name: 'task', runs: 'b' }
    const story = begun({ tools: [task] })
      .when(asks('task'))
      .gives({
        state: 'tools',
        path: ['model', 'safety', 'guardrail', 'tools'],
        effects: ['2 tool.recall task'],
      })
    expect(story.state.context.children).toBe(0)
  })

  test('asks its policies, and no human on their behalf', () => {
    begun({ guardrails: { policies: [asked] } })
      .and(asks('search', 'write'))
      .when(policiesSay(judged(0, 'search', 'deny'), judged(1, 'write', 'require_approval')))
      .gives({
        state: 'tools',
        path: ['guardrail', 'tools'],
        effects: ['3 tool.recall write'],
        verdicts: ['call.denied denied search', 'approval.skipped skipped write'],
      })
  })

  test('ends as failed where a result is missing, without the calls beside it, and says of which call', () => {
    const story = begun()
      .and(asks('search', 'write'))
      .when(misses(1, 'write'))
      .gives({
        state: 'failed',
        outcome: 'failed',
        path: ['tools', 'failed'],
        verdicts: ['rerun.stopped call_not_recorded write'],
        timeout: 'cleared',
      })
    const id = callId({ run: story.state.context.run, state: story.state }, 1)
    expect(story.decision.verdicts[0]?.payload).toMatchObject({ callId: id, reason: 'never_made' })
    const prompt = story.prompt(said(['and now?']))
    expect(prompt.at(-3)).toMatch(/^error .* write: .*never recorded/)
    expect(prompt.at(-2)).toMatch(/a call of write \(c_\w+\) that was never recorded/)
    expect(story.state.context.open).toEqual({})
  })

  test('that is cancelled meanwhile ends as cancelled', () => {
    begun()
      .and(asks('search', 'write'), cancels())
      .and(misses(0, 'search'))
      .when(aborts(1))
      .gives({
        state: 'cancelled',
        outcome: 'cancelled',
        path: ['cancelling', 'cancelled'],
        timeout: 'cleared',
      })
  })
})

const repeated = (fact: Fact): Fact =>
  fact.type === 'run.created'
    ? { ...fact, payload: { ...fact.payload, rerun: { runId: 'other' } } }
    : fact

test('whatever happens, a rerun makes no call, starts no run and asks no human', () => {
  let recalls = 0
  fc.assert(
    fc.property(scripts, (script) => {
      const { subject, facts } = play(script)
      let state = fresh
      for (const fact of facts) {
        const decision = decide(subject, state, [repeated(fact)])
        state = decision.state
        const kinds = decision.effects.map(({ kind }) => kind)
        recalls += kinds.filter((kind) => kind === 'tool.recall').length
        expect(kinds).not.toContain('tool.call')
        expect(kinds).not.toContain('run.start')
        expect(decision.verdicts.map(({ type }) => type)).not.toContain('approval.requested')
        expect(state.name).not.toBe('approval')
      }
    }),
    { numRuns: 300, seed: 20_261_122 },
  )
  expect(recalls).toBeGreaterThan(20)
})
