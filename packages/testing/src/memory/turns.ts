/** Turns: tenants that wait for the same are served one after the other, whoever came with how much. */

interface Owned {
  readonly tenantId: string
}

/** Each tenant's first, then each tenant's second, and so on; within a turn as they came. */
export function inTurns<T extends Owned>(rows: readonly T[]): readonly T[] {
  const counts = new Map<string, number>()
  const numbered = rows.map((row) => {
    const turn = counts.get(row.tenantId) ?? 0
    counts.set(row.tenantId, turn + 1)
    return { row, turn }
  })
  return numbered.toSorted((a, b) => a.turn - b.turn).map(({ row }) => row)
}

/** The first row of the first tenant behind another; behind the last tenant comes the first. */
export function nextTenant<T extends Owned>(rows: readonly T[], after: string): T | undefined {
  const tenants = [...new Set(rows.map(({ tenantId }) => tenantId))].toSorted()
  const next = tenants.find((tenant) => tenant > after) ?? tenants[0]
  return rows.find(({ tenantId }) => tenantId === next)
}

/** Leaves out the rows of some runs. */
export function isNoneOf(
  except: readonly string[] = [],
): (row: { readonly runId: string }) => boolean {
  return ({ runId }) => !except.includes(runId)
}
