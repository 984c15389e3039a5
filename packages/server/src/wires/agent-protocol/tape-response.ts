/** The tape of a thread as server-sent events. */
import { BrokenOff } from '../../stream/broken-off.ts'
import type { Api, Identified } from '../../http/api.ts'
import { eventStream } from '../../http/event-stream.ts'
import { unknownThread } from '../../http/find.ts'
import { sseComment, sseEvent } from '../../stream/sse.ts'
import { threadEvents } from '../langgraph/state.ts'
import { readTapePlace } from './tape/position.ts'
import type { TapeEvent } from './tape/tape-event.ts'
import { type TapeFollowing, type TapeFrame, threadTape } from './tape/thread-tape.ts'
import type { ThreadBells } from './thread-bells.ts'

export interface TapeWish {
  readonly threadId: string
  /** May it be opened before the thread is there? The client of the protocol subscribes before its first run makes the thread. */
  readonly early: boolean
  /** The `seq` that the client has; null: from the run that is under way, or the last one. */
  readonly since: number | null
  readonly wants: (event: TapeEvent) => boolean
  /** What of an event is sent, and under which name. */
  readonly write: (event: TapeEvent, frame: { position: number; at: number }) => Written
}

interface Written {
  readonly event: string
  readonly data: unknown
}

/** Opens the tape. @throws Problem `unknown_thread`, `too_many_streams` */
export async function tapeResponse(
  api: Api,
  caller: Identified,
  { bells, wish }: { readonly bells: ThreadBells; readonly wish: TapeWish },
): Promise<Response> {
  const { tenantId, scopes } = caller
  const { threadId, since, early } = wish
  // Who may make the thread need not find it.
  const mayMakeIt = early && scopes.includes('enqueue')
  if (!mayMakeIt && !(await api.read.thread(tenantId, threadId))) throw unknownThread(threadId)
  return eventStream(api, (gone) =>
    texts(framesOf(api, bells, { tenantId, threadId, since, gone }), wish),
  )
}

/** The tape of a thread behind the `seq` that a client has. */
export function framesOf(
  api: Api,
  bells: ThreadBells,
  { since, ...following }: Omit<TapeFollowing, 'from'> & Pick<TapeWish, 'since'>,
): AsyncGenerator<TapeFrame, void, undefined> {
  const sources = {
    ...api,
    ...api.settings,
    bells,
    history: (head: { tenantId: string; threadId: string; runId: string }) =>
      threadEvents(api.read, head, { runId: head.runId, seq: 0 }),
  }
  const from = since === null ? null : readTapePlace(since)
  return threadTape(sources, { ...following, from })
}

async function* texts(
  frames: AsyncIterable<TapeFrame>,
  { wants, write }: TapeWish,
): AsyncGenerator<string, void, undefined> {
  // The headers go with the first bytes, and the client waits for them before it goes on.
  yield sseComment('open')
  for await (const frame of frames) {
    if (frame.kind === 'heartbeat') yield sseComment('heartbeat')
    if (frame.kind === 'broken') throw new BrokenOff('the stream goes on elsewhere')
    if (frame.kind !== 'event' || !wants(frame.event)) continue
    yield sseEvent({ id: frame.position, ...write(frame.event, frame) })
  }
}

/** An event in the words of Agent Protocol v2. */
export const protocolEvent = (
  event: TapeEvent,
  { position: seq, at: timestamp }: { position: number; at: number },
): Written => {
  const { method, namespace, node, id: event_id } = event
  const params = { namespace, timestamp, ...(node ? { node } : {}), data: event.data() }
  return { event: method, data: { type: 'event', event_id, seq, method, params } }
}
