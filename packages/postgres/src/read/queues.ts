/** The queues of tool calls: what waits, what is executing, what nobody knows the outcome of. */
import { type CompiledQuery, sql } from 'kysely'
import { compile } from '../query.ts'

/** One queue, as one tenant has it. Times in milliseconds since the epoch. */
export interface QueueView {
  readonly queue: string
  /** Calls that a worker may take now. */
  readonly waiting: number
  /** Since when the one that has waited longest may be taken; null if none waits. */
  readonly oldestAt: number | null
  /** Calls that may not be taken yet. */
  readonly delayed: number
  /** Calls that a worker has. */
  readonly running: number
  /** Calls whose outcome nobody knows. */
  readonly unknown: number
}

/** Queues that living runs have open calls in, by name. */
export function queuesQuery(): CompiledQuery<QueueView> {
  return compile(sql<QueueView>`
    select e.queue,
      count(*) filter (where e.status = 'pending' and e.due <= now())::int as waiting,
      signalbox.to_ms(min(e.due) filter (where e.status = 'pending' and e.due <= now()))::float8 as "oldestAt",
      count(*) filter (where e.status = 'pending' and e.due > now())::int as delayed,
      count(*) filter (where e.status = 'started')::int as running,
      count(*) filter (where e.status = 'unknown')::int as unknown
    from signalbox.effect e join signalbox.run r on r.id = e.run_id
    where e.status in ('pending', 'started', 'unknown') and e.kind = 'tool.call' and r.status <> 'ended'
    group by e.queue order by e.queue`)
}
