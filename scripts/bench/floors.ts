/**
 * The floors of this machine in this minute: what the write path and the queues do with nothing around them. Measured
 * by the benches of their own packages, in processes of their own.
 */
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { z } from 'zod'
import type { Machine } from './machine.ts'

const run = promisify(execFile)

const Appends = z.object({ single: z.number(), eight: z.number(), batched: z.number() })

const Dispatches = z.array(
  z.object({
    backend: z.enum(['redis', 'postgres']),
    jobsPerSecond: z.number(),
    latencyMsMedian: z.number(),
    latencyMsP99: z.number(),
  }),
)

export interface QueueFloor {
  /** Jobs that do nothing, per second. */
  readonly jobsPerSecond: number
  /** From a dispatch to the worker, milliseconds, one job at a time. */
  readonly pingPongMs: number
}

export interface Floors {
  /** A fact with the decision made of it, per second: one at a time, eight at a time, and in batches. */
  readonly appendsPerSecond: z.infer<typeof Appends>
  readonly queue: {
    readonly postgres: QueueFloor
    /** Or why there is none. */
    readonly redis: QueueFloor | string
  }
}

export async function measureFloors({ postgres, redis }: Machine): Promise<Floors> {
  const appends = await bench('packages/postgres/bench/append.ts', [postgres.engineUrl, '0.7'])
  const stores = [{ kind: 'postgres', url: postgres.adminUrl }]
  if (typeof redis !== 'string') stores.push({ kind: 'redis', url: redis.url })
  const dispatches = Dispatches.parse(
    await bench(
      'packages/bullmq/bench/dispatch.ts',
      stores.map((store) => JSON.stringify(store)),
    ),
  )
  const floorOf = (backend: 'redis' | 'postgres'): QueueFloor | null => {
    const found = dispatches.find((each) => each.backend === backend)
    return found ? { jobsPerSecond: found.jobsPerSecond, pingPongMs: found.latencyMsMedian } : null
  }
  const ofPostgres = floorOf('postgres')
  if (ofPostgres === null) throw new Error('the floor of the queue on Postgres is missing')
  return {
    appendsPerSecond: Appends.parse(appends),
    queue: {
      postgres: ofPostgres,
      redis: floorOf('redis') ?? (typeof redis === 'string' ? redis : 'it was not measured'),
    },
  }
}

/** The JSON that a script prints. */
async function bench(script: string, args: readonly string[]): Promise<unknown> {
  const file = fileURLToPath(new URL(`../../${script}`, import.meta.url))
  const { stdout } = await run(process.execPath, [file, ...args])
  return JSON.parse(stdout)
}
