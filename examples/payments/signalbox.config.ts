import process from 'node:process'
import { fileURLToPath } from 'node:url'
import { defineConfig } from 'signalbox'
import { createBank } from './src/bank.ts'
import { chargeCard } from './src/charge-card.ts'
import { monthlyReport } from './src/monthly-report.ts'
import { passport } from './src/passport.ts'

const bank = createBank()

export default defineConfig({
  agents: {
    cashier: {
      model: { provider: 'anthropic', model: 'claude-sonnet-4-5', apiKeyEnv: 'ANTHROPIC_API_KEY' },
      instructions:
        'You take payments for a shop. Look up exchange rates before you charge in another currency than EUR. Never charge twice for one order.',
      tools: ['charge_card', 'monthly_report', 'mcp:rates'],
      guardrails: {
        // The amounts that the agent may charge at all: see src/passport.ts.
        provider: {
          use: 'passport',
          passport,
          capabilities: {
            charge_card: 'payments.charge',
            monthly_report: 'exempt',
            mcp__rates__exchange_rate: 'exempt',
          },
        },
        // A person decides about each charge, with its arguments.
        approvalTools: ['charge_card'],
        // Addresses and card numbers are taken out of the words of the model and the answers of tools.
        stream: [{ use: 'pii', toolResults: true }],
      },
    },
  },
  tools: [chargeCard(bank), monthlyReport(bank)],
  mcpServers: {
    rates: {
      command: process.execPath,
      args: [fileURLToPath(new URL('./servers/rates.mjs', import.meta.url))],
      // The server says of its tool that it only reads, and is believed.
      trustHints: true,
    },
  },
})
