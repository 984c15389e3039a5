/** The environment variables that Signalbox reads. Their values may be secrets and never stand in a message. */
import { parseRedisUrl } from '@signalbox/bullmq'
import { ConfigError } from './config-error.ts'
import { queuePrefixForm, queuePrefixRule } from './queue-schema.ts'

/** Variables by name, as `process.env` has them. */
export type Env = Readonly<Record<string, string | undefined>>

/** What the environment says, checked. It holds secrets: never log it. */
export interface Environment {
  /** Null: the embedded Postgres. */
  readonly databaseUrl: string | null
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
  /** Keys the pseudonyms of end users; null: a key of this data directory. */
  readonly pseudonymKey: string | null
  readonly logLevel: 'debug' | 'info' | 'warn' | 'error'
  /** Base address of an OpenTelemetry collector; null: no traces. */
  readonly otlpEndpoint: string | null
}

/** Names the variable that keys the pseudonyms of end users. */
export const pseudonymKeyEnv = 'SIGNALBOX_PSEUDONYM_KEY'

const logLevels = ['debug', 'info', 'warn', 'error'] as const
const secretCharsMin = 16

/**
 * Reads and checks the environment.
 *
 * @throws ConfigError `config_env`, naming the variable
 */
export function readEnvironment(env: Env): Environment {
  return {
    databaseUrl: url(env, 'DATABASE_URL', ['postgres:', 'postgresql:']),
    redisUrl: redisUrl(env),
    queuePrefix: queuePrefix(env),
    port: port(env),
    host: text(env, 'HOST'),
    dataDir: text(env, 'SIGNALBOX_DATA_DIR') ?? '.signalbox',
    apiKey: secret(env, 'SIGNALBOX_API_KEY'),
    pseudonymKey: secret(env, pseudonymKeyEnv),
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

function secret(env: Env, name: string): string | null {
  const value = text(env, name)
  if (value !== null && value.length < secretCharsMin)
    wrong(name, `must have at least ${secretCharsMin} characters`)
  return value
}

function logLevel(env: Env): Environment['logLevel'] {
  const value = text(env, 'LOG_LEVEL') ?? 'info'
  const level = logLevels.find((each) => each === value)
  return level ?? wrong('LOG_LEVEL', `must be one of ${logLevels.join(', ')}`)
}
