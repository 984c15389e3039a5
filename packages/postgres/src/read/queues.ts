/** The queues of tool calls: what waits, what is executing, what nobody knows the outcome of. */
import { type CompiledQuery, sql } from 'kysely'
import { compile } from '../query.ts'
import { isEffectPaused } from './paused.ts'

/** One queue, as one tenant has it. Times in milliseconds since the epoch. */
export interface QueueView {
  readonly queue: string
  /** Calls that a worker may take now. */
  readonly waiting: number
  /** Since when the one that has waited longest may be taken; null if none waits. */
  readonly oldestAt: number | null
  /** Calls that wait because their agent, their tool or the queue is paused. */
  readonly paused: number
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
    select c.queue,
      count(*) filter (where c.pending and c.due <= now() and not c.paused)::int as waiting,
      signalbox.to_ms(min(c.due) filter (where c.pending and c.due <= now() and not c.paused))::float8 as "oldestAt",
      count(*) filter (where c.pending and c.due <= now() and c.paused)::int as paused,
      count(*) filter (where c.pending and c.due > now())::int as delayed,
      count(*) filter (where c.status = 'started')::int as running,
      count(*) filter (where c.status = 'unknown')::int as unknown
    from (
      select e.queue, e.status, e.status = 'pending' as pending, coalesce(e.held, e.due) as due,
        e.status = 'pending' and ${isEffectPaused} as paused
      from signalbox.effect e join signalbox.run r on r.id = e.run_id
      where e.status in ('pending', 'started', 'unknown') and e.kind = 'tool.call' and r.status <> 'ended') c
    group by c.queue order by c.queue`)
}
