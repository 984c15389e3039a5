/** Answers that take as long as a run: event streams, and waits with keep-alives. */
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { runStream } from '../stream/run-stream.ts'
import { textStream } from '../stream/sse.ts'
import { waitForRun } from '../stream/wait-for-run.ts'
import { isOwn, modesQuery, type StreamMode } from '../wires/langgraph/stream/modes.ts'
import type { Position } from '../wires/langgraph/stream/position.ts'
import { runFrames } from '../wires/langgraph/stream/run-frames.ts'
import type { Api } from './api.ts'
import { humansAsked } from './humans-asked.ts'
import { eventStream } from './event-stream.ts'
import { errorOfRun, linksOf, parentOf } from './run-document.ts'
import { rerunStop } from './wire/explanations.ts'
import { runView } from './wire/run-view.ts'
import { type Values, withRole } from './wire/values.ts'
import { nothingLeft, runValues } from '../wires/langgraph/run-values.ts'
import { type RunFailure, Failures } from '../wires/langgraph/failure.ts'
import { interruptsOf } from '../wires/langgraph/interrupt.ts'
import { lastStep, threadEvents, throughHead } from '../wires/langgraph/state.ts'

/** A client that takes nothing for this long is gone. */
const stallMs = 60_000

/** Where a run is; LangGraph's client reads the ids from it, so nothing may follow them. */
export const runLocation = (run: Pick<RunHead, 'threadId' | 'runId'>): string =>
  `/threads/${run.threadId}/runs/${run.runId}`

/** For the document: what answers about one run say in their headers. */
export const runHeaders = { 'Content-Location': 'The address of the run.' }

/** The same, of a stream. */
export const streamHeaders = { ...runHeaders, Location: 'Where to resume the stream.' }

/** Which frames of a run somebody wants. */
export interface StreamWish {
  readonly modes: readonly StreamMode[]
  /** The place behind which the stream begins. */
  readonly from: Position
  /** Called if the client goes before the stream has ended. */
  readonly onLeft?: () => void
}

/** The run as server-sent events. */
export function streamResponse(api: Api, run: RunHead, wish: StreamWish): Response {
  const headers = {
    'content-location': runLocation(run),
    location: streamLocation(run, wish.modes),
  }
  const { onLeft } = wish
  return eventStream(api, (gone) => streamTexts(api, run, { ...wish, gone }), { headers, onLeft })
}

/** Where a client resumes. It asks there for nothing of its own, so the address says what it had asked for. */
const streamLocation = (run: RunHead, modes: readonly StreamMode[]): string =>
  `${runLocation(run)}/stream?${modesQuery(modes)}`

function streamTexts(
  api: Api,
  head: RunHead,
  { modes, from, gone }: StreamWish & { readonly gone: AbortSignal },
): AsyncGenerator<string, void, undefined> {
  const sources = { ...api, ...api.settings }
  const { tenantId, runId } = head
  if (isOwn(modes)) return runStream(sources, { tenantId, runId, after: from.seq, gone })
  const history = () => threadEvents(api.read, head, { runId, seq: 0 })
  const interrupts = async (waiting: RunHead) => interruptsOf(await humansAsked(api.read, waiting))
  return runFrames({ ...sources, history, interrupts }, { head, modes, from, gone })
}

/** What the run came to, once it has ended or waits for a human. Line breaks until then keep the connection. */
export function waitResponse(api: Api, run: RunHead, onLeft?: () => void): Response {
  const gone = new AbortController()
  const texts = waitTexts(api, run, gone.signal)
  const onGone = () => gone.abort()
  const beat = { text: '\n', afterMs: api.settings.heartbeatMs + 500 }
  return new Response(
    textStream(texts, { stallMs, onGone, log: api.log, beat, ...(onLeft ? { onLeft } : {}) }),
    {
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-store',
        'x-accel-buffering': 'no',
        'content-location': runLocation(run),
      },
    },
  )
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
      if (settled) {
        const values = await valuesOf(api, last)
        if (!(await wentOn(api, last))) return yield JSON.stringify(values)
      }
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

/** Was the run answered while its values were read? Then they are half of one state and half of another. */
async function wentOn(api: Pick<Api, 'read'>, seen: RunHead): Promise<boolean> {
  if (seen.status !== 'waiting') return false
  const now = await api.read.run(seen.tenantId, seen.runId, { hidden: true })
  return now !== null && now.seq !== seen.seq
}

const failed = (head: RunHead, error: { error: string; message: string }): Values => ({
  messages: [],
  outcome: head.outcome,
  // Whatever went wrong, nothing more is read.
  run: runView(head, { parent: parentOf(head) }),
  __error__: error,
})

/** The thread's events are those of several runs. */
const firstOf = ({ runId }: RunHead, events: readonly StoredEvent[]): StoredEvent | undefined =>
  events.find((event) => event.runId === runId)

function failureOf(events: readonly StoredEvent[], { runId, outcome }: RunHead): RunFailure | null {
  const failures = new Failures()
  for (const event of events) if (event.runId === runId) failures.see(event)
  return failures.at(outcome)
}

async function valuesOf(api: Pick<Api, 'read'>, head: RunHead): Promise<Values> {
  const [events, waiting, cause] = await Promise.all([
    // Not beyond the head: what came later is half of something else.
    threadEvents(api.read, head, throughHead(head)),
    humansAsked(api.read, head),
    errorOfRun(api.read, head),
  ])
  const created = firstOf(head, events)
  const step = lastStep(events)
  const failure = rerunStop(events, head) ?? failureOf(events, head)
  return {
    messages: (step?.messages ?? []).map(withRole),
    ...runValues(step ?? nothingLeft),
    outcome: head.outcome,
    run: runView(head, {
      parent: parentOf(head, created),
      ...linksOf(created),
      error: cause,
      waiting,
    }),
    ...(failure ? { __error__: failure } : {}),
    ...(head.status === 'waiting' ? { __interrupt__: [...interruptsOf(waiting)] } : {}),
  }
}
