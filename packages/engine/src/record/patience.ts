/**
 * Patience: the same port call again, with back-off, until it answers or nobody wants the answer any more (P3 of the ports).
 *
 * P1 What an effect waits for, it waits for as long as its signal: an outage of the register costs time, never a result.
 * P2 Who stands outside of any effect — a request of a client, a step of the reconciler — waits some seconds, and is told.
 */
import { AsyncLocalStorage } from 'node:async_hooks'
import { NewerError } from '@signalbox/core'
import type { Clock, Log, Random } from '../ports.ts'
import { messageOf, TerminalError } from '../errors.ts'

const baseMs = 50
/** Between two tries at most, half as much again with the jitter. */
const pauseMsMax = 2_000

export interface Patience {
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  /** Aborted when the process stops: then the last error is thrown. */
  readonly stopped: AbortSignal
  /** Between two tries at most, where the default is too long. Milliseconds. */
  readonly pauseMs?: number
}

/** Tries outside of any effect: the last one begins some 7 s after the first. */
const triesMax = 9

/** Repeats `attempt` after every throw but a TerminalError. The operation must be one that may be repeated. */
export const insist = <T>(
  patience: Patience,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> => repeat(patience, { what, most: () => Infinity }, attempt)

interface Wait {
  readonly signal: AbortSignal
  over: boolean
}

/** The signal travels with the call: what reads for an effect (content, files, transcripts, views) serves all effects of the process. */
const waits = new AsyncLocalStorage<Wait>()

/** Runs `work` as part of an effect: what it asks `repeatedly`, it asks until `signal` is aborted. */
export async function waitingOn<T>(signal: AbortSignal, work: () => Promise<T>): Promise<T> {
  const wait: Wait = { signal, over: false }
  try {
    return await waits.run(wait, work)
  } finally {
    // Anything the work has set going and nobody waited for is no part of it any more.
    wait.over = true
  }
}

/**
 * A function that belongs to the effect it is made in, whoever calls it: a tool may ask for a file out of a handler of its own, which was
 * set up for another call, or for none.
 */
export const withinEffect = <A extends readonly unknown[], R>(
  ask: (...args: A) => R,
): ((...args: A) => R) => AsyncLocalStorage.bind(ask)

/** Repeats `attempt` for as long as the effect it is part of lasts; outside of any, and when that is over, nine times. */
export function repeatedly<T>(
  patience: Patience,
  what: string,
  attempt: () => Promise<T>,
): Promise<T> {
  const wait = waits.getStore()
  const most = (): number => (wait && !wait.over ? Infinity : triesMax)
  const stopped = wait && !wait.over ? wait.signal : patience.stopped
  return repeat({ ...patience, stopped }, { what, most }, attempt)
}

async function repeat<T>(
  patience: Patience,
  { what, most }: { readonly what: string; readonly most: () => number },
  attempt: () => Promise<T>,
): Promise<T> {
  for (let n = 1; ; n++) {
    try {
      return await attempt()
    } catch (error) {
      const isFinal = error instanceof TerminalError || error instanceof NewerError
      if (isFinal || patience.stopped.aborted || n >= most()) throw error
      patience.log.warn(`${what} failed, trying again`, { attempt: n, error: messageOf(error) })
      const longest = Math.min(patience.pauseMs ?? pauseMsMax, pauseMsMax)
      const backoff = Math.min(longest, baseMs * 2 ** Math.min(n - 1, 10))
      await patience.clock.sleep(backoff * (0.5 + patience.random.unit()), patience.stopped)
    }
  }
}

/** Waits for work, but not longer. Answers whether it is done, or rejects as it does; if it is late, it goes on. */
export async function settlesWithin(
  clock: Pick<Clock, 'sleep'>,
  ms: number,
  work: Promise<unknown>,
): Promise<boolean> {
  const enough = new AbortController()
  const settled = work.then(() => true)
  const late = clock.sleep(ms, enough.signal).then(() => false)
  try {
    return await Promise.race([settled, late])
  } finally {
    enough.abort()
  }
}
