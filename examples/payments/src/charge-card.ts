import { defineTool, z } from 'signalbox'
import type { Bank } from './bank.ts'

/** Charges a card. `once`: Signalbox never runs a call of it again by itself, whatever becomes of the worker. */
export const chargeCard = (bank: Bank) =>
  defineTool({
    name: 'charge_card',
    description: 'Charges the card of the customer for an order.',
    effect: 'once',
    input: z.object({
      order: z.string().describe('The number of the order, such as A-17'),
      amount: z.number().int().min(1).describe('In minor units of the currency: 1200 is 12.00 EUR'),
      currency: z.enum(['EUR', 'USD']),
    }),
    // Passports judge paths, addresses and recipients. The number of an order is none of them.
    judged: { none: ['order'] },
    // The key is the same on every attempt of this call. The bank gets it, and charges once for it.
    run: (payment, { idempotencyKey }) => bank.charge(idempotencyKey, payment),
  })
