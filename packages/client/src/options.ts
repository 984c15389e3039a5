/** What a client is made with, and the limits that it keeps. */
import type { SignalboxError } from './error.ts'

/** Headers by name. */
export type HeaderSource = Readonly<Record<string, string>>

/** The part of `fetch` that is used. */
export type Fetch = (url: string, init: RequestInit) => Promise<Response>

/** A request that is about to be sent again. */
export interface Again {
  readonly error: SignalboxError
  /** How often it has been tried by now. */
  readonly tries: number
  readonly pauseMs: number
}

/** What a client is made with. */
export interface ClientOptions {
  /** Address of the server, as `http://127.0.0.1:7420`. Below a path too. */
  readonly url: string
  /** Sent as `Authorization: Bearer`. */
  readonly apiKey?: string | undefined
  /** Sent with each request. A function is asked before each try, so that a token may be renewed. */
  readonly headers?: HeaderSource | (() => HeaderSource | Promise<HeaderSource>) | undefined
  /** Default: the global one. */
  readonly fetch?: Fetch | undefined
  readonly retry?: Partial<RetryRule> | undefined
  /** Told before a request is sent again. What it throws is thrown by the request. */
  readonly onRetry?: ((again: Again) => void) | undefined
  /** An answer that is larger is not read to its end. Bytes, default 64 MiB. Events of streams: each. */
  readonly answerBytesMax?: number | undefined
}

/** When requests are sent again, and streams resumed. */
export interface RetryRule {
  /** Tries of a request, the first one included. 1 to 100, default 5. */
  readonly triesMax: number
  /** The pause before the second try is up to this, and doubles. Milliseconds, default 200. */
  readonly pauseMs: number
  /** No pause is longer; a server that asks for more is not asked again. Milliseconds, default 10,000. */
  readonly pauseMsMax: number
  /** A stream that could not be resumed for so long is given up. Milliseconds, default 60,000. */
  readonly patienceMs: number
}

/** Defaults and limits. */
export const clientLimits = {
  answerBytesMax: 64 * 1024 * 1024,
  /** Servers say something every five seconds while an answer lasts; who is silent for longer is gone. */
  silenceMs: 30_000,
  /** A cancel that waits is silent for a minute. */
  waitingSilenceMs: 90_000,
  /** What a timer can hold. */
  timeoutMsMax: 2_147_483_647,
  pageMax: 1000,
}

/** The rule with its defaults. Throws a RangeError that names what cannot be. */
export function retryRule(given: Partial<RetryRule> = {}): RetryRule {
  const rule = { triesMax: 5, pauseMs: 200, pauseMsMax: 10_000, patienceMs: 60_000, ...given }
  inRange('retry.triesMax', rule.triesMax, [1, 100])
  for (const name of ['pauseMs', 'pauseMsMax', 'patienceMs'] as const)
    inRange(`retry.${name}`, rule[name], [0, clientLimits.timeoutMsMax])
  return rule
}

/** Asserts a whole number between two others, both included. */
export function inRange(name: string, value: number, [min, max]: readonly [number, number]): void {
  if (!Number.isSafeInteger(value) || value < min || value > max)
    throw new RangeError(`${name} takes a whole number from ${min} to ${max}, not ${value}`)
}
