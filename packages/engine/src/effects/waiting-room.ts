/** The effects that wait in this process for room: tenants take turns, each is served in the order in which it came. Bounded. */

interface Waits {
  readonly effectId: string
  readonly tenantId: string
}

export interface WaitingRoom {
  readonly size: number
  /** Asked twice, it waits once. Full, whoever has most waiting loses his newest: that is announced again by the reconciler. */
  add(one: Waits): void
  /** Whose turn it is; he waits no more. */
  next(): string | undefined
}

export function createWaitingRoom(max: number): WaitingRoom {
  /** By tenant, in the order of their turns. */
  const tenants = new Map<string, Set<string>>()
  let size = 0

  const dropFrom = (tenantId: string, waiting: Set<string>, effectId: string): void => {
    if (waiting.delete(effectId)) size -= 1
    if (waiting.size === 0) tenants.delete(tenantId)
  }

  const dropOfGreatest = (): void => {
    let greatest: [string, Set<string>] | undefined
    for (const each of tenants) if (!greatest || each[1].size > greatest[1].size) greatest = each
    const newest = greatest && [...greatest[1]].at(-1)
    if (greatest && newest !== undefined) dropFrom(...greatest, newest)
  }

  return {
    get size() {
      return size
    },
    add({ effectId, tenantId }) {
      const waiting = tenants.get(tenantId) ?? new Set<string>()
      if (waiting.has(effectId)) return
      tenants.set(tenantId, waiting.add(effectId))
      size += 1
      if (size > max) dropOfGreatest()
    },
    next() {
      const [first] = tenants
      if (!first) return undefined
      const [tenantId, waiting] = first
      const [effectId] = waiting
      // To the end of the line: those who have come meanwhile are before him.
      tenants.delete(tenantId)
      tenants.set(tenantId, waiting)
      if (effectId !== undefined) dropFrom(tenantId, waiting, effectId)
      return effectId
    },
  }
}
