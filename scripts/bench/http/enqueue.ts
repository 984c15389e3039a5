/**
 * What an enqueue takes: `POST /threads/{id}/runs` on a thread that is new, by clients that keep their connections. Once
 * with a process that only serves the API, so that nothing but the enqueue is at work, and once with one that does
 * everything, so that the runs are run meanwhile, with a model that answers at once.
 */
import { round } from '../cost.ts'
import { Child } from './child.ts'
import { openBenchDatabase } from './database.ts'
import { type AppendByHand, openAppendByHand } from './enqueue-floor.ts'
import { type ClientOrder, ClientReport, type ServerOrder, ServerReport } from './messages.ts'
import type { HttpOptions } from './options.ts'
import { spreadOf, type Tell } from './result.ts'

const clientCounts = [1, 10, 100] as const
const warmUpRequests = 300
const setUps = [
  { name: 'api alone', roles: ['api'] },
  { name: 'all roles', roles: ['api', 'orchestrator', 'worker'] },
] as const

export async function benchEnqueue({ requests }: HttpOptions, tell: Tell): Promise<void> {
  for (const { name, roles } of setUps) {
    const database = await openBenchDatabase({ bytes: 2e9 })
    const server = new Child<ServerOrder, ServerReport>(
      new URL('server-main.ts', import.meta.url),
      ServerReport,
    )
    const clients = new Child<ClientOrder, ClientReport>(
      new URL('clients-main.ts', import.meta.url),
      ClientReport,
    )
    try {
      const { adminUrl: databaseUrl, dir: dataDir } = database
      const started = await server.ask({ kind: 'start', databaseUrl, dataDir, roles: [...roles] })
      const byHand = await openAppendByHand(databaseUrl)
      const send = (count: number, times: number) =>
        clients.ask({ kind: 'enqueue', url: started.url, clients: count, requests: times })
      await send(10, warmUpRequests)
      await byHand(10, warmUpRequests)
      for (const count of clientCounts) await measure({ name, count, requests, send, byHand }, tell)
    } finally {
      await clients.stop({ kind: 'stop' })
      await server.stop({ kind: 'stop' })
      await database.stop()
    }
  }
}

interface Measuring {
  readonly name: string
  readonly count: number
  readonly requests: number
  readonly send: AppendByHand
  readonly byHand: AppendByHand
}

async function measure(
  { name, count, requests, send, byHand }: Measuring,
  tell: Tell,
): Promise<void> {
  const asked = Math.max(100, count === 1 ? Math.ceil(requests / 4) : requests)
  const ours = await send(count, asked)
  const hand = await byHand(count, asked)
  const figures = spreadOf(ours.times)
  const floor = spreadOf(hand.times)
  tell({
    bench: 'enqueue',
    what: `${name}, ${count} ${count === 1 ? 'client' : 'clients'}`,
    figures: { ...figures, perSecond: round((asked * 1000) / ours.wallMs, 1) },
    floor: { ...floor, perSecond: round((asked * 1000) / hand.wallMs, 1) },
    ratio: round(figures.p50Ms / floor.p50Ms),
  })
}
