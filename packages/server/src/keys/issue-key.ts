import type { Random } from '@signalbox/engine'
import type { Keyring, ListedKey } from '@signalbox/postgres'
import { mintKey } from './key-text.ts'
import type { Scope } from './scope.ts'

/** Live keys of one tenant at most. */
export const liveKeysMax = 1000
/** Characters of the name of a key. */
export const keyNameCharsMax = 100

/** What a key is to be. Times in milliseconds since the epoch. */
export interface KeyWish {
  readonly tenantId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  /** Null: it never expires. */
  readonly expiresAt: number | null
  /** Who makes it: an actor. */
  readonly by: string
}

/** A key, and its text, which is to be had here and never again. */
export interface IssuedKey {
  readonly key: ListedKey
  readonly text: string
}

/** Makes a key; null if the tenant has `liveKeysMax` live ones already. Rejects if Postgres does. */
export async function issueKey(
  keyring: Pick<Keyring, 'create'>,
  random: Pick<Random, 'hex'>,
  wish: KeyWish,
): Promise<IssuedKey | null> {
  const { id, text, digest } = mintKey(random)
  const key = await keyring.create({ ...wish, id, digest }, liveKeysMax)
  return key === null ? null : { key, text }
}
