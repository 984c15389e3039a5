/** Keys of any tenant, made as the command line makes them: straight in the database. */
import { systemRandom } from '@signalbox/engine'
import { createKeyring, type Keyring } from '@signalbox/postgres'
import { issueKey, type IssuedKey } from '../../src/keys/issue-key.ts'
import type { Scope } from '../../src/keys/scope.ts'

export interface KeyMaker {
  readonly keyring: Keyring
  make(
    tenantId: string,
    scopes: readonly Scope[],
    options?: { readonly expiresAt?: number },
  ): Promise<IssuedKey>
}

/** `adminUrl`: as a superuser. */
export function keyMaker(adminUrl: string): KeyMaker {
  const keyring = createKeyring({ url: adminUrl, role: 'signalbox_owner' })
  return {
    keyring,
    make: async (tenantId, scopes, { expiresAt = null } = {}) => {
      const wish = { tenantId, name: 'test', scopes, expiresAt, by: 'test' }
      const issued = await issueKey(keyring, systemRandom, wish)
      if (issued === null) throw new Error('too many keys')
      return issued
    },
  }
}

/** Headers that show a key. */
export const showing = (text: string) => ({ authorization: `Bearer ${text}` })
