/**
 * The composition root: one process of Signalbox, of the roles it is given. Any number of processes share a database;
 * each is the same code, and all of them may have all roles.
 */
import { resolve } from 'node:path'
import type { AgentDefinition } from '@signalbox/core'
import {
  type Clock,
  createEngine,
  type Engine,
  type EngineDeps,
  type EngineSettings,
  type Log,
  type Register,
  systemRandom,
  type WakeBus,
} from '@signalbox/engine'
import {
  createReader,
  createRegister,
  createResources,
  type Reader,
  type Resources,
} from '@signalbox/postgres'
import { type Env, type Environment, readEnvironment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Config } from '../config/schema.ts'
import { type CountingLog, createLog } from '../observe/log.ts'
import { observerOf } from '../observe/measured-world.ts'
import { createRunLog } from '../observe/run-log.ts'
import { measuredRegister } from '../observe/measured-register.ts'
import { measureReconciler, type Metrics } from '../observe/metrics.ts'
import { secretsOf } from '../observe/redact.ts'
import { createTracing, type Tracing } from '../observe/tracing.ts'
import { createWebhookSender } from '../webhooks/sender.ts'
import { type WebhookSettings, webhooksOf } from '../webhooks/settings.ts'
import type { Health } from '../health/health.ts'
import { withSecretFiles } from '../secrets/secret-files.ts'
import { announce } from './announce.ts'
import { Closers } from './closers.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { settingsOf } from './engine-settings.ts'
import { type HealthAccess, openHealthAccess } from './health-access.ts'
import type { Inspect } from './inspect.ts'
import { type Access, type AccessOptions, openAccess } from './open-access.ts'
import { keepTime } from './keep-time.ts'
import { notedDefinitions } from './noted-definitions.ts'
import { openAgents } from './open-agents.ts'
import { measureRegister, openMetrics } from './open-metrics.ts'
import { neededLogins } from './needed-logins.ts'
import { fileNames, secretNames } from './secrets.ts'
import type { StartError } from './start-error.ts'
import { type Served, serve, version } from './serve.ts'
import { healthPort, type OpenHealthPort } from './serve-health.ts'
import { Wellbeing } from './open-health.ts'
import { portsOf } from './ports.ts'

/** What a process does: serve the API, decide and call models, execute tools. */
export type Role = 'api' | 'orchestrator' | 'worker'

/** What a process is started with. */
export interface StartOptions {
  readonly loaded: LoadedConfig
  readonly env: Env
  /** Default: all three. */
  readonly roles?: readonly Role[]
  /**
   * Over `PORT` and the configuration. 0 takes a free one. Without the role `api` the port of the configuration is not
   * taken, so that many processes on one machine can share it: then nothing is served unless this or `PORT` is given.
   */
  readonly port?: number
  /** The queues that a worker works on. Default: all. */
  readonly queues?: readonly string[]
  /** False: the schema is never changed; one that is too old ends the start. Default: true. */
  readonly migrates?: boolean
  /** Over `SIGNALBOX_DATA_DIR`. */
  readonly dataDir?: string
  /** Writes the address of the API into the data directory, for commands of the same folder. */
  readonly announce?: boolean
  /** Over the JSON lines on standard output. */
  readonly log?: Log
  /** Default true: a line about each run that begins, waits or ends, and about calls that fail. */
  readonly logRuns?: boolean
  /** Over single engine settings, for tests and tuning. */
  readonly engine?: Partial<EngineSettings>
  /** Puts something between the engine and its ports: the crash tests stop the process there. */
  readonly wrapPorts?: (ports: EnginePorts) => EnginePorts
  /** Lets CORS allow pages of this machine, where the configuration names no origins: for who builds a page. Default: no page. */
  readonly localPages?: boolean
  /** Sees every request to the API and its answer: the tests hold them against the OpenAPI document. */
  readonly inspect?: Inspect
}

/** What the engine of a process stands on. */
export type EnginePorts = Pick<
  EngineDeps,
  'register' | 'dispatcher' | 'hintSource' | 'wakeBus' | 'model' | 'tools' | 'policies' | 'webhooks'
