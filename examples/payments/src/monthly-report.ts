import { setTimeout } from 'node:timers/promises'
import { defineTool, z } from 'signalbox'
import type { Bank } from './bank.ts'

const stepMs = 200

/** Adds up what was charged. Slow: it says how far it is, and stops when its run is cancelled. */
export const monthlyReport = (bank: Bank) =>
  defineTool({
    name: 'monthly_report',
    description: 'Adds up all payments, by currency.',
    effect: 'read',
    timeoutMs: 600_000,
    input: z.object({ days: z.number().int().min(1).max(31).default(30) }),
    run: async ({ days }, { progress, signal }) => {
      for (let day = 1; day <= days; day += 1) {
        await setTimeout(stepMs, undefined, { signal })
        progress(`day ${day} of ${days}`)
      }
      const sums = new Map<string, number>()
      for (const { amount, currency } of bank.payments())
        sums.set(currency, (sums.get(currency) ?? 0) + amount)
      return Object.fromEntries(sums)
    },
  })
