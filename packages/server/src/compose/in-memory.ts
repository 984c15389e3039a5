/**
 * A process of Signalbox whose register is its own memory: nothing outlives it, and no other process shares it. For tests of
 * agents. Everything but the register, the queue and the wake bus is what a server runs.
 */
import {
  type Clock,
  createEngine,
  type EngineSettings,
  type Log,
  systemRandom,
} from '@signalbox/engine'
import {
  createMemoryQueue,
  createMemoryRegister,
  createMemoryWakeBus,
} from '@signalbox/engine/memory'
import { createModels } from '@signalbox/models'
import type { Env } from '../config/environment.ts'
import type { LoadedConfig } from '../config/load-config.ts'
import { Closers } from './closers.ts'
import { Departure } from './departure.ts'
import { settingsOf } from './engine-settings.ts'
import { openAgents } from './open-agents.ts'
import type { EnginePorts, Signalbox } from './start.ts'

/** The options of a process in memory. */
export interface InMemoryOptions {
  readonly loaded: LoadedConfig
  /** Keys of models, tokens of policies. No other variable is read. */
  readonly env: Env
  readonly log: Log
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
export async function startInMemory(options: InMemoryOptions): Promise<Signalbox> {
  const closers = new Closers(options.log)
  try {
    return await assemble(options, closers)
  } catch (error) {
    await closers.close()
    throw error
  }
}

async function assemble(options: InMemoryOptions, closers: Closers): Promise<Signalbox> {
  const { loaded, env, log, clock } = options
  const { config } = loaded
  const { agents, specs, tools, detectors, governed } = await openAgents(
    loaded,
    { env, log },
    closers,
  )
  const queue = createMemoryQueue()
  const wakeBus = createMemoryWakeBus()
  closers.add('wake bus', () => wakeBus.close())
  const ports: EnginePorts = {
    register: createMemoryRegister(clock),
    dispatcher: queue.dispatcher,
    hintSource: queue.source,
    wakeBus,
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
