/** The process of a box: over a register in memory, or over an embedded Postgres in a directory of its own. */
import { chmod, mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Log } from '@signalbox/engine'
import {
  type EnginePorts,
  type Env,
  type LoadedConfig,
  type Signalbox,
  startOnPorts,
  startSignalbox,
} from '@signalbox/server'
import { createMemoryQueue, createMemoryRegister, createMemoryWakeBus } from './memory/index.ts'
import { type MovingClock, movingClock } from './moving-clock.ts'

/** The parts that a process is opened with. */
export interface ProcessParts {
  readonly loaded: LoadedConfig
  readonly env: Env
  readonly log: Log
  readonly wrapPorts: (ports: EnginePorts) => EnginePorts
}

/** A process that runs. */
export interface OpenProcess {
  readonly signalbox: Signalbox
  /** The ports of its engine, as `wrapPorts` has made them. */
  readonly ports: EnginePorts
  /** Null: time is the database's own. */
  readonly clock: MovingClock | null
  /** Stops it, and leaves nothing behind. */
  stop(): Promise<void>
}

/** Timers and retries that come due are noticed after this at the latest. Milliseconds. */
const pollMs = 25

/** Opens it. @throws ConfigError, StartError */
export function openProcess(
  register: 'memory' | 'postgres',
  parts: ProcessParts,
): Promise<OpenProcess> {
  return register === 'memory' ? openInMemory(parts) : openOnPostgres(parts)
}

async function openInMemory({ loaded, env, log, wrapPorts }: ProcessParts): Promise<OpenProcess> {
  const clock = movingClock()
  const seen = seeing(wrapPorts)
  const { dispatcher, source: hintSource } = createMemoryQueue()
  const given = {
    register: createMemoryRegister(clock),
    dispatcher,
    hintSource,
    wakeBus: createMemoryWakeBus(),
  }
  const signalbox = await startOnPorts({
    given,
    loaded,
    env,
    log,
    clock,
    wrapPorts: seen.wrapPorts,
    engine: { pollMs },
  })
  return { signalbox, ports: seen.ports(), clock, stop: () => signalbox.stop() }
}

async function openOnPostgres({ loaded, env, log, wrapPorts }: ProcessParts): Promise<OpenProcess> {
  // Most boxes live in memory, and need no server.
  const { startEmbeddedPostgres } = await import('@signalbox/embedded')
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-test-'))
  const clean = () => rm(dir, { recursive: true, force: true, maxRetries: 10, retryDelay: 100 })
  try {
    // Started by root, Postgres runs as another user, who must be able to pass.
    await chmod(dir, 0o711)
    const seen = seeing(wrapPorts)
    const signalbox = await startSignalbox({
      loaded,
      env: withoutOurs(env),
      roles: ['orchestrator', 'worker'],
      dataDir: dir,
      log,
      wrapPorts: seen.wrapPorts,
      engine: { pollMs: 10 * pollMs },
      embedded: startEmbeddedPostgres,
    })
    const stop = async () => {
      await signalbox.stop()
      await clean()
    }
    return { signalbox, ports: seen.ports(), clock: null, stop }
  } catch (error) {
    await clean()
    throw error
  }
}

/** The environment without the variables that name a database, a queue or a server: a box touches none of them. */
const withoutOurs = (env: Env): Env =>
  Object.fromEntries(
    Object.entries(env).filter(
      ([name]) => !/^(DATABASE_URL|REDIS_URL|PORT|HOST|LOG_LEVEL|SIGNALBOX_.*|OTEL_.*)$/.test(name),
    ),
  )

/** Notes the ports that the engine gets. */
function seeing(wrap: ProcessParts['wrapPorts']) {
  const seen: EnginePorts[] = []
  return {
    wrapPorts: (ports: EnginePorts): EnginePorts => {
      const wrapped = wrap(ports)
      seen.push(wrapped)
      return wrapped
    },
    ports: (): EnginePorts => {
      const [ports] = seen
      if (!ports) throw new Error('the process was started without its ports')
      return ports
    },
  }
}
