import { setTimeout as sleep } from 'node:timers/promises'
import { isPassing } from './client/problem.ts'

const everyMs = 1000
/** How long a server may stay away. */
const patienceMs = 30_000

/** Asks every second, until the signal. A server that is away for a moment is waited for. @throws Failure */
export async function* pollEverySecond<Answer>(
  question: () => Promise<Answer>,
  signal: AbortSignal,
): AsyncGenerator<Answer> {
  let answeredAt: number | null = null
  while (!signal.aborted) {
    try {
      yield await question()
      answeredAt = performance.now()
    } catch (error) {
      // One that never answered is most likely the wrong one.
      const isAway = isPassing(error) && answeredAt !== null
      if (!isAway || performance.now() - (answeredAt ?? 0) > patienceMs) throw error
    }
    await sleep(everyMs, undefined, { signal }).catch(() => {})
  }
}
