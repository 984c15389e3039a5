/** Safety lines of leases, outages and hand-overs, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`
const memory = (file: string): string => `packages/testing/src/memory/${file}`

export const badDayMutations: readonly Mutation[] = [
  {
    name: 'what begins does not look at its lease (L1)',
    file: engine('perform/leases.ts'),
    line: 'if (clock.monotonic() < one.until) return',
    becomes: 'return',
  },
  {
    name: 'a lease counts from the answer to its renewal, for ever (L1)',
    file: engine('perform/leases.ts'),
    line: 'since + leaseMs * (1 - margin)',
    becomes: 'since + leaseMs * 100',
  },
  {
    name: 'a model is asked under a lease that nobody has looked at (L1)',
    file: engine('perform/model-call.ts'),
    line: '    await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a tool is called under a lease that nobody has looked at (L1)',
    file: engine('perform/tool-call.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a run ends although a call of it is claimed (L1)',
    file: memory('append.ts'),
    line: "return claimStands(tables, { run, now }) ? 'held' : 'ok'",
    becomes: "return 'ok'",
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'waits for what is claimed, and closes the run for claims',
    },
  },
  {
    name: 'a held end leaves the run open for claims',
    file: memory('append.ts'),
    line: "if (code === 'held') run.cancelRequested = true",
    becomes: '',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'waits for what is claimed, and closes the run for claims',
    },
  },
  {
    name: 'a model call that was handed over ends its run (D4)',
    file: engine('perform/model-call.ts'),
    line: '    if (cause !== null) return null\n',
    becomes: '',
    test: {
      file: 'packages/engine/test/leases.test.ts',
      name: 'a model call that is handed over does not end its run',
    },
  },
  {
    name: 'a claim takes what another process holds (I8)',
    file: memory('claim.ts'),
    line: "if (!hasLapsed(tables, effect, now)) return 'leased'",
    becomes: "if (now === 0 && !hasLapsed(tables, effect, now)) return 'leased'",
  },
  {
    name: 'nobody renews while nothing is held (I12)',
    file: engine('create-engine.ts'),
    line: 'if (roles.length > 0) parts.leases.watch()',
    becomes: '',
  },
  {
    name: 'what runs goes on after its lease was lost (L2)',
    file: engine('perform/leases.ts'),
    line: "if (!kept) abort(one, 'lease_lost')",
    becomes: 'if (!kept) continue',
  },
  {
    name: 'a receiver is told under a lease that nobody has looked at (L1)',
    file: engine('perform/webhook.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a policy is asked under a lease that nobody has looked at (L1)',
    file: engine('perform/policy-call.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a call that was cut off is aborted unless it is a once-call (I8)',
    file: engine('perform/tool-call.ts'),
    line: 'if (!settled && !(await leavesNothing(deps, task)))',
    becomes: "if (!settled && task.effect.mode === 'once')",
  },
  {
    name: 'a result that comes too late is forgotten (L3)',
    file: engine('effects/tools.ts'),
    line: "const noted = await insist(deps, 'append', append)",
    becomes: "const noted = { code: 'ok', detail: late.type }",
  },
  {
    name: 'what an effect waits for is tried three times (D5)',
    file: engine('record/patience.ts'),
    line: 'repeat(patience, { what, most: () => Infinity }, attempt)',
    becomes: 'repeat(patience, { what, most: () => 3 }, attempt)',
  },
  {
    name: 'what an outage takes counts against a claim that was under way (L2)',
    file: engine('perform/claim.ts'),
    line: 'if (answersSince === null) return',
    becomes: 'if (answersSince === -Infinity) return',
  },
  {
    name: 'a claim whose answer is lost keeps no lease (L5)',
    file: engine('perform/leases.ts'),
    line: 'underWay.add(claim)',
    becomes: 'underWay.delete(claim)',
    test: {
      file: 'packages/engine/test/leases.test.ts',
      name: 'whose connection is given up after two leases',
    },
  },
  {
    name: 'every lease that has run out is lost (L2)',
    file: memory('lapse.ts'),
    line: 'return now - heartbeat.upSince >= leaseMs && now - heartbeat.at <= leaseMs / 2',
    becomes: 'return true',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is not over in an outage',
    },
  },
  {
    name: 'nobody has time to come back after an outage (L2)',
    file: memory('lapse.ts'),
    line: 'return now - heartbeat.upSince >= leaseMs && now - heartbeat.at <= leaseMs / 2',
    becomes: 'return now - heartbeat.at <= leaseMs / 2',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is not over in an outage',
    },
  },
  {
    name: 'an outage is none where somebody renews after it (L2)',
    file: memory('lapse.ts'),
    line: '&& now - heartbeat.at <= leaseMs / 2\n  tables',
    becomes: '\n  tables',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is not over in an outage',
    },
  },
  {
    name: 'a claim that is sent once more is not known again (D9)',
    file: memory('claim.ts'),
    line: 'if (isHere && isOwn(tables, effect, draft))',
    becomes: 'if (isHere && now === 0 && isOwn(tables, effect, draft))',
  },
  {
    name: 'what still runs is said to be lost (L2)',
    file: memory('fence.ts'),
    line: 'return effect.attempt === fence.attempt && hasLapsed(tables, effect, now)',
    becomes: 'return effect.attempt === fence.attempt',
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is not over in an outage',
    },
  },
  {
    name: 'the result of an attempt that was taken over counts (I7)',
    file: memory('fence.ts'),
    line: "return effect.status === 'started' && effect.attempt === fence.attempt",
    becomes: "return effect.status === 'started'",
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is nothing any more once another attempt has begun',
    },
  },
  {
    name: 'a renewal keeps what another attempt holds (L2)',
    file: memory('register.ts'),
    line: "effect?.status === 'started' && effect.attempt === attempt && effect.leaseUntil !== null",
    becomes: "effect?.status === 'started' && effect.leaseUntil !== null",
  },
  {
    name: 'a once-call whose lease ran out is claimed again (I8)',
    file: memory('claim.ts'),
    line: "return effect.mode === 'once' ? 'lost' : 'ok'",
    becomes: "return 'ok'",
    test: {
      file: 'test/contract/leases.test.ts',
      name: 'is over after its time, while others renew theirs',
    },
  },
  {
    name: 'a call is claimed after the cancel of its run (I14)',
    file: memory('claim.ts'),
    line: "if ((run.cancelRequested || run.status === 'ended') && !outlives) return 'cancelled'",
    becomes: "if (run.status === 'ended' && !outlives) return 'cancelled'",
  },
]
