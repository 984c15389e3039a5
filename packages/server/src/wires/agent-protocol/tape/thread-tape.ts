/** The tape of a thread: its runs, one after the other in the order in which they spoke, and whoever comes next. */
import type { RunHead, StoredEvent } from '@signalbox/engine'
import type { ReadModel } from '../../../read-model.ts'
import { Bell } from '../../../stream/bell.ts'
import {
  type FollowSources,
  followRun,
  type Frame as Followed,
} from '../../../stream/follow-run.ts'
import { isUnavailable } from '../../../http/register-errors.ts'
import type { ThreadBells } from '../thread-bells.ts'
import { slots, type TapePlace, writeTapePlace } from './position.ts'
import { RunTape } from './run-tape.ts'
import type { TapeEvent } from './tape-event.ts'

export interface TapeSources extends FollowSources {
  readonly read: Pick<ReadModel, 'runEvents' | 'run' | 'runs'>
  readonly bells: ThreadBells
  /** What was said on the thread before a run: its events, oldest first. */
  readonly history: (head: RunHead) => Promise<readonly StoredEvent[]>
}

export interface TapeFollowing {
  readonly tenantId: string
  readonly threadId: string
  /** Null: from the run that is under way, or the last one. */
  readonly from: TapePlace | null
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

export type TapeFrame =
  | {
      readonly kind: 'event'
      readonly position: number
      readonly at: number
      readonly event: TapeEvent
    }
  | { readonly kind: 'heartbeat' }
  /** The connection must break: the process stops, or the client is too slow. */
  | { readonly kind: 'broken' }

/** Never ends by itself. Rejects for what is no outage. */
export async function* threadTape(
  sources: TapeSources,
  following: TapeFollowing,
): AsyncGenerator<TapeFrame, void, undefined> {
  const { gone, tenantId, threadId, from } = following
  const over = AbortSignal.any([gone, sources.stopping])
  const bell = new Bell()
  const stop = sources.bells.on(`${tenantId} ${threadId}`, () => bell.ring())
  let place = from?.run ?? null
  const next = async () => {
    place ??= await firstPlace(sources, following)
    return runAt(sources, following, place)
  }
  try {
    for (;;) {
      const run = yield* quiet(sources, { bell, over, ask: next })
      if (run?.place == null) break
      yield* runFrames(sources, following, run)
      if (over.aborted) break
      place = run.place + 1
    }
    if (!gone.aborted) yield { kind: 'broken' }
  } finally {
    stop()
  }
}

interface Quiet<T> {
  readonly bell: Bell
  readonly over: AbortSignal
  readonly ask: () => Promise<T | null>
}

/** Asks until there is an answer, again with every ring; null if it is over. A register that is away is waited for. */
async function* quiet<T>(
  { pollMs, heartbeatMs }: TapeSources,
  { bell, over, ask }: Quiet<T>,
): AsyncGenerator<TapeFrame, T | null, undefined> {
  let heardAt = performance.now()
  while (!over.aborted) {
    const answer = await orNull(ask())
    if (answer !== null) return answer
    await bell.wait(Math.min(pollMs, heartbeatMs), over)
    if (performance.now() - heardAt < heartbeatMs) continue
    heardAt = performance.now()
    yield { kind: 'heartbeat' }
  }
  return null
}

/** What went on before is the business of `values`: a tape that is not resumed begins where something goes on. */
async function firstPlace(
  { read }: TapeSources,
  { tenantId, threadId }: TapeFollowing,
): Promise<number> {
  const open = { statuses: ['queued', 'running', 'waiting'] as const, outcomes: [] }
  // In this order: a run that is over by the second answer is among the places of it.
  const [waiting] = await read.runs(tenantId, { threadId, among: open, limit: 1 })
  const [last] = await read.runs(tenantId, { threadId, places: 'last', limit: 1 })
  if (last?.place == null) return 1
  const isBefore = waiting !== undefined && waiting.runId !== last.runId && last.outcome !== null
  return isBefore && waiting.place === null ? last.place + 1 : last.place
}

async function runAt(
  { read }: TapeSources,
  { tenantId, threadId }: TapeFollowing,
  places: number,
): Promise<RunHead | null> {
  return (await read.runs(tenantId, { threadId, places, limit: 1 }))[0] ?? null
}

async function* runFrames(
  sources: TapeSources,
  { tenantId, from, gone }: TapeFollowing,
  head: RunHead,
): AsyncGenerator<TapeFrame, void, undefined> {
  const { runId } = head
  const over = AbortSignal.any([gone, sources.stopping])
  const here = from?.run === head.place ? from : null
  const tape = new RunTape(head, { history: () => sources.history(head), from: here })
  const bell = new Bell()
  const stop = sources.wakes.on({ tenantId, runId }, () => bell.ring())
  const more = async () => {
    const now = await sources.read.run(tenantId, runId)
    return now && now.seq > tape.seq ? now : null
  }
  try {
    for (;;) {
      const following = { tenantId, runId, after: tape.seq, untilWaiting: true, gone }
      let isWaiting = false
      for await (const frame of followRun(sources, following)) {
        yield* placed(tape, frame, { run: head.place ?? 0, here })
        if (frame.kind === 'heartbeat') yield { kind: 'heartbeat' }
        if (frame.kind === 'overrun') return yield { kind: 'broken' }
        isWaiting = frame.kind === 'waiting'
      }
      // Where it waits the step is over, though no event comes after it.
      if (!isWaiting || !(yield* quiet(sources, { bell, over, ask: more }))) return
    }
  } finally {
    stop()
  }
}

async function* placed(
  tape: RunTape,
  frame: Followed,
  { run, here }: { readonly run: number; readonly here: TapePlace | null },
): AsyncGenerator<TapeFrame, void, undefined> {
  for await (const { slot, event } of tape.see(frame)) {
    const { seq, at } = tape
    // What is live after the client's place comes after it, and is told apart by what the client has of it.
    const isLate = slot >= slots.live || slot > (here?.slot ?? 0)
    if (here && (seq < here.seq || (seq === here.seq && !isLate))) continue
    yield { kind: 'event', position: writeTapePlace({ run, seq, slot }), at, event }
  }
}

/** Null while the register is away. */
async function orNull<T>(question: Promise<T>): Promise<T | null> {
  try {
    return await question
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return null
  }
}
