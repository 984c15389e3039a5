/** Replay: differences are found, faulted runs are read, key order does not matter (I15, I16, I22). */
import { describe, expect, test } from 'vitest'
import {
  decide,
  decisionSchemas,
  type FoldableEvent,
  noPassports,
  type PassportEvaluator,
  persist,
  readFact,
  replay,
  same,
  transitioned,
} from '../src/index.ts'
import { agentWith } from './support/agent.ts'
import { callRefused, ends, modelRefused, parentWith, starts } from './support/children.ts'
import {
  admitted,
  answers,
  asks,
  cancels,
  completes,
  created,
  type Move,
  nothingKnown,
  run,
} from './support/facts.ts'
import { approves, rejects } from './support/permissions.ts'
import { World } from './support/world.ts'
import { machine, reviveState } from './support/machine.ts'

const agent = agentWith()
const subject = { run, agent, machine }
const chance = { pick: 0, how: 1, waitMs: 5, decide: true }

/** A run that called a tool and was cancelled. */
function cancelledRun(): readonly FoldableEvent[] {
  const world = new World(subject)
  world.take({ ...chance, what: 'admit' })
  world.take({ ...chance, what: 'answer' })
  world.take({ ...chance, what: 'cancel' })
  world.settle(0)
  expect(world.ended).toBe(true)
  return world.log
}

const patched = (
  type: string,
  patch: Readonly<Record<string, unknown>>,
): readonly FoldableEvent[] => {
  const events = cancelledRun()
  const at = events.findIndex((event) => event.type === type)
  const changed = JSON.parse(JSON.stringify({ ...events[at]?.payload, ...patch }))
  return events.map((event, n) => (n === at ? { ...event, payload: changed } : event))
}

test('a log replays to its own end', () => {
  const replayed = replay(subject, cancelledRun())
  expect(replayed).toMatchObject({ differences: [], undecided: [], state: { name: 'cancelled' } })
})

test.each([
  ['another path', { path: ['queued', 'tools'] }],
  ['an effect too few', { effects: [] }],
  ['another outcome', { outcome: 'failed' }],
  ['a timer too few', { timers: [] }],
  ['another beginning', { from: 1 }],
])('a stored decision with %s is a difference, with its place', (_, patch) => {
  const events = patched('run.transitioned', patch)
  const [difference, ...more] = replay(subject, events).differences
  expect(more).toEqual([])
  expect(difference?.seq).toBe(events.find((event) => event.type === 'run.transitioned')?.seq)
  expect(difference?.stored).toMatchObject(patch)
})

test('another definition than the run pinned shows', () => {
  const other = { run, machine, agent: agentWith({ limits: { timeoutMs: 7 } }) }
  expect(replay(other, cancelledRun()).differences).not.toEqual([])
})

test('a decision without prepared policies has asked its passports, and a replay asks them too', () => {
  const passports: PassportEvaluator = {
    evaluate: ({ id: policyId }) => ({
      effect: 'deny',
      reasons: [{ code: 'oap.limit_exceeded', message: 'too much' }],
      policyId,
      policyDigest: '',
    }),
    audit: (spec, request) => noPassports.audit(spec, request),
    tallies: () => [],
  }
  const passport = { use: 'passport', id: 'p', digest: '', passport: {} } as const
  const policies = [{ ...passport, capabilities: {}, source: null }]
  const pinned = { run, machine, agent: agentWith({ guardrails: { policies } }) }
  const world = new World({ ...pinned, passports })
  world.take({ ...chance, what: 'admit' })
  world.take({ ...chance, what: 'answer' })
  world.take({ ...chance, what: 'cancel' })
  world.settle(0)
  const log = world.log.map((event) =>
    event.type === 'run.transitioned'
      ? { ...event, payload: { ...event.payload, withoutPolicies: true } }
      : event,
  )
  expect(log.find(({ type }) => type === 'call.denied')?.payload).toMatchObject({
    code: 'oap.limit_exceeded',
    policyId: 'p',
  })
  expect(replay({ ...pinned, passports }, log).differences).toEqual([])
  expect(replay(pinned, log).differences).toHaveLength(1)
})

test('facts after the last decision are what the next one folds', () => {
  const events = cancelledRun()
  const last = events.findLastIndex((event) => event.type === 'run.transitioned')
  const replayed = replay(subject, events.slice(0, last))
  expect(replayed.undecided.length).toBeGreaterThan(0)
  expect(replayed.undecided.every((fact) => fact.seq > replayed.decided)).toBe(true)
})

test('a decision folds facts up to `through`, though others stand before it in the log', () => {
  const world = new World(subject)
  world.take({ ...chance, what: 'admit', decide: false })
  world.decide(1)
  expect(world.decisions[0]?.facts).toHaveLength(1)
  world.decide(0)
  const replayed = replay(subject, world.log)
  expect(replayed.differences).toEqual([])
  expect(replayed.state.name).toBe('model')
})

