/** The environment variables that Signalbox reads. Their values may be secrets and never stand in a message. */
import { parseRedisUrl } from '@signalbox/bullmq'
import type { LoginRole } from '@signalbox/postgres'
import { ConfigError } from './config-error.ts'
import { queuePrefixForm, queuePrefixRule } from './queue-schema.ts'

/** Variables by name, as `process.env` has them. */
export type Env = Readonly<Record<string, string | undefined>>

/** What the environment says, checked. It holds secrets: never log it. */
export interface ServerEnvironment {
  /** As the administrator. Null: the addresses of the logins, or the embedded Postgres. */
  readonly databaseUrl: string | null
  /** By login of the database; null: it follows from `databaseUrl`. */
  readonly loginUrls: Readonly<Record<LoginRole, string | null>>
  /** Null: the queue and the wakes live in Postgres. */
  readonly redisUrl: string | null
  /** Null: as the configuration says. */
  readonly queuePrefix: string | null
  /** Null: as the configuration says. */
  readonly port: number | null
  readonly host: string | null
  /** Where the embedded Postgres and keys live. */
  readonly dataDir: string
  /** Bearer token that every request must show; null: no authentication. */
  readonly apiKey: string | null
  /** Bearer token that `/metrics` takes beside the keys, and nothing else does; null: there is none. */
  readonly metricsKey: string | null
  /** Keys the pseudonyms of end users; null: a key of this data directory. */
  readonly pseudonymKey: string | null
  /** How long a stop waits for calls at work; null: as the configuration says. Milliseconds. */
  readonly graceMs: number | null
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Base address of an OpenTelemetry collector; null: no traces. */
  readonly otlpEndpoint: string | null
}

/** Names the variable that keys the pseudonyms of end users. */
export const pseudonymKeyEnv = 'SIGNALBOX_PSEUDONYM_KEY'

/** Names the variable with the key that opens the metrics alone. */
export const metricsKeyEnv = 'SIGNALBOX_METRICS_KEY'

/** Where each login of the database connects, for processes that are not told the administrator's address. */
export const loginVariables: Readonly<Record<LoginRole, string>> = {
  app: 'DATABASE_APP_URL',
  engine: 'DATABASE_ENGINE_URL',
  queue: 'DATABASE_QUEUE_URL',
  maintenance: 'DATABASE_MAINTENANCE_URL',
}

const logLevels = ['debug', 'info', 'warn', 'error'] as const
const secretCharsMin = 16
const graceMsMax = 3_600_000

/**
 * Reads and checks the environment.
 *
 * @throws ConfigError `config_env`, naming the variable
 */
export function readEnvironment(env: Env): ServerEnvironment {
  return {
    databaseUrl: databaseUrl(env, 'DATABASE_URL'),
    loginUrls: {
      app: databaseUrl(env, loginVariables.app),
      engine: databaseUrl(env, loginVariables.engine),
      queue: databaseUrl(env, loginVariables.queue),
      maintenance: databaseUrl(env, loginVariables.maintenance),
    },
    redisUrl: redisUrl(env),
    queuePrefix: queuePrefix(env),
    port: port(env),
    host: text(env, 'HOST'),
    dataDir: text(env, 'SIGNALBOX_DATA_DIR') ?? '.signalbox',
    apiKey: secret(env, 'SIGNALBOX_API_KEY'),
    metricsKey: secret(env, metricsKeyEnv),
    pseudonymKey: secret(env, pseudonymKeyEnv),
    graceMs: graceMs(env),
    logLevel: logLevel(env),
    otlpEndpoint: url(env, 'OTEL_EXPORTER_OTLP_ENDPOINT', ['http:', 'https:']),
  }
}

/** An empty variable counts as absent: compose files cannot unset one. */
const text = (env: Env, name: string): string | null => env[name]?.trim() || null

const wrong = (name: string, message: string): never => {
  throw new ConfigError('config_env', `${name}: ${message}`, { field: name })
}

function url(env: Env, name: string, protocols: readonly string[]): string | null {
  const value = text(env, name)
  if (value === null) return null
  if (!protocols.includes(URL.parse(value)?.protocol ?? ''))
    wrong(
      name,
      `must be an address that begins with ${protocols.map((p) => `${p}//`).join(' or ')}`,
    )
  return value
}

const databaseUrl = (env: Env, name: string): string | null =>
  url(env, name, ['postgres:', 'postgresql:'])

function redisUrl(env: Env): string | null {
  const value = text(env, 'REDIS_URL')
  if (value === null) return null
  try {
    parseRedisUrl(value)
  } catch (error) {
    wrong('REDIS_URL', error instanceof Error ? error.message : 'cannot be read')
  }
  return value
}

function queuePrefix(env: Env): string | null {
  const value = text(env, 'SIGNALBOX_QUEUE_PREFIX')
  if (value !== null && !queuePrefixForm.test(value))
    wrong('SIGNALBOX_QUEUE_PREFIX', queuePrefixRule)
  return value
}

function port(env: Env): number | null {
  const value = text(env, 'PORT')
  if (value === null) return null
  const number = Number(value)
  if (!/^\d{1,5}$/.test(value) || number > 65_535)
    wrong('PORT', 'must be a whole number from 0 (a free port) to 65535')
  return number
}

function graceMs(env: Env): number | null {
  const value = text(env, 'SIGNALBOX_GRACE_MS')
  if (value === null) return null
  if (!/^\d{1,8}$/.test(value) || Number(value) > graceMsMax)
    wrong('SIGNALBOX_GRACE_MS', `must be a whole number of milliseconds, from 0 to ${graceMsMax}`)
  return Number(value)
}

function secret(env: Env, name: string): string | null {
  const value = text(env, name)
  if (value !== null && value.length < secretCharsMin)
    wrong(name, `must have at least ${secretCharsMin} characters`)
  return value
}

function logLevel(env: Env): ServerEnvironment['logLevel'] {
  const value = text(env, 'LOG_LEVEL') ?? 'info'
  const level = logLevels.find((each) => each === value)
  return level ?? wrong('LOG_LEVEL', `must be one of ${logLevels.join(', ')}`)
}
