/**
 * Policies that read arguments, at once or with I/O: what each says about a call is fixed, so that the checks can know it too. The kill switch makes all of
 * them deny from one moment on; a policy that cannot be asked throws, each time alike.
 */
import {
  evaluatorError,
  needsIo,
  type PolicyAnswer,
  type PolicyRequest,
  type PolicySpec,
} from '@signalbox/core'
import type { PolicyHost } from '@signalbox/engine'
import { passports } from '@signalbox/policies'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { beginsUnderLease } from './beginnings.ts'
import { lacks } from './builds.ts'
import type { Incarnation } from './process.ts'
import { epoch } from './schedule.ts'
import { mixOf, seeded } from './seeded.ts'
import type { World } from './world.ts'

/** What a policy says, or that it throws. */
export type Word = PolicyAnswer['effect'] | 'throw'

const slow = 0.1

/** What the policies of the simulation look at. */
export type Asked = Pick<PolicyRequest, 'tool' | 'args' | 'isSubagent'>

/** What a policy says about a call, the kill switch aside; lists and passports have nothing to say here. */
export function wordOf(spec: PolicySpec, { tool, args, isSubagent }: Asked): Word {
  if (spec.use !== 'cedar' && !needsIo(spec)) return 'allow'
  const who = isSubagent ? ' for a run' : ''
  const drawn = seeded(mixOf(`${JSON.stringify(spec)} ${tool} ${JSON.stringify(args)}${who}`))()
  if (drawn < 0.15) return 'deny'
  if (drawn < 0.4) return 'require_approval'
  return drawn < 0.5 ? 'throw' : 'allow'
}

/** Is the policy asked again before an execution? */
export const isAskedAgain = (spec: PolicySpec, approved: boolean): boolean =>
  (spec.use === 'passport' && spec.source !== null) || (approved && needsIo(spec))

const answerOf = (spec: PolicySpec, effect: PolicyAnswer['effect']): PolicyAnswer => ({
  effect,
  reasons: [{ code: `simulated.${effect}`, message: `${spec.id} says ${effect}` }],
  policyId: spec.id,
  policyDigest: spec.digest,
})

/** Answers at once; it cannot be switched off. */
export const evaluatorOf: PolicyHost['evaluator'] = (spec) =>
  spec.use === 'cedar' ? (asked) => answerOrThrow(spec, wordOf(spec, asked)) : null

function answerOrThrow(spec: PolicySpec, word: Word): PolicyAnswer {
  if (word === 'throw') throw new Error('the policy is down')
  return answerOf(spec, word)
}

export function simulatedPolicies(
  world: World,
  { tables }: MemoryRegister,
  life: Incarnation,
): PolicyHost {
  const { schedule, killedAt, complaints } = world
  const mustHave = (spec: PolicySpec): void => {
    if (lacks(life, spec)) complaints.push(`P1 ${life.owner} asks ${spec.id}, which it lacks`)
  }
  const ask: PolicyHost['ask'] = async (spec, asked, signal) => {
    mustHave(spec)
    await life.clock.sleep(schedule.between(1, schedule.chance(slow) ? 700 : 30), signal)
    signal.throwIfAborted()
    return answerOrThrow(spec, epoch + schedule.now >= killedAt ? 'deny' : wordOf(spec, asked))
  }
  return {
    passports,
    evaluator: (spec) => {
      mustHave(spec)
      return evaluatorOf(spec)
    },
    prepare: async (specs) => {
      const lacked = specs.find((spec) => lacks(life, spec))
      if (lacked) throw new Error(`the module of ${lacked.id} is missing`)
    },
    ask: (spec, asked, signal) => {
      const { runId, callId } = asked
      const effect = [...tables.effects.values()].find(
        (each) =>
          each.runId === runId &&
          // The end of the run may have closed it.
          (each.status === 'started' || each.status === 'cancelled') &&
          each.owner === life.owner &&
          each.spec.kind === 'policy.evaluate' &&
          each.spec.callIds.includes(callId),
      )
      beginsUnderLease(world, life, tables, { effect, what: `the question about ${callId}` })
      return ask(spec, asked, signal)
    },
    recheck: async (specs, request, { approved, failClosed, signal }) => {
      for (const spec of specs.filter((each) => isAskedAgain(each, approved))) {
        const answer = await ask(spec, request, signal).catch(() =>
          failClosed ? evaluatorError(spec) : answerOf(spec, 'allow'),
        )
        signal.throwIfAborted()
        if (answer.effect === 'deny') return answer
      }
      return null
    },
    close: async () => {},
  }
}
