/** Dispatch and wakes within one process. Nothing is kept: a hint nobody takes is gone with the process. */
import { setTimeout } from 'node:timers/promises'
import type { Delta, Dispatcher, Hint, HintSource, WakeBus, WakeTopic } from '@signalbox/engine'

/** A queue for tests: hands each hint to the started source, up to the queue's concurrency. */
export function createMemoryQueue(): {
  readonly dispatcher: Dispatcher
  readonly source: HintSource
} {
  /** By effect and number: a queue holds a hint once. */
  const waiting = new Map<string, Hint>()
  const active = new Set<string>()
  const running = new Set<Promise<void>>()
  const room = new Map<string, number>()
  let perform: ((effectId: string) => Promise<unknown>) | null = null

  const pump = (): void => {
    for (const [key, hint] of waiting) {
      const free = room.get(hint.queue) ?? 0
      if (!perform || free <= 0) continue
      waiting.delete(key)
      active.add(key)
      room.set(hint.queue, free - 1)
      const work = perform(hint.effectId)
        .catch(() => {})
        .then(() => {
          room.set(hint.queue, (room.get(hint.queue) ?? 0) + 1)
          running.delete(work)
          active.delete(key)
          pump()
        })
      running.add(work)
    }
  }

  return {
    dispatcher: {
      dispatch: async (hints) => {
        for (const hint of hints) {
          const key = `${hint.effectId}-${hint.dispatch}`
          if (!active.has(key)) waiting.set(key, hint)
        }
        pump()
      },
      depth: async (queue) => [...waiting.values()].filter((hint) => hint.queue === queue).length,
      close: async () => {},
    },
    source: {
      start: async (queues, performer) => {
        for (const { queue, concurrency } of queues) room.set(queue, concurrency)
        perform = performer
        pump()
      },
      stop: async (graceMs) => {
        perform = null
        const enough = new AbortController()
        const grace = setTimeout(graceMs, undefined, { signal: enough.signal }).catch(() => {})
        await Promise.race([Promise.all(running), grace])
        enough.abort()
      },
    },
  }
}

interface Subscription<T> {
  readonly hear: (message: T) => void
}

/** A wake bus within one process. */
export function createMemoryWakeBus(): WakeBus {
  const listeners = new Map<WakeTopic, Set<Subscription<readonly string[]>>>()
  const followers = new Map<string, Set<Subscription<Delta>>>()
  let open = true
  const send = <T>(to: Iterable<Subscription<T>> | undefined, message: T): void => {
    if (open) for (const subscription of to ?? []) queueMicrotask(() => hear(subscription, message))
  }
  return {
    publish: (topic, ids) => send(listeners.get(topic), ids),
    subscribe: (topic, listener) => join(listeners, topic, { hear: listener }),
    publishDelta: (delta) => send(followers.get(delta.runId), delta),
    subscribeDeltas: (runId, listener) => join(followers, runId, { hear: listener }),
    close: async () => {
      open = false
      listeners.clear()
      followers.clear()
    },
  }
}

/** A listener that throws harms nobody else. */
function hear<T>(subscription: Subscription<T>, message: T): void {
  try {
    subscription.hear(message)
  } catch {
    // Nobody to tell: the bus is lossy, and the listener's own error is its own.
  }
}

function join<K, V>(map: Map<K, Set<V>>, key: K, value: V): () => void {
  const set = map.get(key) ?? new Set()
  map.set(key, set.add(value))
  return () => void set.delete(value)
}
