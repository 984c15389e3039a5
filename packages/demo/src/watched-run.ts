/** A run, created and followed over HTTP as any client would: one request, answered by server-sent events. */
import { createParser, type EventSourceMessage } from 'eventsource-parser'
import { z } from 'zod'
import { expect, Unmet } from './expect.ts'
import { RunEvent } from './run-event.ts'

/** What to run. */
export interface RunRequest {
  readonly agent: string
  readonly input: string | { readonly prompt: string; readonly files: readonly string[] }
  /** Absent: a new one. */
  readonly threadId?: string
}

/** Told what happens, as it happens. */
export interface RunListener {
  event(event: RunEvent): void
  /** A piece of what the model says. */
  text(piece: string): void
}

/** How a run ended, and all that the API said about it. */
export interface SeenRun {
  readonly runId: string
  readonly outcome: string
  readonly events: readonly RunEvent[]
  /** What the model said, as it streamed. */
  readonly said: string
  /** The stream as it was received. */
  readonly transcript: string
}

interface Waiter {
  readonly matches: (event: RunEvent) => boolean
  readonly found: (event: RunEvent) => void
  readonly failed: (reason: unknown) => void
}

/** A run that takes longer hangs. Generous: machines that run demos are busy. */
const runMsMax = 75_000

/** Frames that are no events of the register, and say nothing a scene needs. */
const unheeded: ReadonlySet<string> = new Set(['metadata', 'tool.progress', 'reset-step'])

const Delta = z.object({ text: z.string() })
const Completed = z.object({
  turn: z.object({
    message: z.object({
      parts: z.array(z.object({ type: z.string(), text: z.string().optional() })),
    }),
  }),
})
const End = z.object({ outcome: z.string().nullable() })

/** A run that goes on. */
export class WatchedRun {
  /** Rejects if the stream breaks, or the run does not end in time. */
  readonly ended: Promise<SeenRun>
  readonly #listener: RunListener
  readonly #events: RunEvent[] = []
  readonly #waiters = new Set<Waiter>()
  #said = ''
  /** What was said of the message that is being written. */
  #message = ''
  #outcome: string | null = null

  constructor(url: string, request: RunRequest, watch: RunWatch) {
    this.#listener = watch.listener
    this.ended = this.#inTime(url, request, watch.signal)
    this.ended.then(
      () => this.#giveUp(new Unmet('the run ended before what was waited for had happened')),
      (error: unknown) => this.#giveUp(error),
    )
  }

  /** The first event that matches, past or to come. Rejects when the run ends without. */
  until(matches: Waiter['matches']): Promise<RunEvent> {
    const past = this.#events.find(matches)
    if (past) return Promise.resolve(past)
    return new Promise((found, failed) => this.#waiters.add({ matches, found, failed }))
  }

  async #inTime(url: string, request: RunRequest, signal: AbortSignal): Promise<SeenRun> {
    const late = AbortSignal.timeout(runMsMax)
    try {
      return await this.#follow(url, request, AbortSignal.any([signal, late]))
    } catch (error) {
      if (late.aborted) throw new Unmet(`the run did not end within ${runMsMax / 1000} s`)
      throw error
    }
  }

  async #follow(url: string, request: RunRequest, signal: AbortSignal): Promise<SeenRun> {
    const { threadId } = request
    const path = `${threadId === undefined ? '' : `/threads/${threadId}`}/runs/stream`
    const response = await fetch(`${url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        assistant_id: request.agent,
        input: request.input,
        stream_mode: 'signalbox',
      }),
      signal,
    })
    if (!response.ok || !response.body)
      throw new Unmet(`POST ${path} answered ${response.status}: ${await response.text()}`)
    const parser = createParser({ onEvent: (message) => this.#receive(message) })
    let transcript = ''
    for await (const piece of response.body.pipeThrough(new TextDecoderStream())) {
      transcript += piece
      parser.feed(piece)
    }
    const runId = this.#events[0]?.run_id
    expect(
      runId !== undefined && this.#outcome !== null,
      'the event stream closed before the run had ended',
    )
    return { runId, outcome: this.#outcome, events: this.#events, said: this.#said, transcript }
  }

  #receive({ event, data }: EventSourceMessage): void {
    const value: unknown = JSON.parse(data)
    if (event === 'reset-step') this.#message = ''
    if (event !== undefined && unheeded.has(event)) return
    if (event === 'message.delta') this.#speak(Delta.parse(value).text)
    else if (event === 'end') this.#outcome = End.parse(value).outcome
    else this.#happened(RunEvent.parse(value))
  }

  #speak(text: string): void {
    this.#said += text
    this.#message += text
    this.#listener.text(text)
  }

  #happened(event: RunEvent): void {
    this.#events.push(event)
    if (event.type === 'model.completed') this.#complete(event)
    this.#listener.event(event)
    for (const waiter of this.#waiters) {
      if (!waiter.matches(event)) continue
      this.#waiters.delete(waiter)
      waiter.found(event)
    }
  }

  /** Live text is a hint: the event has all of it, and the last words may come with the event alone. */
  #complete({ payload }: RunEvent): void {
    const completed = Completed.safeParse(payload)
    const whole =
      completed.data?.turn.message.parts
        .map(({ type, text = '' }) => (type === 'text' ? text : ''))
        .join('') ?? ''
    if (whole.startsWith(this.#message) && whole.length > this.#message.length)
      this.#speak(whole.slice(this.#message.length))
    this.#message = ''
  }

  #giveUp(reason: unknown): void {
    for (const { failed } of this.#waiters) failed(reason)
    this.#waiters.clear()
  }
}

/** Who is told, and when to stop. */
export interface RunWatch {
  readonly listener: RunListener
  readonly signal: AbortSignal
}
