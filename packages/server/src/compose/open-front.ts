/**
 * What stands before an engine that runs: its health, its timekeeper, and what is served. It goes before the engine does,
 * when the process stops or another one takes over.
 */
import type { AgentDefinition } from '@signalbox/core'
import type { Clock, Engine, Register, WakeBus } from '@signalbox/engine'
import type { Reader, Resources } from '@signalbox/postgres'
import type { Health } from '../health/health.ts'
import type { Api } from '../http/api.ts'
import type { Metrics } from '../observe/metrics.ts'
import type { Tracing } from '../observe/tracing.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { hostOf, portOf } from './address.ts'
import type { DatabaseUrls } from './database.ts'
import { keepCommonTime } from './keep-time.ts'
import { announce } from './announce.ts'
import type { HealthAccess } from './health-access.ts'
import type { OpenedAccess } from './open-access.ts'
import type { Wellbeing } from './open-health.ts'
import { type Served, serve } from './serve.ts'
import type { OpenHealthPort } from './serve-health.ts'
import type { Assembly, Role } from './start.ts'
import type { QueueTransport } from './transport.ts'

interface Parts {
  readonly register: Register
  readonly resources: Resources
  readonly wakeBus: WakeBus
  readonly clock: Clock
  readonly engine: Engine
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly reader: Reader
  readonly webhooks: WebhookSettings
  readonly directories: Api['directories']
  readonly roles: readonly Role[]
}

/** Opens it. Answers the address that is served; null without `access`: then nothing is. @throws StartError */
export async function openFront(
  assembly: Assembly,
  parts: Parts & {
    readonly wellbeing: Wellbeing
    readonly asked: QueueTransport['asked']
    readonly urls: DatabaseUrls
    readonly access: { readonly api: OpenedAccess } | HealthAccess | null
    readonly openHealthPort: OpenHealthPort
  },
): Promise<string | null> {
  const { config, log, closers, options } = assembly
  const { wellbeing, asked, urls, access, roles, engine, metrics } = parts
  const known = { roles, engineUrl: urls.engine, engine, asked, metrics, log }
  const health = await wellbeing.open(known, closers)
  if (roles.includes('orchestrator'))
    keepCommonTime({ ...parts, runLimits: config.runLimits, log }, closers)
  if (access === null) return null
  options.takeOver?.()
  if (!('api' in access)) {
    const { authenticate, door } = access
    const port = portOf(assembly) ?? config.server.port
    const { keepAliveMs } = config.server
    const about = { health, metrics, roles, authenticate, door, log }
    const { url } = await parts.openHealthPort({
      ...about,
      host: hostOf(assembly),
      port,
      keepAliveMs,
    })
    return url
  }
  const served = await serveApi(assembly, { ...parts, health, access: access.api })
  await announce(assembly, served.url)
  // Streams end first, so that their clients are elsewhere before the engine stops; and a newer start waits for the address.
  closers.add('http', () => served.stop())
  return served.url
}

interface ServedParts extends Parts {
  readonly health: Health
  readonly access: OpenedAccess
}

function serveApi(assembly: Assembly, parts: ServedParts): Promise<Served> {
  const { config, log, options } = assembly
  const { server, runLimits } = config
  return serve({
    ...parts,
    host: hostOf(assembly),
    port: portOf(assembly) ?? server.port,
    server,
    runLimits,
    log,
    ...(options.inspect ? { inspect: options.inspect } : {}),
  })
}
