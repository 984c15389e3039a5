/**
 * Requests: headers, retries, problems as errors.
 *
 * C1 A request is sent again only if that cannot do anything twice: reads, creates under their one key, and what is said
 *    once for all (cancels, decisions). A server that answered 429 has done nothing yet.
 * C2 Each try has the same key and the same body.
 * C3 The caller's signal ends whatever is under way, with the signal's own reason.
 */
import { refusal, SignalboxError, unexpected } from './error.ts'
import { type ClientOptions, inRange, clientLimits, type RetryRule, retryRule } from './options.ts'
import { backoffMs, pause } from './pause.ts'
import { readText, startWatch, type SilenceWatch } from './read-body.ts'

/** Parameters by name; a list stands for several of one name. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

/** A request. */
export interface Call {
  readonly method: string
  readonly path: string
  readonly query?: Query | undefined
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>> | undefined
  readonly signal?: AbortSignal | undefined
  /** May it be sent again when nobody knows what became of it? */
  readonly repeatable: boolean
  readonly silenceMs?: number | undefined
}

/** Sends requests to one server. */
export interface Transport {
  readonly url: string
  readonly rule: RetryRule
  readonly answerBytesMax: number
  /** The JSON of an answer; null if it has none. @throws SignalboxError */
  ask(call: Call): Promise<unknown>
  /** One try, whose answer the caller reads while it watches. Throws for whatever is not a good answer. */
  open(call: Call, watch: SilenceWatch): Promise<Response>
}

/** Makes a transport. Throws for options that cannot be. */
export function createTransport(options: ClientOptions): Transport {
  const url = baseOf(options.url)
  const rule = retryRule(options.retry)
  const { answerBytesMax = clientLimits.answerBytesMax, onRetry } = options
  inRange('answerBytesMax', answerBytesMax, [1, Number.MAX_SAFE_INTEGER])
  const send = sender(options, url)

  const open = async (call: Call, watch: SilenceWatch): Promise<Response> => {
    const response = await send(call, watch)
    if (response.ok) return response
    throw refusal(response, await readText(response, { watch, bytesMax: answerBytesMax }))
  }
  const askOnce = async (call: Call): Promise<unknown> => {
    const { silenceMs = clientLimits.silenceMs, signal } = call
    const watch = startWatch(url, { silenceMs, signal })
    try {
      const response = await open(call, watch)
      return jsonOf(response, await readText(response, { watch, bytesMax: answerBytesMax }))
    } finally {
      watch.stop()
    }
  }
  const ask = async (call: Call): Promise<unknown> => {
    for (let tries = 1; ; tries++) {
      try {
        return await askOnce(call)
      } catch (error) {
        const pauseMs = pauseAfter(error, { call, tries, rule })
        if (pauseMs === null || !(error instanceof SignalboxError)) throw error
        onRetry?.({ error, tries, pauseMs })
        await pause(pauseMs, call.signal)
      }
    }
  }
  return { url, rule, answerBytesMax, ask, open }
}

/** How long to wait before the next try; null for none. */
function pauseAfter(
  error: unknown,
  about: { readonly call: Call; readonly tries: number; readonly rule: RetryRule },
): number | null {
  const { call, tries, rule } = about
  if (!(error instanceof SignalboxError) || !error.retry.mayHelp) return null
  if (tries >= rule.triesMax || !(call.repeatable || error.status === 429)) return null
  const pauseMs = Math.max(error.retry.afterMs ?? 0, backoffMs(tries, rule))
  return pauseMs > rule.pauseMsMax ? null : pauseMs
}

function sender(options: ClientOptions, url: string) {
  const { apiKey, headers: source = {}, fetch: given } = options
  return async (call: Call, { signal, failure }: SilenceWatch): Promise<Response> => {
    const own = typeof source === 'function' ? await source() : source
    const headers = {
      accept: 'application/json',
      ...(call.body === undefined ? {} : { 'content-type': 'application/json' }),
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...own,
      ...call.headers,
    }
    const init: RequestInit = {
      method: call.method,
      headers,
      // Keys go to the server that was named, and to no other.
      redirect: 'error',
      signal,
      ...(call.body === undefined ? {} : { body: JSON.stringify(call.body) }),
    }
    const address = addressOf(url, call)
    try {
      // Browsers call `fetch` only as their own.
      return await (given ? given(address, init) : fetch(address, init))
    } catch (error) {
      throw failure(error)
    }
  }
}

function addressOf(url: string, { path, query = {} }: Call): string {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query))
    for (const each of value === undefined ? [] : [value].flat()) search.append(name, String(each))
  const text = search.toString()
  return `${url}${path}${text === '' ? '' : `?${text}`}`
}

function baseOf(given: string): string {
  const url = new URL(given)
  if (!/^https?:$/.test(url.protocol)) throw new TypeError(`url takes http or https, not ${given}`)
  if (url.search !== '' || url.hash !== '' || url.username !== '' || url.password !== '')
    throw new TypeError('url takes an address without credentials, query and fragment')
  return url.href.replace(/\/$/, '')
}

function jsonOf(response: Response, text: string): unknown {
  if (response.status === 204) return null
  try {
    return JSON.parse(text)
  } catch {
    throw unexpected(response.url, response.status)
  }
}