>

/** A running process of Signalbox. */
export interface Signalbox {
  /** Of the API, or without that role of its health and metrics; null if nothing is served. */
  readonly url: string | null
  readonly engine: Engine
  readonly agents: ReadonlyMap<string, AgentDefinition>
  /** Settles if this process cannot go on: its embedded Postgres died, and cannot be started again. It is still to be stopped. */
  readonly failed: Promise<StartError>
  /** Hands work over and closes everything. May be called again. */
  stop(): Promise<void>
}

const ignored = (): void => {}
const allRoles: readonly Role[] = ['api', 'orchestrator', 'worker']

/**
 * Starts a process. What was opened is closed again if a later part fails.
 *
 * @throws ConfigError, StartError
 */
export async function startSignalbox(given: StartOptions): Promise<Signalbox> {
  const { config } = given.loaded
  const env = withSecretFiles(given.env, fileNames(config))
  const options = { ...given, env }
  const environment = readEnvironment(env)
  const secrets = secretsOf(env, secretNames(config))
  const log = options.log ?? createLog({ level: environment.logLevel, secrets })
  const closers = new Closers(log)
  try {
    return await assemble({ options, environment, config, log, closers })
  } catch (error) {
    await closers.close()
    throw error
  }
}

/** What a process is made of, on its way. */
export interface Assembly {
  readonly options: StartOptions
  readonly environment: Environment
  readonly config: Config
  readonly log: Log | CountingLog
  readonly closers: Closers
}

async function assemble(assembly: Assembly): Promise<Signalbox> {
  const { options, environment, config, log, closers } = assembly
  const roles = options.roles ?? allRoles
  const metrics = openMetrics({ roles, version: version(), log })
  const tracing = await createTracing(environment.otlpEndpoint, version())
  closers.add('tracing', () => tracing.close())

  // Mistakes in the configuration show before anything slow starts.
  const webhooks = webhooksOf(config, options.env, roles)
  const open = await openAgents(options.loaded, { env: options.env, log }, closers)
  const { agents, specs } = open

  const { urls, readsKeys, clock, failed } = await databaseOf(assembly, roles)
  measureRegister(metrics, { roles, agents, engineUrl: urls.engine }, closers)
  const register = openRegister(urls.engine, clock, metrics)
  closers.add('register', () => register.close())
  const resources = createResources({ appUrl: urls.app })
  closers.add('resources', () => resources.close())
  // Before anything works: a process that must not be open does not start at all.
  const access = await accessTo(assembly, roles, { appUrl: urls.app, readsKeys })
  const reader = createReader({ appUrl: urls.app })
  closers.add('reader', () => reader.close())
  const decides = roles.includes('orchestrator')
  const sending = { settings: webhooks, read: reader, now: () => clock.now() }
  const { asked, ...made } = await portsOf(assembly, {
    roles,
    open,
    urls,
    register,
    metrics,
    tracing,
    webhooks: createWebhookSender({ ...sending, log, version: version() }),
  })
  const wrapped = options.wrapPorts?.(made) ?? made
  const wellbeing = new Wellbeing()
  const ports = { ...wrapped, register: wellbeing.watch(wrapped.register) }
  const engine = createEngine({
    ...open.governed,
    ...ports,
    agents: (name) => agents.get(name) ?? null,
    observer: observerOf(metrics, tracing, options.logRuns === false ? ignored : createRunLog(log)),
    onNotMine: (runs) => metrics.runsNotMine.set(runs),
    clock,
    random: systemRandom,
    log,
    roles: roles.filter((role) => role !== 'api'),
    settings: { ...settingsOf(config, specs, options.queues), ...options.engine },
  })
  measureReconciler(metrics, decides ? engine : null)
  const openHealthPort = healthPort(closers)
  await engine.start()
  closers.add('engine', () => engine.stop(environment.graceMs ?? config.server.graceMs))
  const known = { roles, engineUrl: urls.engine, engine, asked, metrics, log }
  const health = await wellbeing.open(known, closers)
  const shared = { ...ports, resources, engine, agents, clock, metrics, tracing, health }
  if (decides) keepTime({ ...shared, urls, webhooks, runLimits: config.runLimits, log }, closers)
  const served =
    access &&
    ('api' in access
      ? await serveApi(assembly, { ...shared, access: access.api, reader, webhooks, roles })
      : await serveItsHealth(assembly, { ...shared, ...access, roles, openHealthPort }))
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= closers.close())
  return { url: served?.url ?? null, engine, agents, failed, stop }
}

