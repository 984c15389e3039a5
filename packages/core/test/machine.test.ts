/** The shape of the machine: its arrows are those of DESIGN §2, and all of them are walked. */
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { runMachine, StateName } from '../src/index.ts'
import { play, scripts } from './support/plays.ts'

/** From each state, where a fact or a check may lead. A state leads to itself where a fact changes no more than counters. */
const arrows: Readonly<Record<StateName, readonly StateName[]>> = {
  queued: ['queued', 'context', 'model', 'completed', 'cancelling'],
  context: ['context', 'model', 'completed', 'failed', 'cancelling'],
  model: ['model', 'safety', 'completed', 'cancelling'],
  safety: ['context', 'model', 'loop', 'failed', 'completed', 'guardrail'],
  guardrail: ['guardrail', 'completed', 'approval', 'input', 'tools', 'cancelling'],
  approval: ['approval', 'loop', 'input', 'tools', 'cancelling'],
  input: ['input', 'loop', 'tools', 'cancelling'],
  tools: ['tools', 'loop', 'failed', 'cancelling'],
  loop: ['completed', 'context', 'model'],
  cancelling: ['cancelling', 'cancelled'],
  completed: [],
  failed: [],
  cancelled: [],
}

const leadsTo = (name: StateName): readonly string[] => {
  const node = runMachine.states[name]
  const taken = [...(node?.transitions.values() ?? [])].flat()
  return [...taken, ...(node?.always ?? [])].flatMap(
    (transition) => transition.target?.map((target) => target.key) ?? [name],
  )
}

test('the machine has the states and the arrows of the design, no more and no less', () => {
  expect(Object.keys(runMachine.states).toSorted()).toEqual(StateName.options.toSorted())
  for (const name of StateName.options)
    expect(new Set(leadsTo(name))).toEqual(new Set(arrows[name]))
})

test('every arrow but those of edits and of reruns is walked by runs that could be', () => {
  const walked = new Set<string>()
  const sampled = fc.sample(scripts, { numRuns: 2_000, seed: 20_261_125 })
  const fault = { what: 'fault', pick: 0, how: 0, waitMs: 0, decide: true } as const
  // Most of them have ended before their fault: so some are faulted early.
  const faulted = sampled
    .slice(0, 800)
    .map((script, n) => ({ ...script, chances: [...script.chances.slice(0, n % 12), fault] }))
  for (const script of [...sampled, ...faulted])
    for (const { decision } of play(script).decisions)
      decision.path.forEach((name, n) => {
        const before = decision.path[n - 1]
        if (before) walked.add(`${before} → ${name}`)
      })
  const drawn = Object.entries(arrows)
    .flatMap(([from, to]) => to.filter((each) => each !== from).map((each) => `${from} → ${each}`))
    // Edits ask no model: edits.test.ts walks theirs.
    .filter((arrow) => arrow !== 'queued → completed')
    // Agents of these runs say nothing of their context: context/properties.test.ts walks its arrows.
    .filter((arrow) => !arrow.includes('context'))
    // A call of a rerun that was never recorded: reruns.test.ts walks it.
    .filter((arrow) => arrow !== 'tools → failed')
  // A fault leads to `failed` from wherever the run rests; the machine does not draw that.
  const faults = ['queued', 'model', 'guardrail', 'approval', 'input', 'tools', 'cancelling'].map(
    (from) => `${from} → failed`,
  )
  expect([...walked].toSorted()).toEqual([...drawn, ...faults].toSorted())
})

test('the machine holds nothing that would run by itself: no actors, no delays', () => {
  for (const node of Object.values(runMachine.states)) {
    expect(node.invoke).toEqual([])
    expect(node.after).toEqual([])
    expect(node.entry).toEqual([])
    expect(node.exit).toEqual([])
  }
})
