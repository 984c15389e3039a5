/** A part of many cases that leaves no kind of them out. */

/** One case in `oneIn` of its group is taken. */
export interface Share {
  readonly group: string
  readonly oneIn: number
}

/**
 * Of each group its share, at least one, by a number that decides which: numbers that follow each other take every case in
 * turn. The order stays.
 */
export function sampled<T extends Share>(cases: readonly T[], number: number): readonly T[] {
  const chosen = new Set<T>()
  for (const [name, group] of Map.groupBy(cases, (one) => one.group))
    for (const [n, one] of group.entries()) {
      // A group that is smaller than the stride gives one each time.
      const stride = Math.min(one.oneIn, group.length)
      if (n % stride === (number + placeOf(name)) % stride) chosen.add(one)
    }
  return cases.filter((one) => chosen.has(one))
}

/** Groups that are alike do not all begin at the same place. */
const placeOf = (name: string): number =>
  Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 0)
