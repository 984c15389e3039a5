/** A bank that remembers what it has done, by the key of each request. A real one is reached over HTTP. */

export interface Payment {
  readonly order: string
  /** In minor units of the currency: cents. */
  readonly amount: number
  readonly currency: string
}

export interface Bank {
  /** The same key again is the same charge, and is done once. */
  charge(key: string, payment: Payment): string
  payments(): readonly Payment[]
}

export function createBank(): Bank {
  const done = new Map<string, Payment>()
  return {
    charge: (key, payment) => {
      if (!done.has(key)) done.set(key, payment)
      return `receipt-${[...done.keys()].indexOf(key) + 1}`
    },
    payments: () => [...done.values()],
  }
}
