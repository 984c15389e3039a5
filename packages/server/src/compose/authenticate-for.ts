/** Who may ask, and as whom: by key, and by the headers of a proxy if the configuration names some. */
import type { Log } from '@signalbox/engine'
import { type Environment, pseudonymKeyEnv } from '../config/environment.ts'
import type { Identity } from '../config/server-schema.ts'
import type { Authenticate } from '../http/api.ts'
import { authenticateByKey } from '../http/authenticate.ts'
import { pseudonymsBy, withIdentity } from '../http/identity.ts'
import { pseudonymKeyIn } from './pseudonym-key.ts'

/** @throws StartError `pseudonym_key` */
export async function authenticateFor(
  environment: Environment,
  identity: Identity | null,
  place: { readonly dataDir: string; readonly log: Log },
): Promise<Authenticate> {
  const byKey = authenticateByKey(environment.apiKey)
  if (identity === null) return byKey
  if (environment.pseudonymKey === null && environment.databaseUrl !== null)
    place.log.warn(
      'pseudonyms of end users are keyed by this data directory; processes elsewhere have others',
      { variable: pseudonymKeyEnv },
    )
  const key = environment.pseudonymKey ?? (await pseudonymKeyIn(place.dataDir))
  return withIdentity(byKey, identity, pseudonymsBy(key))
}
