/**
 * How often a run used a capability: fixed windows of a minute, an hour and a day in UTC. They count per run: two runs
 * under one passport do not see each other's calls. For limits across runs ask a policy server.
 *
 * The state is part of the cached state of a run: five capabilities always have counts, which stop at 999,999. Others have
 * counts and sums only where a passport of the second edition limits them.
 */

/** Calls so far, by capability: in this minute, this hour, this day. `at` is the minute they stand for. */
export interface RateState {
  /** Minutes since the epoch. */
  readonly at: number
  readonly calls: { readonly [capability: string]: readonly [number, number, number] }
}

/** A window that a limit names. */
export type RateWindow = 'minute' | 'hour' | 'day'

/** No calls yet. */
export const noCalls: RateState = { at: 0, calls: {} }

const counted: ReadonlySet<string> = new Set([
  'data.file.write',
  'mcp.tool.execute',
  'messaging.send',
  'web.browser',
  'web.fetch',
])
const callsMax = 999_999

/** The state after one more call at `at`, in milliseconds since the epoch. Capabilities without rates are not counted. */
export function countCall(state: RateState, capability: string, at: number): RateState {
  return counted.has(capability)
    ? add(state, { key: capability, by: 1, most: callsMax }, at)
    : state
}

/** The call as a count of its capability, if that is one of the five. */
export const alwaysCounted = (capability: string): readonly CallTally[] =>
  counted.has(capability) ? [{ key: capability, by: 1 }] : []

/** The state after `by` more under any key, in the windows of `at`: a count of calls, or a sum of amounts. */
export const addTally = (state: RateState, tally: CallTally, at: number): RateState =>
  counted.has(tally.key)
    ? countCall(state, tally.key, at)
    : add(state, { ...tally, most: Number.MAX_SAFE_INTEGER }, at)

/** Something a call adds to a count of its run. */
export interface CallTally {
  readonly key: string
  readonly by: number
}

function add(
  state: RateState,
  { key, by, most }: CallTally & { readonly most: number },
  at: number,
): RateState {
  const now = Math.max(state.at, Math.floor(at / 60_000))
  const live = Object.keys(state.calls).map((name) => [name, callsOf(state, name, now)] as const)
  const kept = live.filter(([, [, , day]]) => day > 0)
  const more = callsOf(state, key, now).map((count) => Math.min(count + by, most))
  const calls = {
    ...Object.fromEntries(kept),
    [key]: [more[0] ?? 0, more[1] ?? 0, more[2] ?? 0] as const,
  }
  return { at: now, calls }
}

/** Calls of a capability in the window that `at` (milliseconds) lies in. Time that runs backwards resets nothing. */
export function rateOf(
  state: RateState,
  capability: string,
  when: { readonly window: RateWindow; readonly at: number },
): number {
  const now = Math.max(state.at, Math.floor(when.at / 60_000))
  const [minute, hour, day] = callsOf(state, capability, now)
  return { minute, hour, day }[when.window]
}

function callsOf(
  state: RateState,
  capability: string,
  now: number,
): readonly [number, number, number] {
  const [minute = 0, hour = 0, day = 0] = Object.hasOwn(state.calls, capability)
    ? (state.calls[capability] ?? [])
    : []
  const same = (minutes: number): boolean =>
    Math.floor(state.at / minutes) === Math.floor(now / minutes)
  // A minute, an hour and a day, in minutes.
  return [same(1) ? minute : 0, same(60) ? hour : 0, same(1440) ? day : 0]
}
