/** What a run stores, against its length: it must grow with the conversation, never with its square (DESIGN §3.11). */
import { Counters, round } from './cost.ts'
import type { Machine } from './machine.ts'
import { openSetUp } from './set-up.ts'
import { agentOf } from './world.ts'

const lengths = [25, 50, 100, 200] as const

export interface RunSize {
  readonly turns: number
  readonly events: number
  /** Payloads of the events as they are stored, compressed where they are. */
  readonly payloadBytes: number
  /** Whole event rows, without indexes. */
  readonly eventBytes: number
  /** What tables and indexes of the register grew by, in whole pages. */
  readonly storedBytes: number
}

/** bytes = `bytesBase` + `bytesPerTurn` × turns. */
export interface Fit {
  readonly bytesPerTurn: number
  readonly bytesBase: number
  /** 1: the points lie on the line. */
  readonly rSquared: number
}

export interface LogSize {
  readonly runs: readonly RunSize[]
  readonly fit: { readonly eventBytes: Fit; readonly storedBytes: Fit }
}

/** Measures runs of rising length. */
export async function measureLogSize(machine: Machine): Promise<LogSize> {
  const { adminUrl, engineUrl } = machine.postgres
  const counters = await Counters.connect(adminUrl)
  const setUp = await openSetUp({ dispatcher: 'direct', engineUrl, redisUrl: null })
  const runs: RunSize[] = []
  try {
    for (const turns of lengths) {
      const before = await relationBytes(counters)
      const runId = await setUp.run(agentOf(turns))
      const storedBytes = (await relationBytes(counters)) - before
      runs.push({ turns, ...(await eventsOf(counters, runId)), storedBytes })
    }
  } finally {
    await setUp.close()
    await counters.close()
  }
  const fit = (pick: (run: RunSize) => number): Fit =>
    fitLine(runs.map((run) => ({ x: run.turns, y: pick(run) })))
  return {
    runs,
    fit: { eventBytes: fit((run) => run.eventBytes), storedBytes: fit((run) => run.storedBytes) },
  }
}

async function relationBytes(counters: Counters): Promise<number> {
  const [row] = await counters.query<{ bytes: number }>(`
    select sum(pg_total_relation_size(c.oid))::float8 as bytes from pg_class c
    where c.relnamespace = 'signalbox'::regnamespace and c.relkind = 'r'`)
  return row?.bytes ?? Number.NaN
}

async function eventsOf(counters: Counters, runId: string) {
  // The id is one of ours: nothing of it needs quoting.
  const [row] = await counters.query<Pick<RunSize, 'events' | 'payloadBytes' | 'eventBytes'>>(`
    select count(*)::int as events, sum(pg_column_size(payload))::int as "payloadBytes",
      sum(pg_column_size(e.*))::int as "eventBytes"
    from signalbox.event e where run_id = '${runId}'`)
  if (!row) throw new Error(`the run ${runId} has no events`)
  return row
}

/** Least squares. */
function fitLine(points: readonly { readonly x: number; readonly y: number }[]): Fit {
  const mean = (pick: (point: { x: number; y: number }) => number): number =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length
  const [x, y] = [mean((point) => point.x), mean((point) => point.y)]
  const slope = mean((point) => (point.x - x) * (point.y - y)) / mean((point) => (point.x - x) ** 2)
  const base = y - slope * x
  const left = mean((point) => (point.y - base - slope * point.x) ** 2)
  const all = mean((point) => (point.y - y) ** 2)
  return {
    bytesPerTurn: Math.round(slope),
    bytesBase: Math.round(base),
    rSquared: round(1 - left / all, 5),
  }
}
