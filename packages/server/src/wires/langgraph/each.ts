/** At a time: as many as the register takes in one append. */
const width = 32

/** Does something for each item, several at a time; answers in their order. After a failure no other is begun. */
export async function each<Item, Result>(
  items: readonly Item[],
  act: (item: Item, n: number) => Promise<Result>,
): Promise<readonly Result[]> {
  const results = new Map<number, Result>()
  const entries = items.entries()
  let failed = false
  const work = async (): Promise<void> => {
    for (const [n, item] of entries) {
      if (failed) return
      try {
        results.set(n, await act(item, n))
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  // All of them settle before the first failure is told: nothing goes on behind an answer.
  const settled = await Promise.allSettled(Array.from({ length: width }, work))
  for (const one of settled) if (one.status === 'rejected') throw one.reason
  return items.flatMap((_, n) => {
    const result = results.get(n)
    return result === undefined ? [] : [result]
  })
}
