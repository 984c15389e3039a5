/**
 * The cancels that arrived in this process and are not recorded yet, by thread.
 *
 * A chat page sends a cancel, does not wait for its answer, and reads the thread at once. If the thread is read before the
 * cancel is recorded, it has a step that is still to run, and the page shows a breakpoint that nothing takes back. So a read
 * of a thread waits for the cancels that arrived before it. This is a hint of one process: a read that another process
 * answers shows the log as it stands.
 */
export interface OneThread {
  readonly tenantId: string
  /** Null: of a run without a thread, which nobody can read. */
  readonly threadId: string | null
}

export class CancelsUnderWay {
  readonly #underWay = new Map<string, Set<Promise<unknown>>>()

  /** Counts as under way until `record` has answered, or failed. */
  async during<T>({ tenantId, threadId }: OneThread, record: () => Promise<T>): Promise<T> {
    if (threadId === null) return record()
    const key = keyOf(tenantId, threadId)
    const those = this.#underWay.get(key) ?? new Set()
    const recorded = record()
    this.#underWay.set(key, those.add(recorded))
    try {
      return await recorded
    } finally {
      those.delete(recorded)
      if (those.size === 0 && this.#underWay.get(key) === those) this.#underWay.delete(key)
    }
  }

  /** Resolves when the cancels of the thread that are under way now are recorded, or failed: each takes at most as long as its command. */
  async recorded(tenantId: string, threadId: string): Promise<void> {
    const those = this.#underWay.get(keyOf(tenantId, threadId))
    if (those) await Promise.allSettled(those)
  }
}

const keyOf = (tenantId: string, threadId: string): string => JSON.stringify([tenantId, threadId])
