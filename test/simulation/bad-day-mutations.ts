/** Safety lines of leases, outages and hand-overs, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`

export const badDayMutations: readonly Mutation[] = [
  {
    name: 'a call goes on although its lease is lost (L2)',
    file: engine('perform/leases.ts'),
    line: "if (!kept) abort(one, 'lease_lost')",
    becomes: 'if (!kept) continue',
  },
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
    name: 'a webhook is sent under a lease that nobody has looked at (L1)',
    file: engine('perform/webhook.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a model is asked under a lease that nobody has looked at (L1)',
    file: engine('perform/model-call.ts'),
    line: '    await held.begin()\n',
    becomes: '',
  },
  {
    name: 'policies are asked under a lease that nobody has looked at (L1)',
    file: engine('perform/policy-call.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a tool is called under a lease that nobody has looked at (L1)',
    file: engine('perform/tool-call.ts'),
    line: '  await held.begin()\n',
    becomes: '',
  },
  {
    name: 'a model call that was handed over ends its run (D4)',
    file: engine('perform/model-call.ts'),
    line: '    if (cause !== null) return null\n',
    becomes: '',
  },
  {
    name: 'an idempotent call that was cut is said to be aborted (I8)',
    file: engine('perform/tool-call.ts'),
    line: "if (!settled && task.effect.mode !== 'read') return",
    becomes: "if (!settled && task.effect.mode === 'once') return",
  },
  {
    name: 'a late result leaves no note (L3)',
    file: engine('roles/worker.ts'),
    line: 'const noted = await append(deps, row, late)',
    becomes: 'const noted = { code: late ? "ok" : "rejected", detail: "" }',
  },
  {
    name: 'an outage takes calls from those who could not renew them (L2)',
    file: engine('memory/lapse.ts'),
    line: 'return now - heartbeat.upSince >= leaseMs && now - heartbeat.at <= leaseMs / 2',
    becomes: 'return true',
  },
  {
    name: 'leases run on as soon as the register is back (L2)',
    file: engine('memory/lapse.ts'),
    line: 'now - heartbeat.upSince >= leaseMs &&',
    becomes: 'now >= heartbeat.upSince &&',
  },
  {
    name: 'a pause of renewals is no outage (L2)',
    file: engine('memory/lapse.ts'),
    line: 'upSince: isUp ? heartbeat.upSince : now',
    becomes: 'upSince: isUp || heartbeat ? (heartbeat?.upSince ?? now) : now',
  },
  {
    name: 'a claim whose answer was lost is not known again (L2)',
    file: engine('memory/claim.ts'),
    line: 'if (isHere && isOwn(tables, effect, draft))',
    becomes: 'if (isHere && isOwn(tables, effect, draft) && !effect)',
  },
  {
    name: 'a lease that runs is said to be lost (I8)',
    file: engine('memory/fence.ts'),
    line: 'effect.attempt === fence.attempt && hasLapsed(tables, effect, now)',
    becomes:
      "effect.attempt === fence.attempt && (effect.status === 'started' || hasLapsed(tables, effect, now))",
  },
  {
    name: 'a result of an attempt that was taken over counts (I7)',
    file: engine('memory/fence.ts'),
    line: "effect.status === 'started' && effect.attempt === fence.attempt",
    becomes: "effect.status === 'started'",
  },
  {
    name: 'a claim takes what another process holds (I8)',
    file: engine('memory/claim.ts'),
    line: "if (!hasLapsed(tables, effect, now)) return 'leased'",
    becomes: "if (now === 0 && !hasLapsed(tables, effect, now)) return 'leased'",
  },
  {
    name: 'nobody renews while nothing is held (I12)',
    file: engine('create-engine.ts'),
    line: 'if (roles.length > 0) parts.leases.watch()',
    becomes: '',
  },
]
