/**
 * A process of Signalbox on a register, a queue and a wake bus that it is given, as a test of agents gives those that live in its
 * memory. Everything else is what a server runs.
 */
import {
  type Clock,
  createEngine,
  type EngineSettings,
  type Log,
  systemRandom,
} from '@signalbox/engine'
import { createModels } from '@signalbox/models'
import type { Env } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { Closers } from './closers.ts'
import { Departure } from './departure.ts'
import { settingsOf } from './engine-settings.ts'
import { openAgents } from './open-agents.ts'
import type { EnginePorts, Signalbox } from './start.ts'

/** The options of a process on given ports. */
export interface OnPortsOptions {
  readonly loaded: LoadedConfig
  /** Keys of models, tokens of policies. No other variable is read. */
  readonly env: Env
  readonly log: Log
  /** Closed with the process: the wake bus. The others hold nothing that is to be closed. */
  readonly given: Pick<EnginePorts, 'register' | 'dispatcher' | 'hintSource' | 'wakeBus'>
  /** Of the register, too: approvals expire by it. */
  readonly clock: Clock
  /** Over single engine settings. */
  readonly engine?: Partial<EngineSettings>
  /** Puts something between the engine and its ports. */
  readonly wrapPorts?: (ports: EnginePorts) => EnginePorts
}

/**
 * Starts it, with the roles `orchestrator` and `worker`. It serves nothing, and tells no webhook.
 *
 * @throws ConfigError
 */
export async function startOnPorts(options: OnPortsOptions): Promise<Signalbox> {
  const closers = new Closers(options.log)
  try {
    return await assemble(options, closers)
  } catch (error) {
    await closers.close()
    throw error
  }
}

async function assemble(options: OnPortsOptions, closers: Closers): Promise<Signalbox> {
  const { loaded, env, log, clock } = options
  const { config } = loaded
  const { agents, specs, tools, detectors, governed } = await openAgents(
    loaded,
    { env, log },
    closers,
  )
  const { wakeBus } = options.given
  closers.add('wake bus', () => wakeBus.close())
  const ports: EnginePorts = {
    ...options.given,
    model: createModels({ env, scripts: config.scripts, detectors, log }),
    tools,
    policies: governed.policies,
  }
  const engine = createEngine({
    ...governed,
    ...(options.wrapPorts?.(ports) ?? ports),
    agents: (name) => agents.get(name) ?? null,
    clock,
    random: systemRandom,
    log,
    roles: ['orchestrator', 'worker'],
    settings: { ...settingsOf(config, specs), ...options.engine },
  })
  await engine.start()
  const departure = new Departure(engine, config.server.graceMs)
  closers.add('engine', () => departure.stop())
  let stopped: Promise<void> | undefined
  const stop = () => (stopped ??= closers.close())
  return {
    url: null,
    engine,
    agents,
    failed: new Promise(() => {}),
    drain: () => departure.drain(),
    stop,
  }
}
