/**
 * Who may ask this process, and as whom.
 *
 * O1 With `server.auth: "keys"`, with SIGNALBOX_API_KEY, or as soon as there ever was a key: a key is asked for.
 * O2 Else everybody may do everything, which only a loopback address is for: elsewhere the process does not start, unless
 *    the configuration says `server.auth: "open"`.
 */
import type { Log } from '@signalbox/engine'
import { createKeyring, type Keyring } from '@signalbox/postgres'
import { type ServerEnvironment, pseudonymKeyEnv } from '../config/environment.ts'
import type { Config } from '../config/schema.ts'
import { anybody, authenticateByKey } from '../http/authenticate.ts'
import type { Authenticate } from '../http/api.ts'
import type { Door } from '../http/door.ts'
import { isLoopback } from '../http/hosts.ts'
import { type Pseudonym, pseudonymsBy, withIdentity } from '../http/identity.ts'
import { inTime } from '../http/in-time.ts'
import { KnownKeys } from '../keys/known-keys.ts'
import { LastUsed } from '../keys/last-used.ts'
import type { Closers } from './closers.ts'
import { doorOf } from './door-of.ts'
import { type Authentication, onceThereIsAKey } from './once-there-is-a-key.ts'
import { pseudonymKeyIn } from './pseudonym-key.ts'
import { StartError } from './start-error.ts'

/** A caller gets an answer after this, whatever Postgres does. Milliseconds. */
export const postgresMsMax = 10_000

export interface AccessOptions {
  readonly appUrl: string
  readonly environment: ServerEnvironment
  readonly server: Config['server']
  /** Where the process will listen. */
  readonly host: string
  readonly dataDir: string
  readonly log: Log
  /** See `StartOptions`. */
  readonly localPages?: boolean | undefined
}

/** How callers are known, and the keys by which they are. */
export interface OpenedAccess {
  readonly authenticate: Authenticate
  readonly keys: Keyring
  /** Null: callers name no end users. */
  readonly pseudonym: Pseudonym | null
  readonly door: Door
}

/** @throws StartError `open_refused`, `pseudonym_key` */
export async function openAccess(options: AccessOptions, closers: Closers): Promise<OpenedAccess> {
  const keyring = createKeyring({ url: options.appUrl })
  closers.add('keys', () => keyring.close())
  const keys = inTime(keyring, postgresMsMax)
  const { authenticate, isOpen } = await authenticationIn(options, keys)
  const { server, host, localPages = false } = options
  const door = doorOf({ server, host, isOpen, localPages })
  if (server.identity === null) return { authenticate, keys, pseudonym: null, door }
  const pseudonym = pseudonymsBy(await pseudonymKeyFor(options))
  const identified = withIdentity(authenticate, server.identity, pseudonym)
  return { authenticate: identified, keys, pseudonym, door }
}

async function authenticationIn(options: AccessOptions, keys: Keyring): Promise<Authentication> {
  const { environment, server, host, log } = options
  const operatorKey = environment.apiKey
  if (server.auth === 'open') {
    if (operatorKey !== null) throw refused('server.auth is "open", but SIGNALBOX_API_KEY is set')
    log.warn('server.auth is "open": everybody who can reach this address may do everything', {
      host,
    })
    return { authenticate: anybody, isOpen: () => Promise.resolve(true) }
  }
  const lastUsed = new LastUsed(keys, log)
  const { metricsKey } = environment
  const known = new KnownKeys(keys)
  const authenticate = authenticateByKey({ operatorKey, metricsKey, known, lastUsed })
  const byKey: Authentication = { authenticate, isOpen: null }
  if (operatorKey !== null) return byKey
  if (await keys.hasAny()) return byKey
  if (server.auth === 'keys') {
    log.warn('there is no key yet, so nobody is let in; make one with: signalbox keys create')
    return byKey
  }
  if (isLoopback(host)) return onceThereIsAKey(keys, { before: anybody, after: authenticate })
  throw refused(
    `${host} is not this machine alone, and everybody who can reach it could do everything`,
  )
}

const refused = (why: string): StartError =>
  new StartError(
    'open_refused',
    `The API is not opened: ${why}. Set SIGNALBOX_API_KEY, or make a key with "signalbox keys create" and set server.auth to "keys"; behind a proxy that lets in whom it knows, say so with server.auth: "open".`,
  )

async function pseudonymKeyFor({ environment, dataDir, log }: AccessOptions): Promise<string> {
  if (environment.pseudonymKey === null && environment.databaseUrl !== null)
    log.warn(
      'pseudonyms of end users are keyed by this data directory; processes elsewhere have others',
      { variable: pseudonymKeyEnv },
    )
  return environment.pseudonymKey ?? pseudonymKeyIn(dataDir)
}
