import type { Keyring } from '@signalbox/postgres'
import type { Authenticate } from '../http/api.ts'

/** How long an answer of the database is believed. Milliseconds. */
const believedMs = 2_000

/** How callers are known, and whether that asks for nothing. */
export interface Authentication {
  readonly authenticate: Authenticate
  /** Is no key asked for? Null: one always is. Rejects if Postgres does not answer. */
  readonly isOpen: (() => Promise<boolean>) | null
}

/**
 * Authenticates one way until the first key was made, by this process or any other, and another way ever after: whoever makes
 * a key means it. If Postgres does not answer, nobody is let in.
 */
export function onceThereIsAKey(
  keys: Pick<Keyring, 'hasAny'>,
  ways: { readonly before: Authenticate; readonly after: Authenticate },
): Authentication {
  let has = false
  let until = performance.now() + believedMs
  let asking: Promise<void> | null = null
  const ask = async () => {
    const begun = performance.now()
    has = await keys.hasAny()
    until = begun + believedMs
  }
  const isOpen = async (): Promise<boolean> => {
    if (!has && performance.now() >= until) {
      asking ??= ask().finally(() => {
        asking = null
      })
      await asking
    }
    return !has
  }
  return {
    isOpen,
    authenticate: async (headers) =>
      (await isOpen()) ? ways.before(headers) : ways.after(headers),
  }
}
