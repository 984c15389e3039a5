/**
 * Who may read the metrics of a process without the API. Its health is asked for by nobody in particular.
 *
 * H1 Such a process needs no key to start: there is nothing that a caller could change.
 * H2 With SIGNALBOX_METRICS_KEY, or without the login that reads keys, only the keys of its environment count beside those that it can
 *    read. So a worker holds neither the operator's key nor a login of tenants.
 */
import { createKeyring, type Keyring } from '@signalbox/postgres'
import { authenticateByKey } from '../http/authenticate.ts'
import { inTime } from '../http/in-time.ts'
import { KnownKeys } from '../keys/known-keys.ts'
import { LastUsed } from '../keys/last-used.ts'
import type { Closers } from './closers.ts'
import { doorOf } from './door-of.ts'
import { type OpenedAccess, type AccessOptions, openAccess, postgresMsMax } from './open-access.ts'

export type HealthAccess = Pick<OpenedAccess, 'authenticate' | 'door'>

/** @throws StartError `open_refused` where a process that reads keys would be open to everybody */
export async function openHealthAccess(
  options: AccessOptions & { readonly readsKeys: boolean },
  closers: Closers,
): Promise<HealthAccess> {
  const { environment, readsKeys, server, host, log } = options
  const { apiKey, metricsKey } = environment
  if (server.auth === 'open' || (readsKeys && metricsKey === null))
    return openAccess(options, closers)
  if (apiKey === null && metricsKey === null)
    log.info('nobody may read the metrics of this process: SIGNALBOX_METRICS_KEY is not set')
  const keys = readsKeys ? openKeys(options, closers) : noKeys
  const authenticate = authenticateByKey({
    operatorKey: apiKey,
    metricsKey,
    known: new KnownKeys(keys),
    lastUsed: new LastUsed(keys, log),
  })
  return { authenticate, door: doorOf({ server, host, isOpen: null, localPages: false }) }
}

type Keys = Pick<Keyring, 'shown' | 'touch'>

const noKeys: Keys = { shown: () => Promise.resolve(null), touch: () => Promise.resolve() }

function openKeys({ appUrl }: AccessOptions, closers: Closers): Keys {
  const keyring = createKeyring({ url: appUrl })
  closers.add('keys', () => keyring.close())
  return inTime(keyring, postgresMsMax)
}
