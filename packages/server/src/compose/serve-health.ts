/** What a process without the role `api` serves, if it has a port: `/ok` and `/metrics`, for who keeps it running. */
import { type Log, type Register, systemRandom } from '@signalbox/engine'
import { createHealthApp } from '../http/app.ts'
import type { Authenticate } from '../http/api.ts'
import { measureHttp } from '../observe/http-metrics.ts'
import { type Metrics, metricsPage } from '../observe/metrics.ts'
import { listen } from './listen.ts'
import type { Served } from './serve.ts'

export interface ServeHealthOptions {
  readonly register: Pick<Register, 'effect'>
  readonly metrics: Metrics
  readonly roles: readonly string[]
  readonly host: string
  readonly port: number
  readonly authenticate: Authenticate
  readonly log: Log
}

/** No effect has this id: the register is asked, and has nothing to read. */
const noEffect = 'none'
/** What requests in flight get to end. */
const drainMs = 1_000

/** Serves the health of a process. @throws StartError */
export async function serveHealth(options: ServeHealthOptions): Promise<Served> {
  const { register, metrics, roles, log } = options
  const stopping = new AbortController()
  const app = createHealthApp(
    {
      ping: () => register.effect(noEffect),
      authenticate: options.authenticate,
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
