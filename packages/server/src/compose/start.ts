/**
 * The composition root: one process of Signalbox, of the roles it is given. Any number of processes share a database;
 * each is the same code, and all of them may have all roles.
 */
import { hostname } from 'node:os'
import { resolve } from 'node:path'
import type { AgentDefinition, ToolSpec } from '@signalbox/core'
import {
  createEngine,
  defaultSettings,
  type Engine,
  type EngineDeps,
  type EngineSettings,
  type Log,
  type Model,
  type Register,
  systemClock,
  systemRandom,
  type WakeBus,
} from '@signalbox/engine'
import { createModels } from '@signalbox/models'
import { createReader, createRegister } from '@signalbox/postgres'
import { type Env, type Environment, readEnvironment } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import type { Config } from '../config/schema.ts'
import { createLog } from '../observe/log.ts'
import { measuredDispatcher, measuredModel, measuredTools } from '../observe/measured-world.ts'
import { measuredRegister } from '../observe/measured-register.ts'
import { createMetrics, type Metrics } from '../observe/metrics.ts'
import { secretsOf } from '../observe/redact.ts'
import { createTracing } from '../observe/tracing.ts'
import { authenticateFor } from './authenticate-for.ts'
import { Closers } from './closers.ts'
import { openDatabase } from './database.ts'
import { openAgents, type OpenAgents } from './open-agents.ts'
import { secretNames } from './secrets.ts'
import { type Served, serve } from './serve.ts'
import { serveHealth } from './serve-health.ts'
import { openTransport } from './transport.ts'

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
  /** Over `SIGNALBOX_DATA_DIR`. */
  readonly dataDir?: string
  /** Over the JSON lines on standard output. */
  readonly log?: Log
  /** Over single engine settings, for tests and tuning. */
  readonly engine?: Partial<EngineSettings>
  /** Puts something between the engine and its ports: the crash tests stop the process there. */
  readonly wrapPorts?: (ports: EnginePorts) => EnginePorts
}

/** What the engine of a process stands on. */
export type EnginePorts = Pick<
  EngineDeps,
  'register' | 'dispatcher' | 'hintSource' | 'wakeBus' | 'model' | 'tools' | 'policies'
>

/** A running process of Signalbox. */
export interface Signalbox {
  /** Of the API, or without that role of `/ok` and `/metrics`; null if nothing is served. */
  readonly url: string | null
  readonly engine: Engine
  readonly agents: ReadonlyMap<string, AgentDefinition>
  /** Hands work over and closes everything. May be called again. */
  stop(): Promise<void>
}

const allRoles: readonly Role[] = ['api', 'orchestrator', 'worker']
const concurrencyDefault = 16

/**
 * Starts a process. What was opened is closed again if a later part fails.
 *
 * @throws ConfigError, StartError
 */
export async function startSignalbox(options: StartOptions): Promise<Signalbox> {
  const environment = readEnvironment(options.env)
  const { config } = options.loaded
  const secrets = secretsOf(options.env, secretNames(config))
  const log = options.log ?? createLog({ level: environment.logLevel, secrets })
  const closers = new Closers(log)
  try {
    return await assemble({ options, environment, config, log, closers })
  } catch (error) {
    await closers.close()
    throw error
  }
}

interface Assembly {
  readonly options: StartOptions
  readonly environment: Environment
  readonly config: Config
  readonly log: Log
  readonly closers: Closers
}

