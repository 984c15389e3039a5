import type { z } from 'zod'

/** The other end of a `Child`: answers orders one after the other, and ends with whoever started it. */
export function answering<Order, Report>(
  orders: z.ZodType<Order>,
  obey: (order: Order) => Promise<Report>,
): void {
  let last: Promise<unknown> = Promise.resolve()
  process.on('message', (message) => {
    last = last
      .then(() => obey(orders.parse(message)))
      .then((report) => process.send?.(report))
      .catch((error: unknown) => {
        console.error(error)
        process.exit(1)
      })
  })
  // Whoever started us is gone: nothing is left to do.
  process.on('disconnect', () => process.exit(1))
}
