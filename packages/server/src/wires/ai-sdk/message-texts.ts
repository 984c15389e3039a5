/**
 * A followed run as a UI message stream.
 *
 * M1 Every stream tells its message from the beginning, or, for a client that has some of it, from the beginning of the
 *    step where that client is: the step is withdrawn first, so whatever of it the client has, it is not there twice.
 * M2 `start` comes first and `[DONE]` last. A stream that breaks off without it breaks its connection, since clients take
 *    a connection that was closed in order for the end.
 */
import { BrokenOff } from '../../stream/broken-off.ts'
import type { RunHead } from '@signalbox/engine'
import { type FollowSources, type Frame, followRun } from '../../stream/follow-run.ts'
import { sseComment } from '../../stream/sse.ts'
import { type Chunk, chunkText, doneText } from './chunk.ts'
import { isVerdict, Projection } from './projection.ts'

export interface MessageFollowing {
  readonly head: RunHead
  /** How many steps of the message the client has begun. Null: it begins a new message. */
  readonly steps: number | null
  /** Aborted when the client is gone. */
  readonly gone: AbortSignal
}

/** The texts of the stream. Rejects where it breaks off. */
export async function* messageTexts(
  sources: FollowSources,
  { head, steps, gone }: MessageFollowing,
): AsyncGenerator<string, void, undefined> {
  const { tenantId, runId, threadId } = head
  const projection = new Projection()
  const passes = behindSteps(steps ?? 0)
  const messageMetadata = { runId, threadId, status: 'running' }
  yield chunkText({ type: 'start', messageId: runId, messageMetadata })
  if (steps !== null) yield chunkText({ type: 'reset-step' })
  const following = { tenantId, runId, after: 0, untilWaiting: true, gone }
  for await (const frame of followRun(sources, following)) {
    // What a decision did is shown once its last verdict was seen.
    const before = frame.kind !== 'event' || !isVerdict(frame.event) ? projection.flush() : []
    const chunks = [...before, ...chunksOf(projection, frame)]
    for (const chunk of chunks) if (passes(chunk)) yield chunkText(chunk)
    switch (frame.kind) {
      case 'heartbeat':
        yield sseComment('heartbeat')
        break
      case 'waiting':
      case 'end':
        return yield doneText
      case 'stopping':
        throw new BrokenOff('the process is stopping')
      case 'overrun':
        throw new BrokenOff('the client is too slow')
      default:
    }
  }
}

function chunksOf(projection: Projection, frame: Frame): readonly Chunk[] {
  switch (frame.kind) {
    case 'event':
      projection.see(frame.event)
      return []
    case 'text':
      return projection.say(frame.piece)
    case 'progress':
      return projection.note(frame.progress)
    case 'waiting':
      return projection.pause()
    case 'end':
      return projection.end(frame.head)
    default:
      return []
  }
}

const lastParts = new Set<Chunk['type']>(['message-metadata', 'finish', 'abort', 'error'])

/** Passes what comes after the beginning of the n-th step. How a message ends passes always. */
function behindSteps(n: number): (chunk: Chunk) => boolean {
  let left = n
  return (chunk) => {
    if (left === 0 || lastParts.has(chunk.type)) return true
    if (chunk.type === 'start-step') left -= 1
    return false
  }
}