async function assemble(assembly: Assembly): Promise<Signalbox> {
  const { options, environment, config, log, closers } = assembly
  const roles = options.roles ?? allRoles
  const metrics = createMetrics({ defaults: true })
  const tracing = createTracing({ endpoint: environment.otlpEndpoint })
  closers.add('tracing', () => tracing.close())

  // Mistakes in the configuration show before anything slow starts.
  const open = await openAgents(options.loaded, { env: options.env, log }, closers)
  const { agents, specs, tools } = open

  const urls = await openDatabase(
    {
      databaseUrl: environment.databaseUrl,
      dataDir: dataDirOf(assembly),
      withQueue: environment.redisUrl === null,
      log,
    },
    closers,
  )
  const register = measuredRegister(createRegister({ engineUrl: urls.engine }), metrics)
  closers.add('register', () => register.close())
  open.opened(register)
  const decides = roles.includes('orchestrator')
  const works = roles.includes('worker')
  const transport = await openTransport(
    {
      redisUrl: environment.redisUrl,
      engineUrl: urls.engine,
      queueUrl: urls.queue,
      decides,
      works,
      log,
    },
    closers,
  )
  const made: EnginePorts = {
    register,
    dispatcher: measuredDispatcher(transport.dispatcher, metrics),
    hintSource: transport.hintSource,
    wakeBus: transport.wakeBus,
    model: decides ? measuredModel(modelsOf(assembly, open.detectors), metrics, tracing) : null,
    tools: works ? measuredTools(tools, metrics, tracing) : null,
    policies: open.governed.policies,
  }
  const ports = options.wrapPorts?.(made) ?? made
  const engine = createEngine({
    ...open.governed,
    ...ports,
    agents: (name) => agents.get(name) ?? null,
    clock: systemClock,
    random: systemRandom,
    log,
    roles: roles.filter((role) => role !== 'api'),
    settings: { ...settingsOf(config, specs), ...options.engine },
  })
  await engine.start()
  closers.add('engine', () => engine.stop(config.server.graceMs))
  const shared = { register: ports.register, wakeBus: ports.wakeBus, engine, agents, metrics }
  const served = roles.includes('api')
    ? await serveApi(assembly, { ...shared, appUrl: urls.app, roles })
    : await serveItsHealth(assembly, { register, metrics, roles })
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= closers.close())
  return { url: served?.url ?? null, engine, agents, stop }
}

const modelsOf = ({ options, config, log }: Assembly, detectors: OpenAgents['detectors']): Model =>
  createModels({ env: options.env, scripts: config.scripts, detectors, log })

/** Another name for each start: a restarted process must not pass for the one that was killed. */
function settingsOf(config: Config, specs: readonly ToolSpec[]): EngineSettings {
  const queues = new Set([
    'tools',
    ...specs.map((spec) => spec.queue),
    ...Object.keys(config.queues),
  ])
  const host = hostname()
    .replaceAll(/[^A-Za-z0-9._-]/g, '-')
    .slice(0, 60)
  return {
    ...defaultSettings,
    owner: `${host}.${process.pid}.${systemRandom.hex(4)}`,
    queues: [...queues].map((queue) => ({
      queue,
      concurrency: config.queues[queue]?.concurrency ?? concurrencyDefault,
    })),
  }
}

/** The port that was asked of this very process; null: none. */
const portOf = ({ options, environment }: Assembly): number | null =>
  options.port ?? environment.port

/** Where keys and the embedded Postgres live. */
const dataDirOf = ({ options, environment }: Assembly): string =>
  resolve(options.dataDir ?? environment.dataDir)

async function serveApi(
  assembly: Assembly,
  parts: {
    readonly register: Register
    readonly wakeBus: WakeBus
    readonly engine: Engine
    readonly agents: ReadonlyMap<string, AgentDefinition>
    readonly metrics: Metrics
    readonly appUrl: string
    readonly roles: readonly Role[]
  },
): Promise<Served> {
  const { environment, config, log, closers } = assembly
  const reader = createReader({ appUrl: parts.appUrl })
  closers.add('reader', () => reader.close())
  const { server } = config
  const dataDir = dataDirOf(assembly)
  const host = environment.host ?? server.host
  const port = portOf(assembly) ?? server.port
  const served = await serve({
    ...parts,
    reader,
    host,
    port,
    authenticate: await authenticateFor(environment, server.identity, { dataDir, log }),
    isOpen: environment.apiKey === null,
    server,
    log,
  })
  // Streams end first, so that their clients are elsewhere before the engine stops.
  closers.add('http', () => served.stop())
  return served
}

async function serveItsHealth(
  assembly: Assembly,
  parts: {
    readonly register: Register
    readonly metrics: Metrics
    readonly roles: readonly Role[]
  },
): Promise<Served | null> {
  const { environment, config, log, closers } = assembly
  const port = portOf(assembly)
  if (port === null) return null
  const host = environment.host ?? config.server.host
  const served = await serveHealth({ ...parts, host, port, apiKey: environment.apiKey, log })
  closers.add('http', () => served.stop())
  return served
}
