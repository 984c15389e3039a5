/** How well somebody knows who is behind a passport. Ranks are a table: compared as text, "L4FIN" is below "L4KYC". */

const ranks: ReadonlyMap<string, number> = new Map([
  ['L0', 0],
  ['L1', 1],
  ['L2', 2],
  ['L3', 3],
  ['L4KYC', 4],
  ['L4FIN', 5],
])

/** The minimum of each capability's policy pack. What is not named here needs none. */
const minimum: ReadonlyMap<string, string> = new Map([
  ['data.export', 'L1'],
  ['data.report.ingest', 'L2'],
  ['finance.payment.refund', 'L2'],
  ['payments.charge', 'L2'],
  ['repo.pr.create', 'L2'],
  ['repo.merge', 'L2'],
  ['repo.push', 'L2'],
  ['data.access', 'L3'],
  ['finance.crypto.trade', 'L3'],
  ['finance.transaction', 'L3'],
  ['legal.contract.review', 'L3'],
  ['payments.payout', 'L3'],
  ['repo.release', 'L3'],
])

/** The level a capability needs. */
export const requiredAssurance = (capability: string): string => minimum.get(capability) ?? 'L0'

/** Is `level` at least `required`? An unknown level never is, not even for L0. */
export function isAssured(level: string, required: string): boolean {
  const held = ranks.get(level)
  const needed = ranks.get(required)
  return held !== undefined && needed !== undefined && held >= needed
}
