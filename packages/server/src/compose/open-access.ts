/**
 * Who may ask this process, and as whom.
 *
 * O1 With `server.auth: "keys"`, with SIGNALBOX_API_KEY, or as soon as there ever was a key: a key is asked for.
 * O2 Else everybody may do everything, which only a loopback address is for: elsewhere the process does not start, unless
 *    the configuration says `server.auth: "open"`.
 */
import { isIPv4 } from 'node:net'
import type { Log } from '@signalbox/engine'
import { createKeyring, type Keyring } from '@signalbox/postgres'
import { type Environment, pseudonymKeyEnv } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import { anybody, authenticateByKey } from '../http/authenticate.ts'
import type { Authenticate } from '../http/api.ts'
import { type Pseudonym, pseudonymsBy, withIdentity } from '../http/identity.ts'
import { inTime } from '../http/in-time.ts'
import { KnownKeys } from '../keys/known-keys.ts'
import { LastUsed } from '../keys/last-used.ts'
import type { Closers } from './closers.ts'
import { onceThereIsAKey } from './once-there-is-a-key.ts'
import { pseudonymKeyIn } from './pseudonym-key.ts'
import { StartError } from './start-error.ts'

/** A caller gets an answer after this, whatever Postgres does. Milliseconds. */
export const postgresMsMax = 10_000

export interface AccessOptions {
  readonly appUrl: string
  readonly environment: Environment
  readonly server: Config['server']
  /** Where the process will listen. */
  readonly host: string
  readonly dataDir: string
  readonly log: Log
}

/** How callers are known, and the keys by which they are. */
export interface Access {
  readonly authenticate: Authenticate
  readonly keys: Keyring
  /** Null: callers name no end users. */
  readonly pseudonym: Pseudonym | null
}

/** @throws StartError `open_refused`, `pseudonym_key` */
export async function openAccess(options: AccessOptions, closers: Closers): Promise<Access> {
  const keyring = createKeyring({ url: options.appUrl })
  closers.add('keys', () => keyring.close())
  const keys = inTime(keyring, postgresMsMax)
  const byCaller = await authenticateIn(options, keys)
  const { identity } = options.server
  if (identity === null) return { authenticate: byCaller, keys, pseudonym: null }
  const pseudonym = pseudonymsBy(await pseudonymKeyFor(options))
  return { authenticate: withIdentity(byCaller, identity, pseudonym), keys, pseudonym }
}

async function authenticateIn(options: AccessOptions, keys: Keyring): Promise<Authenticate> {
  const { environment, server, host, log } = options
  const operatorKey = environment.apiKey
  if (server.auth === 'open') {
    if (operatorKey !== null) throw refused('server.auth is "open", but SIGNALBOX_API_KEY is set')
    log.warn('server.auth is "open": everybody who can reach this address may do everything', {
      host,
    })
    return anybody
  }
  const lastUsed = new LastUsed(keys, log)
  const { metricsKey } = environment
  const byKey = authenticateByKey({
    operatorKey,
    metricsKey,
    known: new KnownKeys(keys),
    lastUsed,
  })
  if (operatorKey !== null) return byKey
  if (await keys.hasAny()) return byKey
  if (server.auth === 'keys') {
    log.warn('there is no key yet, so nobody is let in; make one with: signalbox keys create')
    return byKey
  }
  if (isLoopback(host)) return onceThereIsAKey(keys, { before: anybody, after: byKey })
  throw refused(
    `${host} is not this machine alone, and everybody who can reach it could do everything`,
  )
}

const refused = (why: string): StartError =>
  new StartError(
    'open_refused',
    `The API is not opened: ${why}. Set SIGNALBOX_API_KEY, or make a key with "signalbox keys create" and set server.auth to "keys"; behind a proxy that lets in whom it knows, say so with server.auth: "open".`,
  )

/** A name other than localhost may lead anywhere, whatever it begins with. */
const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))

async function pseudonymKeyFor({ environment, dataDir, log }: AccessOptions): Promise<string> {
  if (environment.pseudonymKey === null && environment.databaseUrl !== null)
    log.warn(
      'pseudonyms of end users are keyed by this data directory; processes elsewhere have others',
      { variable: pseudonymKeyEnv },
    )
  return environment.pseudonymKey ?? pseudonymKeyIn(dataDir)
}
