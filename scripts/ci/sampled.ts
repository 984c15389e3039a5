/** A part of many cases that leaves no kind of them out. */

/** One case in `oneIn` of its group is taken. */
export interface Share {
  readonly group: string
  readonly oneIn: number
}

/**
 * Of each group its share, at least one, by a number that decides which: numbers that follow each other take every case in
 * turn. How many they are is the same for every number, so that a minimum can be said for all. The order stays.
 */
export function sampled<T extends Share>(cases: readonly T[], number: number): readonly T[] {
  const chosen = new Set<T>()
  for (const [name, group] of Map.groupBy(cases, (one) => one.group))
    for (const one of shareOf(group, number + placeOf(name))) chosen.add(one)
  return cases.filter((one) => chosen.has(one))
}

/** So many cases behind each other, of an order in which neighbours of the group stand far apart. */
function shareOf<T extends Share>(group: readonly T[], number: number): readonly T[] {
  // A group that is smaller than the stride gives one each time.
  const stride = Math.min(Math.max(...group.map(({ oneIn }) => oneIn)), group.length)
  const spread = Array.from({ length: stride }, (_, first) =>
    group.filter((_one, n) => n % stride === first),
  ).flat()
  const count = Math.ceil(group.length / stride)
  const begin = ((number % stride) * count) % group.length
  return [...spread, ...spread].slice(begin, begin + count)
}

/** Groups that are alike do not all begin at the same place. */
const placeOf = (name: string): number =>
  Buffer.from(name).reduce((sum, byte) => (sum * 31 + byte) % 1_000_003, 0)
