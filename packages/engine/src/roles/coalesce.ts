/** One run of `work` per key at a time; asked again meanwhile, it runs once more. Never rejects. */
export interface Coalescer {
  ask(key: string): Promise<void>
  /** Resolves when nothing is running. */
  idle(): Promise<void>
}

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

  return {
    ask(key) {
      const now = running.get(key)
      if (now) {
        again.add(key)
        return now
      }
      const started = loop(key)
      running.set(key, started)
      return started
    },
    async idle() {
      while (running.size > 0) await Promise.all(running.values())
    },
  }
}
