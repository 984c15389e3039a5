/**
 * Streams on one process: what they hold of its memory, and how long the last of them waits for an event. Once each stream
 * on a run of its own, which is held by its tool or waits for a worker, and once all of them on one run. When they are let
 * go the runs go on to their ends, so that with runs of their own the engine's work on all of them is in that time.
 */
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { cpuMsOf, round } from '../cost.ts'
import { Child } from './child.ts'
import { type BenchDatabase, openBenchDatabase } from './database.ts'
import { type ClientOrder, ClientReport, type ServerOrder, ServerReport } from './messages.ts'
import type { HttpOptions } from './options.ts'
import { type Figures, percentile, type Tell } from './result.ts'

type Server = Child<ServerOrder, ServerReport>
type Database = Pick<BenchDatabase, 'adminUrl' | 'pid'>
type Stream = Extract<ClientOrder, { kind: 'open' }>['streams'][number]

export async function benchStreams({ streams: count }: HttpOptions, tell: Tell): Promise<void> {
  const floor = await measureFloor(count)
  const database = await openBenchDatabase({ bytes: 5e8 })
  const server: Server = new Child(new URL('server-main.ts', import.meta.url), ServerReport)
  try {
    const { url } = await server.ask({
      kind: 'start',
      databaseUrl: database.adminUrl,
      dataDir: database.dir,
      roles: ['api', 'orchestrator', 'worker'],
    })
    const streamed = (): Stream => ({
      method: 'POST',
      url: `${url}/threads/${crypto.randomUUID()}/runs/stream`,
      body: '{"assistant_id":"holder","input":"Go.","stream_mode":["values"]}',
    })
    // Everything is loaded, and the pools are open.
    const about = { server, database }
    await measure({ ...about, held: 20 }, Array.from({ length: 20 }, streamed))
    // First these: memory that the other ones leave behind would hide theirs.
    const run = await createHeld(url)
    const joined = (): Stream => ({ method: 'GET', url: `${run}/stream`, body: null })
    const one = await measure({ ...about, held: 1 }, Array.from({ length: count }, joined))
    tellOf(tell, `${count} streams of one run`, { own: one, floor })
    const own = await measure({ ...about, held: count }, Array.from({ length: count }, streamed))
    tellOf(tell, `${count} streams, a run each`, { own, floor })
  } finally {
    await server.stop({ kind: 'stop' })
    await database.stop()
  }
}

interface Streamed {
  readonly openMs: number
  readonly residentMB: { readonly before: number; readonly open: number; readonly after: number }
  readonly kilobytesPerStream: number
  /** CPU milliseconds a second while nothing happens, of the server and of its Postgres. */
  readonly idle: { readonly server: number; readonly postgres: number | null }
  /** From the moment it was told until the end of each stream had arrived. */
  readonly p50Ms: number
  readonly lastMs: number
}

function tellOf(
  tell: Tell,
  what: string,
  { own, floor }: { readonly own: Streamed; readonly floor: Streamed },
): void {
  const ratio = round(own.kilobytesPerStream / floor.kilobytesPerStream)
  tell({ bench: 'streams', what, figures: figuresOf(own), floor: figuresOf(floor), ratio })
}

const figuresOf = ({ residentMB: { before, open, after }, idle, ...rest }: Streamed): Figures => ({
  ...rest,
  idleCpuMsPerSecond: idle.server,
  ...(idle.postgres === null ? {} : { idlePostgresCpuMsPerSecond: idle.postgres }),
  residentMBBefore: before,
  residentMBOpen: open,
  residentMBAfter: after,
})

/** Opens the streams, looks at memory, lets all runs go, and waits for the ends. */
async function measure(
  at: { readonly server: Server; readonly database: Database | null; readonly held: number },
  streams: Stream[],
): Promise<Streamed> {
  const { server, database, held } = at
  const clients = new Child<ClientOrder, ClientReport>(
    new URL('clients-main.ts', import.meta.url),
    ClientReport,
  )
  try {
    await server.ask({ kind: 'hold' })
    const before = await server.ask({ kind: 'memory' })
    const { wallMs } = await clients.ask({ kind: 'open', streams })
    if (database) await untilHeld(database.adminUrl, held)
    const open = await server.ask({ kind: 'memory' })
    const idle = await idleCpu(server, database)
    const { at: told } = await server.ask({ kind: 'let-go' })
    const { endedAt } = await clients.ask({ kind: 'ends' })
    await setTimeout(1_000)
    const after = await server.ask({ kind: 'memory' })
    const waits = endedAt.map((each) => each - told)
    return {
      openMs: Math.round(wallMs),
      residentMB: {
        before: megabytes(before.residentBytes),
        open: megabytes(open.residentBytes),
        after: megabytes(after.residentBytes),
      },
      kilobytesPerStream: round(
        (open.residentBytes - before.residentBytes) / 1000 / streams.length,
        1,
      ),
      idle,
      p50Ms: round(percentile(waits, 50), 1),
      lastMs: round(Math.max(...waits), 1),
    }
  } finally {
    await clients.stop({ kind: 'stop' })
  }
}

/** Over some seconds in which no stream has anything to say. */
async function idleCpu(server: Server, database: Database | null): Promise<Streamed['idle']> {
  const look = async () => ({
    server: (await server.ask({ kind: 'cpu' })).cpuMs,
    postgres: database && (await cpuMsOf(database.pid)),
    at: performance.now(),
  })
  await setTimeout(2_000)
  const before = await look()
  await setTimeout(5_000)
  const after = await look()
  const perSecond = (ms: number): number => round((1000 * ms) / (after.at - before.at), 1)
  return {
    server: perSecond(after.server - before.server),
    postgres:
      before.postgres === null || after.postgres === null
        ? null
        : perSecond(after.postgres - before.postgres),
  }
}

const megabytes = (bytes: number): number => round(bytes / 1e6, 1)

async function measureFloor(count: number): Promise<Streamed> {
  const server: Server = new Child(new URL('stream-floor-main.ts', import.meta.url), ServerReport)
  try {
    const start: ServerOrder = { kind: 'start', databaseUrl: '', dataDir: '', roles: [] }
    const { url } = await server.ask(start)
    const stream: Stream = { method: 'GET', url, body: null }
    const at = { server, database: null, held: 0 }
    await measure(
      at,
      Array.from({ length: 20 }, () => stream),
    )
    return await measure(
      at,
      Array.from({ length: count }, () => stream),
    )
  } finally {
    await server.stop({ kind: 'stop' })
  }
}

/** Creates a run that is held, and answers its address. */
async function createHeld(url: string): Promise<string> {
  const response = await fetch(`${url}/threads/${crypto.randomUUID()}/runs`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"assistant_id":"holder","input":"Go."}',
  })
  const location = response.headers.get('content-location')
  if (!response.ok || location === null) throw new Error(`a run was answered ${response.status}`)
  return `${url}${location}`
}

/** Waits until so many runs have come to their tool. Sixteen are inside, the others wait for a worker. */
async function untilHeld(adminUrl: string, held: number): Promise<void> {
  const client = new pg.Client(adminUrl)
  await client.connect()
  try {
    for (let tries = 0; tries < 600; tries += 1) {
      const { rows } = await client.query<{ n: number }>(
        "select count(*)::int as n from signalbox.effect where kind = 'tool.call' and status in ('pending', 'started')",
      )
      if (rows[0]?.n === held) return
      await setTimeout(200)
    }
    throw new Error(`not all of ${held} runs came to their tool`)
  } finally {
    await client.end()
  }
}
