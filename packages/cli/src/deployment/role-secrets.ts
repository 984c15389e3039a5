/**
 * What each role of a deployment is told: the secrets of its role, and no other.
 *
 * R1 The administrator's address is told to `migrate` alone, and the operator's key to `api` alone.
 * R2 Providers are called by orchestrators, so their keys are told to those alone.
 * R3 A worker, which runs tools, is told one login of the database, the queue, and the key of its metrics; and tokens of policy servers,
 *    which it asks before each call.
 */
import { randomBytes } from 'node:crypto'

/** Variables by name. */
type Variables = Readonly<Record<string, string>>

export interface Installation {
  /** The administrator's address of the database. */
  readonly databaseUrl: string
  readonly redisUrl: string
  /** Of the providers, with what is known of them. */
  readonly providerKeys: Variables
  /** Of policy servers. */
  readonly policyTokens: Variables
  /** Of MCP servers, which every role starts to know their tools. */
  readonly mcpVariables: Variables
  /** Addresses and secrets of webhooks, the one that signs included. */
  readonly webhooks: Variables
}

/** The processes of a deployment. */
export const deployedRoles = ['migrate', 'api', 'orchestrator', 'worker'] as const
export type DeployedRole = (typeof deployedRoles)[number]

/** New secrets for every role of an installation. */
export function roleSecrets(installation: Installation): Readonly<Record<DeployedRole, Variables>> {
  const { databaseUrl, redisUrl, providerKeys, policyTokens, webhooks } = installation
  const { mcpVariables } = installation
  const engine = { DATABASE_ENGINE_URL: loginAt(databaseUrl, 'engine') }
  const app = { DATABASE_APP_URL: loginAt(databaseUrl, 'app') }
  const maintenance = { DATABASE_MAINTENANCE_URL: loginAt(databaseUrl, 'maintenance') }
  const redis = { REDIS_URL: redisUrl }
  const metrics = { SIGNALBOX_METRICS_KEY: randomText() }
  return {
    migrate: { DATABASE_URL: databaseUrl, ...engine, ...app, ...maintenance, ...redis },
    api: {
      ...engine,
      ...app,
      ...redis,
      ...metrics,
      ...webhooks,
      SIGNALBOX_API_KEY: randomText(),
      SIGNALBOX_PSEUDONYM_KEY: randomText(),
      ...mcpVariables,
    },
    orchestrator: {
      ...engine,
      ...app,
      ...maintenance,
      ...redis,
      ...metrics,
      ...webhooks,
      ...providerKeys,
      ...policyTokens,
      ...mcpVariables,
    },
    worker: { ...engine, ...redis, ...metrics, ...policyTokens, ...mcpVariables },
  }
}

/** Enough that nobody guesses it, of letters that no file of variables and no address changes. */
export const randomText = (): string => randomBytes(24).toString('hex')

/** What signs webhooks. */
export const signingSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`

function loginAt(databaseUrl: string, login: string): string {
  const url = new URL(databaseUrl)
  url.username = `signalbox_${login}`
  url.password = randomText()
  return url.href
}
