/** Safety lines of leases, outages and hand-overs, as in `mutations.ts`. */
import type { Mutation } from './mutations.ts'

const engine = (file: string): string => `packages/engine/src/${file}`

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
    name: 'a model call that was handed over ends its run (D4)',
    file: engine('perform/model-call.ts'),
    line: '    if (cause !== null) return null\n',
    becomes: '',
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
