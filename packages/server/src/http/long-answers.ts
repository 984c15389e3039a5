/** Answers that take as long as a run: event streams, and waits with keep-alives. */
import type { RunHead } from '@signalbox/engine'
import { runStream } from '../stream/run-stream.ts'
import { textStream } from '../stream/sse.ts'
import { waitForRun } from '../stream/wait-for-run.ts'
import type { Api } from './api.ts'
import { waitingOf } from './approvals.ts'
import { Problem } from './problem.ts'
import { eventsOf } from './run-events.ts'
import { runView, wireStatus } from './wire/run-view.ts'
import { messagesOfRun, type Values } from './wire/values.ts'

/** A client that takes nothing for this long is gone. */
const stallMs = 60_000

/** Where a run is; LangGraph's client reads the ids from it, so nothing may follow them. */
export const runLocation = (run: Pick<RunHead, 'threadId' | 'runId'>): string =>
  `/threads/${run.threadId}/runs/${run.runId}`

/** The run as server-sent events, from the event after `after` on. */
export function streamResponse(api: Api, run: RunHead, after: number): Response {
  const release = api.streams.take()
  if (!release)
    throw new Problem('too_many_streams', {
      detail: `${api.streams.max} streams are open, which is the limit of this process.`,
      headers: { 'retry-after': '5' },
    })
  const gone = new AbortController()
  const { tenantId, runId } = run
  const sources = { ...api, ...api.settings }
  const texts = runStream(sources, { tenantId, runId, after, gone: gone.signal })
  const onGone = () => {
    gone.abort()
    release()
  }
  return new Response(textStream(texts, { stallMs, onGone }), {
    headers: {
      'content-type': 'text/event-stream',
      'cache-control': 'no-store, no-transform',
      'x-accel-buffering': 'no',
      'content-location': runLocation(run),
      location: `${runLocation(run)}/stream`,
    },
  })
}

/** What the run came to, once it has ended or waits for a human. Line breaks until then keep the connection. */
export function waitResponse(api: Api, run: RunHead): Response {
  const gone = new AbortController()
  const texts = waitTexts(api, run, gone.signal)
  return new Response(textStream(texts, { stallMs, onGone: () => gone.abort() }), {
    headers: {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'x-accel-buffering': 'no',
      'content-location': runLocation(run),
    },
  })
}

async function* waitTexts(
  api: Api,
  run: RunHead,
  gone: AbortSignal,
): AsyncGenerator<string, void, undefined> {
  const until = performance.now() + api.settings.waitMsMax
  const sources = { ...api, pollMs: api.settings.pollMs }
  const over = AbortSignal.any([gone, api.stopping])
  let last = run
  try {
    for (;;) {
      const leftMs = Math.max(0, Math.min(api.settings.heartbeatMs, until - performance.now()))
      const signal = AbortSignal.any([over, AbortSignal.timeout(Math.ceil(leftMs))])
      const { head, settled } = await waitForRun(sources, run, signal)
      last = head ?? last
      if (settled) return yield JSON.stringify(await valuesOf(api, last))
      if (gone.aborted) return
      if (over.aborted || performance.now() >= until) break
      yield '\n'
    }
    const why = over.aborted ? 'The process is stopping.' : 'The time to wait is over.'
    const message = `${why} The run goes on; join it again.`
    yield JSON.stringify(failed(last, { error: 'wait_interrupted', message }))
  } catch (error) {
    // The status line has been sent; the error can only stand in the body.
    const logId = api.random.uuid()
    api.log.error('a wait broke', { logId, error: String(error) })
    yield JSON.stringify(failed(last, { error: 'internal', message: `See the log, ${logId}.` }))
  }
}

const failed = (head: RunHead, error: { error: string; message: string }): Values => ({
  messages: [],
  outcome: head.outcome,
  run: runView(head),
  __error__: error,
})

async function valuesOf(api: Pick<Api, 'read'>, head: RunHead): Promise<Values> {
  const [events, waiting] = await Promise.all([eventsOf(api.read, head), waitingOf(api.read, head)])
  const status = wireStatus(head)
  const ended = `The run ended with the outcome "${String(head.outcome)}".`
  return {
    messages: messagesOfRun(events),
    outcome: head.outcome,
    run: runView(head, waiting),
    ...(status === 'error' || status === 'timeout'
      ? { __error__: { error: String(head.outcome), message: ended } }
      : {}),
    ...(head.status === 'waiting'
      ? { __interrupt__: waiting.map((value) => ({ id: idOf(value), value })) }
      : {}),
  }
}

const idOf = (value: Awaited<ReturnType<typeof waitingOf>>[number]): string =>
  value.for === 'approval' ? value.call_id : value.effect_id
