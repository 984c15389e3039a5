/** The run machine takes an event as XState's own pure function does, which makes an actor for each. */
import assert from 'node:assert/strict'
import { test } from 'vitest'
import { getMicrosteps } from 'xstate'
import { decide, isFinal } from '../src/index.ts'
import { restore } from '../src/state.ts'
import { noPassports } from '../src/verdict/authorization/passports.ts'
import type { MachineEvent } from '../src/machine/context.ts'
import { macrostep } from '../src/machine/macrostep.ts'
import type { Emission } from '../src/machine/plan.ts'
import { fresh, machine } from './support/machine.ts'
import { checker } from './support/plays.ts'

test('the same snapshots are passed, and the same is asked for', () => {
  let taken = 0
  checker(200)(({ subject, facts }) => {
    let state = fresh
    for (const fact of facts) {
      if (isFinal(state)) return
      const before = restore(machine, state)
      const asked: { readonly ours: Emission[]; readonly theirs: Emission[] } = {
        ours: [],
        theirs: [],
      }
      const event = (emissions: Emission[]): MachineEvent =>
        // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- `type` and `fact` agree by construction
        ({
          type: fact.type,
          fact,
          agent: subject.agent,
          run: subject.run,
          evaluatorOf: subject.evaluatorOf ?? (() => null),
          passports: subject.passports ?? noPassports,
          ask: (emission: Emission) => void emissions.push(emission),
        }) as MachineEvent
      const ours = macrostep(machine.chart, before, event(asked.ours))
      const theirs = getMicrosteps(machine.chart, before, event(asked.theirs))
      assert.deepEqual(
        ours.map(({ value, context, status }) => ({ value, context, status })),
        theirs.map(([{ value, context, status }]) => ({ value, context, status })),
      )
      assert.deepEqual(asked.ours, asked.theirs)
      taken += asked.ours.length
      state = decide(subject, state, [fact]).state
    }
  })
  assert.ok(taken > 1_000)
})
