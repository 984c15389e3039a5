/** What a process without the role `api` serves, if it has a port: `/live`, `/ready`, `/ok` and `/metrics`, for who keeps it running. */
import { type Log, systemRandom } from '@signalbox/engine'
import { createHealthApp } from '../http/app.ts'
import type { Health } from '../health/health.ts'
import type { Authenticate } from '../http/api.ts'
import type { Door } from '../http/door.ts'
import { measureHttp } from '../observe/http-metrics.ts'
import { type Metrics, metricsPage } from '../observe/metrics.ts'
import type { Closers } from './closers.ts'
import { listen } from './listen.ts'
import type { Served } from './serve.ts'

export interface ServeHealthOptions {
  readonly health: Health
  readonly metrics: Metrics
  readonly roles: readonly string[]
  readonly host: string
  readonly port: number
  readonly keepAliveMs: number
  readonly authenticate: Authenticate
  readonly door: Door
  readonly log: Log
}

/** What requests in flight get to end. */
const drainMs = 1_000

interface ServedHealth extends Served {
  /** From now on it says that it is not ready, and that it lives. Its metrics are still there. */
  leave(): void
}

/** Opens the port of a process without the API, over what it was composed of. @throws StartError */
export type OpenHealthPort = (options: ServeHealthOptions) => Promise<Served>

/**
 * A port that is closed after all that is added to the closers from now on: what watches a process sees it until its last call has
 * ended. The first thing that a stop does is to say that the process is not ready.
 */
export function healthPort(closers: Closers): OpenHealthPort {
  let served: ServedHealth | null = null
  closers.add('health port', () => served?.stop())
  return async (options) => {
    const opened = await serveHealth(options)
    served = opened
    closers.add('readiness', () => opened.leave())
    return opened
  }
}

async function serveHealth(options: ServeHealthOptions): Promise<ServedHealth> {
  const { metrics, roles, log } = options
  const stopping = new AbortController()
  // A reconciler that was told to stop stands still, and that is no reason to end the process earlier.
  const health: Health = {
    ...options.health,
    live: () => (stopping.signal.aborted ? Promise.resolve(true) : options.health.live()),
  }
  const app = createHealthApp(
    {
      health,
      authenticate: options.authenticate,
      door: options.door,
      random: systemRandom,
      log,
      stopping: stopping.signal,
      metrics: metricsPage(metrics),
      roles,
    },
    [measureHttp(metrics)],
  )
  const listening = await listen(app, options)
  return {
    url: listening.url,
    leave: () => stopping.abort(),
    stop: async () => {
      stopping.abort()
      await listening.stop(drainMs)
    },
  }
}
