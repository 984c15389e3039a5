/** One run of `work` per key at a time; asked again meanwhile, it runs once more. Never rejects. */
export interface Coalescer {
  ask(key: string): Promise<void>
  /**
   * Asks, unless many are at work already. For what a poll finds as well: hints come in the order in which they were sent, and a
   * poll lets tenants take turns, so under load it is the poll that is listened to.
   */
  hint(key: string): void
  /** Resolves when nothing is running. */
  idle(): Promise<void>
}

/** At work at a time, of those that were only hinted at. */
const hintedMax = 256

export function createCoalescer(
  work: (key: string) => Promise<void>,
  onError: (key: string, error: unknown) => void,
): Coalescer {
  const running = new Map<string, Promise<void>>()
  const again = new Set<string>()

  const loop = async (key: string): Promise<void> => {
    do {
      again.delete(key)
      await work(key).catch((error: unknown) => onError(key, error))
    } while (again.has(key))
    running.delete(key)
  }

  const ask: Coalescer['ask'] = (key) => {
    const now = running.get(key)
    if (now) {
      again.add(key)
      return now
    }
    const started = loop(key)
    running.set(key, started)
    return started
  }

  return {
    ask,
    hint(key) {
      if (running.size < hintedMax || running.has(key)) void ask(key)
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
