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
} from '@signalbox/engine'
import { createReader, createRegister, createResources, type Resources } from '@signalbox/postgres'
import { DirectoryWorkspaces } from '@signalbox/tools'
import { type Env, type ServerEnvironment, readEnvironment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Config } from '../config/schema.ts'
import { type CountingLog, createLog } from '../observe/log.ts'
import { observerOf } from '../observe/measured-world.ts'
import { createRunLog } from '../observe/run-log.ts'
import { measuredRegister } from '../observe/measured-register.ts'
import { measureReconciler, type Metrics } from '../observe/metrics.ts'
import { secretsOf } from '../observe/redact.ts'
import { createTracing } from '../observe/tracing.ts'
import { createWebhookSender } from '../webhooks/sender.ts'
import { webhooksOf } from '../webhooks/settings.ts'
import { withSecretFiles } from '../secrets/secret-files.ts'
import { hostOf, portOf } from './address.ts'
import { Closers } from './closers.ts'
import { type OpenDatabase, openDatabase } from './database.ts'
import { Departure } from './departure.ts'
import type { StartEmbedded } from './embedded.ts'
import { requireSandbox } from './require-sandbox.ts'
import { settingsOf } from './engine-settings.ts'
import { type HealthAccess, openHealthAccess } from './health-access.ts'
import type { Inspect } from './inspect.ts'
import { type OpenedAccess, type AccessOptions, openAccess } from './open-access.ts'
import { notedDefinitions } from './noted-definitions.ts'
import { openAgents, workspaceRoot } from './open-agents.ts'
import { openFront } from './open-front.ts'
import { measureRegister, openMetrics } from './open-metrics.ts'
import { neededLogins } from './needed-logins.ts'
import { fileNames, secretNames } from './secrets.ts'
import type { StartError } from './start-error.ts'
import type { StartPhase } from './start-phase.ts'
import { version } from './serve.ts'
import { healthPort } from './serve-health.ts'
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
  /** The same between the API and the uploads. */
  readonly wrapUploads?: (uploads: Resources['uploads']) => Resources['uploads']
  /** Lets CORS allow pages of this machine, where the configuration names no origins: for who builds a page. Default: no page. */
  readonly localPages?: boolean
  /** Sees every request to the API and its answer: the tests hold them against the OpenAPI document. */
  readonly inspect?: Inspect
  /** Starts the embedded Postgres, where no variable names another. Left out: such a start fails. */
  readonly embedded?: StartEmbedded
  /** Told what the start does next. What it throws breaks the start off. */
  readonly onPhase?: (phase: StartPhase) => void
  /** Breaks off what takes long at a first start. */
  readonly signal?: AbortSignal
  /** Called when all but the API is up: who has its address lets go of it now. */
  readonly takeOver?: () => void
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
  /**
   * Serves no more and claims nothing more, while another process goes on. Resolves when all that executes here has ended,
   * however long that takes. To be stopped then; a stop before bounds it by its grace.
   */
  drain(): Promise<void>
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
  readonly environment: ServerEnvironment
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
  options.onPhase?.('tools')
  const webhooks = webhooksOf(config, options.env, roles)
  const open = await openAgents(options.loaded, { env: options.env, log }, closers)
  const { agents, specs } = open
  const settings = { ...settingsOf(config, specs, options.queues), ...options.engine }
  if (roles.includes('worker')) await requireSandbox(config, settings.queues)

  const { urls, readsKeys, clock, failed } = await databaseOf(assembly, roles)
  measureRegister(metrics, { roles, agents, engineUrl: urls.engine }, closers)
  const register = openRegister(urls.engine, clock, metrics)
  closers.add('register', () => register.close())
  const resources = resourcesOf(assembly, urls.app)
  // Before anything works: a process that must not be open does not start at all.
  const access = await accessTo(assembly, roles, { appUrl: urls.app, readsKeys })
  const reader = createReader({ appUrl: urls.app })
  closers.add('reader', () => reader.close())
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
    settings,
  })
  measureReconciler(metrics, roles.includes('orchestrator') ? engine : null)
  // Before the engine is added: this port is closed after it.
  const openHealthPort = healthPort(closers)
  options.onPhase?.('engine')
  await engine.start()
  const departure = new Departure(engine, environment.graceMs ?? config.server.graceMs)
  closers.add('engine', () => departure.stop())
  const front = new Closers(log)
  closers.add('front', () => front.close())
  const own = { asked, wellbeing, resources, engine, agents, clock, metrics, tracing, urls }
  const root = workspaceRoot(options.loaded)
  const directories = root === null ? null : new DirectoryWorkspaces(root)
  const parts = { ...ports, ...own, directories, access, openHealthPort, reader, webhooks, roles }
  const url = await openFront({ ...assembly, closers: front }, parts)
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= closers.close())
  const drain = async () => void (await Promise.all([front.close(), departure.drain()]))
  return { url, engine, agents, failed, drain, stop }
}

function resourcesOf({ options, closers }: Assembly, appUrl: string) {
  const created = createResources({ appUrl })
  closers.add('resources', () => created.close())
  const uploads = options.wrapUploads?.(created.uploads) ?? created.uploads
  return { ...created, uploads }
}

function databaseOf(assembly: Assembly, roles: readonly Role[]): Promise<OpenDatabase> {
  const { options, environment, log, closers } = assembly
  const withQueue = environment.redisUrl === null
  const needed = neededLogins(roles, withQueue)
  const migrates = options.migrates ?? true
  const dataDir = dataDirOf(assembly)
  const { embedded, onPhase, signal } = options
  const about = {
    ...(embedded ? { embedded } : {}),
    ...(onPhase ? { onPhase } : {}),
    ...(signal ? { signal } : {}),
  }
  return openDatabase(
    { ...environment, ...about, dataDir, withQueue, migrates, needed, log },
    closers,
  )
}

const openRegister = (engineUrl: string, clock: Clock, metrics: Metrics): Register =>
  notedDefinitions(measuredRegister(createRegister({ engineUrl }), metrics), clock)

/** Where keys and the embedded Postgres live. */
const dataDirOf = ({ options, environment }: Assembly): string =>
  resolve(options.dataDir ?? environment.dataDir)

/** The API always is served; the health of a process without it only on a port that was asked for. Null: nothing is. */
async function accessTo(
  assembly: Assembly,
  roles: readonly Role[],
  login: Pick<AccessOptions, 'appUrl'> & { readonly readsKeys: boolean },
): Promise<{ readonly api: OpenedAccess } | HealthAccess | null> {
  const { environment, config, log, closers } = assembly
  const [host, dataDir] = [hostOf(assembly), dataDirOf(assembly)]
  const { localPages } = assembly.options
  const options = { ...login, environment, server: config.server, host, dataDir, log, localPages }
  if (roles.includes('api')) return { api: await openAccess(options, closers) }
  if (portOf(assembly) === null) return null
  return openHealthAccess(options, closers)
}
