/**
 * Follows a run over server-sent events.
 *
 * F1 Every event once, in order: after a break the stream is resumed behind the last `seq` that was read.
 * F2 A server that stays away longer than `patienceMs` ends the following.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { Delta, End, Event, Progress } from './documents.ts'
import { inPath, readAnswer, sendRequest, type Server } from './http.ts'
import { isPassing, unreachable } from './problem.ts'

/** What a run shows of itself. */
export type RunFrame =
  | { readonly kind: 'event'; readonly event: Event }
  | { readonly kind: 'text'; readonly delta: Delta }
  | { readonly kind: 'progress'; readonly progress: Progress }
  | { readonly kind: 'end'; readonly outcome: string | null }

export interface Follow {
  readonly runId: string
  /** Sequence number of the last event that is known. */
  readonly after: number
  readonly signal?: AbortSignal
  /** Told when the connection was lost and is sought again. */
  readonly onBreak?: () => void
}

const patienceMs = 30_000
const pauseMs = { first: 100, max: 2000 }
/** The server says something every 5 s; a connection that is silent for longer is dead. */
const silenceMs = 20_000

/** Follows a run to its end. @throws Failure */
export async function* followRun(server: Server, follow: Follow): AsyncGenerator<RunFrame> {
  let after = follow.after
  let lostAt: number | null = null
  let pause = pauseMs.first
  for (;;) {
    try {
      for await (const frame of oneConnection(server, { ...follow, after })) {
        lostAt = null
        pause = pauseMs.first
        if (frame.kind === 'event') after = frame.event.seq
        yield frame
        if (frame.kind === 'end') return
      }
    } catch (error) {
      follow.signal?.throwIfAborted()
      const awayMs = performance.now() - (lostAt ?? performance.now())
      if (!isPassing(error) || awayMs > patienceMs) throw error
    }
    follow.signal?.throwIfAborted()
    if (lostAt === null) follow.onBreak?.()
    lostAt ??= performance.now()
    await sleep(pause, undefined, follow.signal ? { signal: follow.signal } : {})
    pause = Math.min(pause * 2, pauseMs.max)
  }
}

async function* oneConnection(server: Server, follow: Follow): AsyncGenerator<RunFrame> {
  const silent = new AbortController()
  const signal = follow.signal ? AbortSignal.any([follow.signal, silent.signal]) : silent.signal
  let timer: NodeJS.Timeout | undefined
  const heard = () => {
    clearTimeout(timer)
    timer = setTimeout(() => silent.abort(), silenceMs)
  }
  const messages: EventSourceMessage[] = []
  const parser = createParser({ onEvent: (message) => messages.push(message) })
  const decoder = new TextDecoder()
  try {
    heard()
    const response = await sendRequest(server, `/runs/${inPath(follow.runId)}/stream`, {
      query: { stream_mode: 'signalbox' },
      headers: { accept: 'text/event-stream', 'last-event-id': String(follow.after) },
      signal,
    })
    for await (const chunk of response.body ?? []) {
      heard()
      parser.feed(decoder.decode(chunk, { stream: true }))
      for (const message of messages.splice(0)) yield* frameOf(server, message)
    }
  } catch (error) {
    // What breaks in the middle of a body is no refusal: the connection is gone.
    throw isRefusal(error) ? error : unreachable(server.url, error)
  } finally {
    clearTimeout(timer)
    silent.abort()
  }
}

const isRefusal = (error: unknown): boolean => error instanceof Error && error.name === 'Failure'

function* frameOf(server: Server, { event, data, id }: EventSourceMessage): Generator<RunFrame> {
  if (event === 'end') yield { kind: 'end', outcome: readAnswer(server, End, data).outcome }
  else if (event === 'message.delta') yield { kind: 'text', delta: readAnswer(server, Delta, data) }
  else if (event === 'tool.progress')
    yield { kind: 'progress', progress: readAnswer(server, Progress, data) }
  else if (id !== undefined) yield { kind: 'event', event: readAnswer(server, Event, data) }
}