describe('a run that started others', () => {
  const parent = { run, machine, agent: parentWith() }

  /** Its log, as a register keeps it: each fact, then the decision about it and its verdicts. */
  function family(...moves: readonly Move[]): readonly FoldableEvent[] {
    const log: FoldableEvent[] = []
    let known = nothingKnown(run)
    let decided = 0
    const write = (type: string, payload: object): FoldableEvent => {
      const stored = JSON.parse(JSON.stringify(payload))
      const at = 1_700_000_000_000 + log.length
      const event = { seq: log.length + 1, type, version: 1, at, actor: 't', payload: stored }
      log.push(event)
      return event
    }
    for (const move of moves) {
      const { type, payload } = move(known)
      const fact = readFact(write(type, payload))
      const decision = decide(parent, known.state, fact ? [fact] : [])
      const through = log.length
      write('run.transitioned', transitioned(decision, { from: decided, through }))
      for (const verdict of decision.verdicts) write(verdict.type, verdict.payload)
      decided = through
      const effects = [...known.effects, ...decision.effects]
      const verdicts = [...known.verdicts, ...decision.verdicts]
      known = { run, state: decision.state, effects, verdicts }
    }
    return log
  }

  const began = [created, admitted, asks('task', 'hire', 'search'), starts(0), completes(2)]

  test.each([
    [
      'that came back',
      [ends(0, { turns: 2 }), approves(1, 'hire'), ends(1), answers()],
      'completed',
    ],
    ['in a cancel', [cancels(), ends(0)], 'cancelled'],
    ['the tree’s budget', [approves(1, 'hire'), callRefused(1), ends(0)], 'cancelled'],
    ['the tree’s budget, in the model', [rejects(1, 'hire'), ends(0), modelRefused], 'completed'],
  ] as const)('replays: %s', (_, moves, name) => {
    const log = family(...began, ...moves)
    const replayed = replay(parent, log)
    expect(replayed).toMatchObject({ differences: [], undecided: [], state: { name } })
    expect(reviveState(persist(replayed.state))).toEqual(replayed.state)
  })

  const left = { maxTurns: 99, maxToolCalls: 9, maxTokens: 9, timeoutMs: 9, maxCost: null }
  test.each([
    ['another agent behind the tool', { agent: 'other' }],
    ['more left of its limits', { left }],
    ['another depth', { depth: 9 }],
    ['no sharing of its budget', { shared: false }],
  ])('a decision that started one with %s is a difference', (_, patch) => {
    const log = family(...began, approves(1, 'hire'))
    const at = log.findLastIndex((event) => event.type === 'run.transitioned')
    const stored = decisionSchemas['run.transitioned'].parse(log[at]?.payload)
    const effects = stored.effects.map((effect) => ({ ...effect, ...patch }))
    const payload = JSON.parse(JSON.stringify({ ...stored, effects }))
    const other = log.map((event, n) => (n === at ? { ...event, payload } : event))
    expect(replay(parent, other).differences).toMatchObject([{ seq: at + 1 }])
    expect(replay(parent, log).differences).toEqual([])
  })
})

function faulted(): readonly FoldableEvent[] {
  const world = new World(subject)
  world.take({ ...chance, what: 'admit' })
  world.take({ ...chance, what: 'fault' })
  return world.log
}

describe('a run that was faulted (I22)', () => {
  test('replays, though a fact of the batch cannot be read', () => {
    const events = faulted()
    const at = events.findIndex((event) => event.type === 'run.faulted')
    const poison = { seq: 0, type: 'timer.fired', version: 9, at: 1, actor: 't', payload: {} }
    const numbered = [...events.slice(0, at), poison, ...events.slice(at)]
    // Numbers between the decision before and the fault: `through` stays that of the fault.
    const before = events[at - 1]?.seq ?? 0
    const log = numbered.map((event) =>
      event === poison ? { ...event, seq: before + 0.5 } : event,
    )
    const replayed = replay(subject, log)
    expect(replayed.differences).toEqual([])
    expect(replayed.state.name).toBe('failed')
  })

  test('a fact that cannot be read, and no fault: replay stops, it does not guess', () => {
    const poison = { seq: 99, type: 'timer.fired', version: 9, at: 1, actor: 't', payload: {} }
    expect(() => replay(subject, [...cancelledRun(), poison])).toThrow(/newer version/)
  })
})

describe('same', () => {
  test.each([
    [
      { a: 1, b: [1, { c: null }] },
      { b: [1, { c: null }], a: 1 },
    ],
    [[], []],
    ['x', 'x'],
    [null, null],
  ])('%j is %j', (a, b) => expect(same(a, b)).toBe(true))

  test.each([
    [{ a: 1 }, { a: 2 }],
    [{ a: 1 }, { a: 1, b: 1 }],
    [
      { a: 1, c: 1 },
      { a: 1, b: 1 },
    ],
    [
      [1, 2],
      [2, 1],
    ],
    [[1], [1, 2]],
    [[], {}],
    [null, {}],
    [0, false],
    ['1', 1],
  ])('%j is not %j', (a, b) => expect(same(a, b)).toBe(false))
})
