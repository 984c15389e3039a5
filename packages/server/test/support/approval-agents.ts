/** Agents whose calls a human must approve, each under other rules. */
import { type ConfigInput, definePolicy } from '@signalbox/server'
import { note, noting } from './notes.ts'

const asking = { tools: ['note'], guardrails: { approvalTools: ['note'] } }
const model = { provider: 'scripted', model: 'once' } as const
/** A server that knows users, and agents that ask before each note. */
export const approvalAgents: ConfigInput = {
  agents: {
    clerk: { model, ...asking },
    boss: { model, ...asking, approvals: { roles: ['lead'], forbidRequester: true } },
    hasty: { model, ...asking, approvals: { expiresMs: 1000 } },
    repeater: { model: { ...model, model: 'twice' }, ...asking },
    forever: { model, ...asking },
    guarded: {
      model,
      ...asking,
      guardrails: {
        approvalTools: ['note'],
        provider: definePolicy({
          id: 'no-poison',
          evaluate: ({ args }) => ({
            allow: args['text'] !== 'poison',
            reasons: [{ code: 'poison', message: 'Poison is not noted.' }],
          }),
        }),
      },
    },
  },
  tools: [note],
  scripts: { once: noting(1), twice: noting(2) },
  server: { identity: { userHeader: 'x-user', roleHeader: 'x-role' } },
}
