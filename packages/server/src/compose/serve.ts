/** The api role: the app over the engine and the reader. */
import { readFileSync } from 'node:fs'
import type { AgentDefinition } from '@signalbox/core'
import {
  type Clock,
  createLedger,
  type Engine,
  type Log,
  type Register,
  systemRandom,
  type WakeBus,
} from '@signalbox/engine'
import type { Reader, Resources } from '@signalbox/postgres'
import { z } from 'zod'
import { lanesOf } from '../config/lanes-schema.ts'
import type { Config } from '../config/schema.ts'
import type { Api } from '../http/api.ts'
import { createApp, describe } from '../http/app.ts'
import { CancelsUnderWay } from '../http/cancels-under-way.ts'
import { createLogReads } from '../http/audit/log-reads.ts'
import { inTime } from '../http/in-time.ts'
import { impatient } from '../http/patience.ts'
import { publicAddress } from '../http/public-address.ts'
import type { Health } from '../health/health.ts'
import { StreamSlots } from '../http/stream-slots.ts'
import { measureHttp, traceRequests } from '../observe/http-metrics.ts'
import { tracedCommands } from '../observe/measured-world.ts'
import { measuredUploads } from '../observe/measured-uploads.ts'
import { type Metrics, metricsPage } from '../observe/metrics.ts'
import type { Tracing } from '../observe/tracing.ts'
import { RunWakes } from '../stream/run-wakes.ts'
import { type Inspect, inspected } from './inspect.ts'
import type { WebhookSettings } from '../webhooks/settings.ts'
import { listen } from './listen.ts'
import type { OpenedAccess } from './open-access.ts'

/** A caller gets an answer after this, whatever the register does. */
const registerMsMax = 10_000
/** What open requests get to end once streams were told to. */
const drainMs = 5_000
/** What the wake bus loses is found after this, and a register that was away is asked again. */
const pollMs = 1_000

export interface ServeOptions {
  readonly register: Register
  readonly reader: Reader
  readonly resources: Resources
  readonly wakeBus: WakeBus
  readonly engine: Engine
  readonly agents: ReadonlyMap<string, AgentDefinition>
  readonly metrics: Metrics
  readonly tracing: Tracing
  readonly health: Health
  readonly roles: readonly string[]
  readonly host: string
  readonly port: number
  readonly access: OpenedAccess
  readonly server: Config['server']
  readonly runLimits: Config['runLimits']
  readonly webhooks: WebhookSettings
  readonly directories: Api['directories']
  readonly clock: Clock
  readonly log: Log
  readonly inspect?: Inspect
}

export interface Served {
  readonly url: string
  stop(): Promise<void>
}

/** Serves the API. @throws StartError */
export async function serve(options: ServeOptions): Promise<Served> {
  const { reader, register, engine, metrics, server, log } = options
  const stopping = new AbortController()
  const timely = inTime(register, registerMsMax)
  const read = inTime(reader, registerMsMax)
  const ledger = createLedger({ register: timely, clock: options.clock, random: systemRandom })
  const wakes = new RunWakes({ bus: options.wakeBus, read, log, lookMs: pollMs })
  const api: Api = {
    commands: inTime(impatient(tracedCommands(engine.commands, options.tracing)), registerMsMax),
    cancels: new CancelsUnderWay(),
    followText: (runId, listener) => engine.followText(runId, listener),
    followProgress: (runId, listener) => engine.followProgress(runId, listener),
    read,
    ledger,
    logReads: createLogReads(ledger, options.clock.now),
    resources: timelyResources(options.resources, metrics),
    health: options.health,
    threads: timely,
    memories: timely,
    directories: options.directories,
    children: (runId) => timely.children(runId),
    wakes,
    streams: new StreamSlots(server.limits.streamsMax, (open) => metrics.streams.set(open)),
    shown: (lagMs) => metrics.wakeLag.observe(lagMs / 1000),
    webhooks: options.webhooks,
    agents: options.agents,
    lanesOf: (asked) => lanesOf(options.runLimits, asked),
    ...options.access,
    publicAddress: publicAddress(server),
    random: systemRandom,
    now: () => options.clock.now(),
    log,
    settings: { ...server.limits, heartbeatMs: 5_000, pollMs },
    stopping: stopping.signal,
    metrics: metricsPage(metrics),
    version: version(),
    roles: options.roles,
  }
  const app = createApp(api, [traceRequests(options.tracing), measureHttp(metrics)])
  const { inspect } = options
  const seen = inspect ? inspected(app, describe(app, api.version), inspect) : app
  const { host, port } = options
  const { keepAliveMs, limits } = server
  const address = { host, port, keepAliveMs, messageBytesMax: limits.bodyBytesMax }
  const listening = await listen(seen, address).catch((error: unknown) => {
    wakes.close()
    throw error
  })
  return {
    url: listening.url,
    stop: async () => {
      stopping.abort()
      await listening.stop(drainMs)
      wakes.close()
    },
  }
}

const timelyResources = (
  { store, crons, assistants, uploads }: Resources,
  metrics: Metrics,
): Api['resources'] => ({
  uploads: measuredUploads(inTime(uploads, registerMsMax), metrics),
  assistants: inTime(assistants, registerMsMax),
  store: inTime(store, registerMsMax),
  crons: inTime(crons, registerMsMax),
})

/** The version of this package. */
export function version(): string {
  const text = readFileSync(new URL('../../package.json', import.meta.url), 'utf8')
  return z.object({ version: z.string() }).parse(JSON.parse(text)).version
}
