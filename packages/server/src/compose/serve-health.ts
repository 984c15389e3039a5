/** What a process without the role `api` serves, if it has a port: `/live`, `/ready`, `/ok` and `/metrics`, for who keeps it running. */
import { type Log, systemRandom } from '@signalbox/engine'
import { createHealthApp } from '../http/app.ts'
import type { Health } from '../health/health.ts'
import type { Authenticate } from '../http/api.ts'
import type { Door } from '../http/door.ts'
import { measureHttp } from '../observe/http-metrics.ts'
import { type Metrics, metricsPage } from '../observe/metrics.ts'
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

/** Serves the health of a process. @throws StartError */
export async function serveHealth(options: ServeHealthOptions): Promise<Served> {
  const { health, metrics, roles, log } = options
  const stopping = new AbortController()
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
    stop: async () => {
      stopping.abort()
      await listening.stop(drainMs)
    },
  }
}
