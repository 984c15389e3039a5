import type { Keyring } from '@signalbox/postgres'
import type { Authenticate } from '../http/api.ts'

/** How long an answer of the database is believed. Milliseconds. */
const believedMs = 2_000

/**
 * Authenticates one way until the first key was made, by this process or any other, and another way ever after: whoever makes
 * a key means it. If Postgres does not answer, nobody is let in.
 */
export function onceThereIsAKey(
  keys: Pick<Keyring, 'hasAny'>,
  ways: { readonly before: Authenticate; readonly after: Authenticate },
): Authenticate {
  let has = false
  let until = performance.now() + believedMs
  let asking: Promise<void> | null = null
  const ask = async () => {
    const begun = performance.now()
    has = await keys.hasAny()
    until = begun + believedMs
  }
  return async (headers) => {
    if (!has && performance.now() >= until) {
      asking ??= ask().finally(() => {
        asking = null
      })
      await asking
    }
    return has ? ways.after(headers) : ways.before(headers)
  }
}
