import { appendFile, access } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import { defineTool, z } from 'signalbox'

const folder = process.env['SHOP_FOLDER'] ?? '.'

/** Notes what the bank was asked for, and waits until the bank answers: until there is a file of that name. */
export const chargeCard = defineTool({
  name: 'charge_card',
  description: 'Charges the card of the customer.',
  effect: 'once',
  queue: 'payments',
  timeoutMs: 30_000,
  input: z.object({ amount: z.number() }),
  async run({ amount }, { signal }) {
    await appendFile(join(folder, 'charges'), `${process.pid} ${amount}\n`)
    while (!(await hasAnswered())) await setTimeout(20, undefined, { signal })
    return `charged ${amount}`
  },
})

const hasAnswered = (): Promise<boolean> =>
  access(join(folder, 'bank-answers')).then(
    () => true,
    () => false,
  )