function databaseOf(assembly: Assembly, roles: readonly Role[]): Promise<OpenDatabase> {
  const { options, environment, log, closers } = assembly
  const withQueue = environment.redisUrl === null
  const needed = neededLogins(roles, withQueue)
  const migrates = options.migrates ?? true
  const dataDir = dataDirOf(assembly)
  return openDatabase({ ...environment, dataDir, withQueue, migrates, needed, log }, closers)
}

const openRegister = (engineUrl: string, clock: Clock, metrics: Metrics): Register =>
  notedDefinitions(measuredRegister(createRegister({ engineUrl }), metrics), clock)

/** The port that was asked of this very process; null: none. */
const portOf = ({ options, environment }: Assembly): number | null =>
  options.port ?? environment.port

/** Where keys and the embedded Postgres live. */
const dataDirOf = ({ options, environment }: Assembly): string =>
  resolve(options.dataDir ?? environment.dataDir)

const hostOf = ({ environment, config }: Assembly): string => environment.host ?? config.server.host

/** The API always is served; the health of a process without it only on a port that was asked for. Null: nothing is. */
async function accessTo(
  assembly: Assembly,
  roles: readonly Role[],
  login: Pick<AccessOptions, 'appUrl'> & { readonly readsKeys: boolean },
): Promise<{ readonly api: Access } | HealthAccess | null> {
  const { environment, config, log, closers } = assembly
  const [host, dataDir] = [hostOf(assembly), dataDirOf(assembly)]
  const { localPages } = assembly.options
  const options = { ...login, environment, server: config.server, host, dataDir, log, localPages }
  if (roles.includes('api')) return { api: await openAccess(options, closers) }
  if (portOf(assembly) === null) return null
  return openHealthAccess(options, closers)
}

async function serveApi(
  assembly: Assembly,
  parts: {
    readonly register: Register
    readonly resources: Resources
    readonly wakeBus: WakeBus
    readonly clock: Clock
    readonly engine: Engine
    readonly agents: ReadonlyMap<string, AgentDefinition>
    readonly metrics: Metrics
    readonly tracing: Tracing
    readonly health: Health
    readonly access: Access
    readonly reader: Reader
    readonly webhooks: WebhookSettings
    readonly roles: readonly Role[]
  },
): Promise<Served> {
  const { config, log, closers } = assembly
  const { server } = config
  const host = hostOf(assembly)
  const port = portOf(assembly) ?? server.port
  const served = await serve({
    ...parts,
    host,
    port,
    server,
    runLimits: config.runLimits,
    log,
    ...(assembly.options.inspect ? { inspect: assembly.options.inspect } : {}),
  })
  // Streams end first, so that their clients are elsewhere before the engine stops.
  closers.add('http', () => served.stop())
  await announce(assembly, served.url)
  return served
}

function serveItsHealth(
  assembly: Assembly,
  parts: {
    readonly health: Health
    readonly metrics: Metrics
    readonly authenticate: HealthAccess['authenticate']
    readonly door: HealthAccess['door']
    readonly roles: readonly Role[]
    readonly openHealthPort: OpenHealthPort
  },
): Promise<Served> {
  const { config, log } = assembly
  const port = portOf(assembly) ?? config.server.port
  const { keepAliveMs } = config.server
  return parts.openHealthPort({ ...parts, host: hostOf(assembly), port, keepAliveMs, log })
}
