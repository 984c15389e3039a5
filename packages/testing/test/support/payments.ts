/** The agent of the tests of `signalbox/testing`: it charges cards, within what its passport allows. */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool, z } from 'signalbox'

/** A charge that the tool was asked for. */
export interface Charge {
  readonly amount: number
  readonly currency: string
  readonly idempotencyKey: string
}

/** The tools of a test of its own, and what they did. */
export function payments() {
  const charges: Charge[] = []
  const charge = defineTool({
    name: 'charge_card',
    description: 'Charges a card.',
    effect: 'once',
    input: z.object({ amount: z.number().int().min(1), currency: z.string() }),
    run: (asked, { idempotencyKey }) => {
      charges.push({ ...asked, idempotencyKey })
      return `Charged ${asked.amount} ${asked.currency}.`
    },
  })
  const find = defineTool({
    name: 'find_order',
    description: 'Finds an order.',
    effect: 'read',
    input: z.object({ number: z.number().int() }),
    run: ({ number }) => ({ number, total: 1200, customer: 'ann.lee@mailbox.example' }),
  })
  const report = defineTool({
    name: 'monthly_report',
    description: 'Takes minutes.',
    effect: 'read',
    input: z.object({}),
    run: async (_, { progress, signal }) => {
      progress('half of it')
      await sleep(600_000, undefined, { signal })
      return 'done'
    },
  })
  return { charges, tools: [charge, find, report] }
}

/** It may charge up to 500.00 EUR at a time. */
const passport = {
  passport_id: '0190f4a0-0000-7000-8000-000000000001',
  spec_version: 'oap/1.0',
  status: 'active',
  assurance_level: 'L2',
  capabilities: [{ id: 'payments.charge' }],
  limits: { 'payments.charge': { currency_limits: { EUR: { max_per_tx: 50_000 } } } },
}

const everyTool = ['charge_card', 'find_order', 'monthly_report']

/** Its agents: the clerk, and one who asks the clerk. */
export const agents = {
  clerk: {
    instructions: 'You take payments.',
    description: 'Takes payments.',
    tools: everyTool,
    guardrails: {
      provider: {
        use: 'passport' as const,
        passport,
        capabilities: {
          charge_card: 'payments.charge',
          find_order: 'exempt',
          monthly_report: 'exempt',
        },
      },
      approvalTools: ['charge_card'],
      stream: [{ use: 'pii' as const, toolResults: true }],
    },
  },
  manager: { instructions: 'You delegate.', tools: ['agent:clerk'] },
}
