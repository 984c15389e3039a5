/** What must hold of every run, whatever happens to it (D1 to D4 and D6 of `decide.ts`, I12, I15, I16, I23). */
import assert from 'node:assert/strict'
import fc from 'fast-check'
import { test } from 'vitest'
import {
  callIdPrefix,
  callsOf,
  type Decision,
  decide,
  type Fact,
  isFinal,
  limits,
  persist,
  project,
  replay,
} from '../src/index.ts'
import { doesCall } from './support/facts.ts'
import { checker, play, scripts } from './support/plays.ts'
import { outlives } from '../src/machine/tell.ts'
import { reviveState, fresh } from './support/machine.ts'

const numRuns = 1_000
const holds = checker(numRuns)

test('total: no order of facts that fit their schemas makes the decider throw', () => {
  holds(({ subject, facts }) => {
    const backwards = decide(subject, fresh, facts.toReversed())
    decide(subject, backwards.state, facts)
  })
})

const throws = (): never => {
  throw new Error('the core has no clock and no chance')
}

test('deterministic: the same to the byte, also where clock and chance throw', () => {
  const { now } = Date
  const { random } = Math
  holds(({ subject, facts, batch }) => {
    const copies = structuredClone(facts)
    let again: Decision
    Date.now = throws
    Math.random = throws
    try {
      again = decide(subject, fresh, copies)
    } finally {
      Date.now = now
      Math.random = random
    }
    assert.equal(JSON.stringify(again), JSON.stringify(batch))
  })
})

test('an ended run absorbs: its state stays, each fact is ignored once (D2, D4)', () => {
  holds(({ world, subject, facts: all }) => {
    if (!world.ended) return
    const facts = all.filter((fact) => fact.type !== 'run.faulted')
    const after = decide(subject, world.state, facts)
    assert.equal(after.state, world.state)
    assert.deepEqual(after.path, [world.state.name])
    const ignored = after.verdicts.map(({ type, payload }) =>
      type === 'event.ignored' ? payload.seq : type,
    )
    assert.deepEqual(
      ignored,
      facts.map((fact) => fact.seq),
    )
    const { effects, retries, timers, clearTimers } = after
    assert.deepEqual([effects, retries, timers, clearTimers], [[], [], [], []])
  })
})

test('an ignored fact changes nothing but that it is recorded (D4)', () => {
  holds(({ world, subject }) => {
    for (const { before, decision, facts } of world.decisions) {
      const ignored = decision.verdicts.flatMap((verdict) =>
        verdict.type === 'event.ignored' ? [verdict.payload.seq] : [],
      )
      assert.equal(new Set(ignored).size, ignored.length)
      if (ignored.length === 0) continue
      const without = facts.filter((fact) => !ignored.includes(fact.seq))
      assert.deepEqual(decide(subject, before, without).state, decision.state)
    }
  })
})

test('effect ids count from `<run>.1`; none is there twice (D3)', () => {
  holds(({ world, subject }) => {
    const effects = world.decisions.flatMap(({ decision }) => decision.effects)
    const numbers = effects.map((effect) => Number(effect.id.replace(`${subject.run}.`, '')))
    // What was asked for and left out in the decision that ended the run has numbers, too.
    const last = numbers.findIndex((n, at) => n !== at + 1)
    assert.deepEqual(
      numbers,
      [...new Set(numbers)].toSorted((a, b) => a - b),
    )
    const ending = world.decisions.find(({ decision }) => isFinal(decision.state))
    const tail = last < 0 ? [] : effects.slice(last)
    assert.ok(tail.every((effect) => ending?.decision.effects.includes(effect)))
  })
})

/** Timers as the register keeps them after decisions. */
const timersOf = (decisions: readonly Decision[]): readonly string[] => {
  const timers = new Set<string>()
  for (const decision of decisions) {
    for (const timer of decision.timers) timers.add(timer.id)
    for (const id of decision.clearTimers) timers.delete(id)
  }
  return [...timers].toSorted()
}

test('batches do not matter: state, timers and verdicts are those of single facts (D1, D6)', () => {
  holds(({ subject, facts: all, batch: whole }) => {
    const facts: Fact[] = []
    const singles: Decision[] = []
    for (const fact of all) {
      const state = singles.at(-1)?.state ?? fresh
      // Of a batch it is heard before the end (D7); alone, and after it, no register takes it.
      if (fact.type === 'run.faulted' || (fact.type === 'input.injected' && isFinal(state)))
        continue
      facts.push(fact)
      singles.push(decide(subject, state, [fact]))
    }
    const batch = facts.length === all.length ? whole : decide(subject, fresh, facts)
    assert.deepEqual(batch.state, singles.at(-1)?.state ?? fresh)
    assert.deepEqual(
      batch.verdicts,
      singles.flatMap((each) => each.verdicts),
    )
    assert.deepEqual(timersOf([batch]), timersOf(singles))
    const effects = singles.flatMap((each) => each.effects)
    const ended = isFinal(batch.state)
    assert.deepEqual(batch.effects, ended ? effects.filter(outlives) : effects)
  })
})

test('timers are those of what the run waits for: its own time, and each human it asked', () => {
  holds(({ world, subject }) => {
    const timers = timersOf(world.decisions.map(({ decision }) => decision))
    const status = world.decisions.at(-1)?.decision.status
    const { open, turn } = world.state.context
    const waiting = { asked: 'approval', question: 'input' } as const
    const asked = Object.entries(open).flatMap(([index, { status: each }]) =>
      each === 'asked' || each === 'question'
        ? [`${waiting[each]}:${callIdPrefix(subject.run, turn)}_${index}`]
        : [],
    )
    const fired = new Set(
      world.facts.flatMap((fact) => (fact.type === 'timer.fired' ? [fact.payload.timerId] : [])),
    )
    const own = timers.filter((id) => !fired.has(id) || id === 'timeout' || asked.includes(id))
    // While only its children move, a run rests: they have timeouts of their own.
    const rests =
      ['tools', 'approval', 'input'].includes(world.state.name) &&
      Object.values(open).every((call) => call.status !== 'running')
    const expected = [...(status === 'running' && !rests ? ['timeout'] : []), ...asked]
    assert.deepEqual(own.toSorted(), expected.toSorted())
  })
})

test('the cached state reads back as it was, and is at most 2048 bytes (I15)', () => {
  holds(({ world }) => {
    for (const { decision } of world.decisions) {
      const text = JSON.stringify(persist(decision.state))
      assert.ok(Buffer.byteLength(text) <= limits.stateBytesMax, text)
      assert.deepEqual(reviveState(JSON.parse(text)), decision.state)
    }
  })
})

test('what is open was asked for: of the model, of a policy, of a human', () => {
  holds(({ world, subject }) => {
    const effects = world.decisions.flatMap(({ decision }) => decision.effects)
    const byId = new Map(effects.map((effect) => [effect.id, effect]))
    for (const { decision } of world.decisions) {
      const { open, turn, policy } = decision.state.context
      for (const [index, call] of Object.entries(open)) {
        const callId = `${callIdPrefix(subject.run, turn)}_${index}`
        const effect = byId.get(`${subject.run}.${call.effect || policy}`)
        if (call.status === 'asked' || call.status === 'question') assert.equal(call.effect, 0)
        else if (call.status === 'judging' || call.status === 'gated') {
          assert.ok(effect?.kind === 'policy.evaluate')
          assert.ok(effect.callIds.includes(callId))
        } else {
          assert.ok(effect && doesCall(effect))
          assert.equal(effect.callId, callId)
          const spec = subject.agent.tools[call.tool]
          assert.equal(effect.tool, spec?.name)
          assert.equal(effect.kind === 'run.start' ? effect.agent : undefined, spec?.runs)
          if (call.status === 'child') assert.equal(effect.kind, 'run.start')
        }
      }
    }
  })
})

test('what runs was allowed: by the policies that were asked, or by the human, with his arguments (I10, I11)', () => {
  holds(({ world, facts, subject }) => {
    const effects = world.decisions.flatMap(({ decision }) => decision.effects)
    const verdicts = world.decisions.flatMap(({ decision }) => decision.verdicts)
    const asked = verdicts.flatMap((each) =>
      each.type === 'approval.requested' ? [each.payload.callId] : [],
    )
    // Of two calls under one id the second is denied, and the first goes its way.
    const twice = new Set(
      facts.flatMap((fact) => {
        if (fact.type !== 'model.completed') return []
        const ids = callsOf(fact.payload.turn).map((call) => call.id)
        return ids.filter((id, at) => ids.indexOf(id) !== at)
      }),
    )
    const denied = verdicts.flatMap((each) =>
      each.type === 'call.denied' && !twice.has(each.payload.callId) ? [each.payload.callId] : [],
    )
    for (const effect of effects) {
      if (!doesCall(effect)) continue
      assert.ok(!subject.agent.guardrails.deniedTools.includes(effect.tool))
      if (!asked.includes(effect.callId)) {
        assert.equal(effect.approval, undefined)
        continue
      }
      const answer = facts.find((fact) => fact.seq === effect.approval)
      assert.ok(answer?.type === 'approval.answered')
      const { callId, decision, edited, argsHash } = answer.payload
      assert.equal(callId, effect.callId)
      assert.equal(effect.edited ?? false, decision === 'edit')
      assert.equal(effect.argsHash, decision === 'edit' ? edited?.argsHash : argsHash)
      assert.ok(!denied.includes(callId))
    }
  })
})

test('replay reproduces every decision of a log, and ends where the run did (I16)', () => {
  holds(({ world, subject }) => {
    const replayed = replay(subject, world.log)
    assert.deepEqual(replayed.differences, [])
    assert.deepEqual(replayed.state, world.state)
    assert.equal(replayed.decided, world.decisions.at(-1)?.facts.at(-1)?.seq ?? 0)
    assert.deepEqual(replayed.undecided, [])
  })
})

test('every run ends or waits for a human, once every effect has its answer (I12)', () => {
  fc.assert(
    fc.property(scripts, fc.nat(10_000), (script, seed) => play(script).settle(seed)),
    { numRuns },
  )
})

test('no call of a turn without a positive verdict is asked for or shown, ever (I23)', () => {
  holds(({ world, facts }) => {
    const positive = facts.flatMap((fact) =>
      fact.type === 'model.completed' && fact.payload.turn.verdict === 'complete'
        ? [fact.payload.effectId, fact.payload.turn.message.id]
        : [],
    )
    for (const { decision } of world.decisions)
      for (const effect of decision.effects)
        if (doesCall(effect)) assert.ok(positive.includes(effect.source))
    for (const message of project('', world.log))
      if (message.role === 'assistant' && message.parts.some(({ type }) => type === 'tool_call'))
        assert.ok(positive.includes(message.id))
  })
})

test('nothing starts in a run that is being cancelled (M4, I14)', () => {
  holds(({ world }) => {
    for (const { before, decision } of world.decisions)
      if (before.name === 'cancelling')
        assert.ok(decision.effects.every((effect) => outlives(effect)))
  })
})
