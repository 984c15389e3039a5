/**
 * Agent Protocol v2 on a WebSocket: commands come in, answers and the events of subscriptions go out.
 *
 * W1 Each command is authenticated as if it had come alone: a key that was revoked does nothing here either.
 * W2 Commands are taken one after the other, and while one is answered nothing more is read.
 * W3 A client is told what a problem document may say, and why it was closed by a code. Internals go to the log.
 */
import type { RawData, WebSocket } from 'ws'
import type { Api, Identified } from '../../../http/api.ts'
import { insistOn } from '../../../http/authorize.ts'
import { unauthenticated } from '../../../http/authenticate.ts'
import { stallMs } from '../../../http/event-stream.ts'
import { problemIn } from '../../../http/failures.ts'
import { guardJson } from '../../../http/json-guard.ts'
import { Problem } from '../../../http/problem.ts'
import { brokenBy } from '../../../stream/broken-off.ts'
import { ProtocolCommand, take } from '../commands/command.ts'
import { obey } from '../commands/obey.ts'
import { problemAnswer } from '../protocol-error.ts'
import { framesOf } from '../tape-response.ts'
import type { ThreadBells } from '../thread-bells.ts'
import { Outlet } from './outlet.ts'
import { keepPulse } from './pulse.ts'
import { SharedTape } from './shared-tape.ts'
import { Subscriptions } from './subscriptions.ts'

/** Close codes: those of RFC 6455 lead a client back, 4000 and an HTTP status tells it what it would be answered. */
const codes = { goingAway: 1001, tryAgain: 1013, unauthenticated: 4401 } as const
/** How often it is asked whether the key still stands: see `while-it-stands.ts`. */
const standsMs = 1_500
/** What a client gets to close its side. */
const closingMs = 1_000

export interface SocketSessionOptions {
  readonly api: Api
  readonly bells: ThreadBells
  readonly threadId: string
  /** With which the socket was asked for. */
  readonly headers: Headers
  readonly tenantId: string
}

/** What a command came to, and what begins once that was told. */
interface Result {
  readonly result: Readonly<Record<string, unknown>>
  readonly begin?: () => void
}

export class SocketSession {
  readonly #options: SocketSessionOptions
  readonly #socket: WebSocket
  readonly #outlet: Outlet
  readonly #tape: SharedTape
  readonly #subscriptions: Subscriptions
  readonly #frames: { readonly text: string; readonly isText: boolean }[] = []
  #isAnswering = false

  constructor(socket: WebSocket, options: SocketSessionOptions) {
    this.#socket = socket
    this.#options = options
    this.#outlet = new Outlet(socket, stallMs)
    const { api, bells, tenantId, threadId } = options
    this.#tape = new SharedTape({
      frames: (since, gone) => framesOf(api, bells, { tenantId, threadId, since, gone }),
      send: (message) => this.#outlet.send(message),
      broken: (error) => this.#break(error),
    })
    this.#subscriptions = new Subscriptions(this.#tape, api.random)
  }

  /** Until the socket closes. `over` is called then. */
  open(over: () => void): void {
    const { stopping, settings } = this.#options.api
    const socket = this.#socket
    const onStopping = () => this.#close(codes.goingAway, 'the process stops')
    const standing = setInterval(() => void this.#stand(), standsMs)
    // What is wrong with a frame, its size or its UTF-8, closes the socket with the code for it.
    socket.on('error', () => {})
    socket.on('message', (data, isBinary) => this.#take(data, isBinary))
    socket.once('close', () => {
      clearInterval(standing)
      stopping.removeEventListener('abort', onStopping)
      this.#tape.close()
      this.#frames.length = 0
      over()
    })
    keepPulse(socket, settings.heartbeatMs)
    stopping.addEventListener('abort', onStopping)
    if (stopping.aborted) onStopping()
  }

  #take(data: RawData, isBinary: boolean): void {
    this.#socket.pause()
    const text = Buffer.isBuffer(data) ? data.toString() : ''
    this.#frames.push({ text, isText: !isBinary })
    if (!this.#isAnswering) void this.#answerAll()
  }

  async #answerAll(): Promise<void> {
    this.#isAnswering = true
    for (let frame = this.#frames.shift(); frame; frame = this.#frames.shift()) {
      if (this.#socket.readyState !== this.#socket.OPEN) break
      await this.#answer(frame)
    }
    this.#isAnswering = false
    this.#socket.resume()
  }

  async #answer(frame: { readonly text: string; readonly isText: boolean }): Promise<void> {
    let id: number | null = null
    try {
      const value = read(frame)
      id = idOf(value)
      const command = take(ProtocolCommand, value)
      const { result, begin } = await this.#obey(command)
      if (await this.#outlet.send({ type: 'success', id, result })) begin?.()
    } catch (error) {
      const { api, threadId } = this.#options
      const problem = problemIn(api, error, { socket: threadId })
      await this.#outlet.send(problemAnswer(id, problem))
      if (problem.code === 'unauthenticated') this.#refuse()
    }
  }

  async #obey(command: ProtocolCommand): Promise<Result> {
    const { api, bells, threadId } = this.#options
    const caller = await this.#caller()
    const { method, params } = command
    if (method === 'subscription.subscribe') {
      insistOn({ all: ['read'], any: [] }, caller)
      const { id, begin } = this.#subscriptions.subscribe(params)
      return { result: { subscription_id: id }, begin }
    }
    if (method === 'subscription.unsubscribe') {
      this.#subscriptions.unsubscribe(params)
      return { result: {} }
    }
    const asking = { api, bells, caller, threadId, idempotencyKey: undefined }
    return { result: await obey(command, asking) }
  }

  /** Who asks, as they are known now. */
  async #caller(): Promise<Identified> {
    const { api, headers, tenantId } = this.#options
    const caller = await api.authenticate(headers)
    if (caller?.tenantId === tenantId) return caller
    throw unauthenticated('This key opens nothing here any more.')
  }

  async #stand(): Promise<void> {
    try {
      await this.#caller()
    } catch (error) {
      // While nobody can say whether it stands, it goes on: nothing new is written then either.
      if (error instanceof Problem) this.#refuse()
    }
  }

  #refuse(): void {
    this.#close(codes.unauthenticated, 'unauthenticated')
  }

  #break(error?: unknown): void {
    const { api } = this.#options
    if (error !== undefined) brokenBy(api.log, error)
    if (api.stopping.aborted) return
    this.#close(codes.tryAgain, 'the stream goes on elsewhere')
  }

  #close(code: number, reason: string): void {
    this.#tape.close()
    this.#socket.close(code, reason)
    // Whoever was not read from must be, to be seen closing.
    this.#socket.resume()
    const cut = setTimeout(() => this.#socket.terminate(), closingMs)
    this.#socket.once('close', () => clearTimeout(cut))
  }
}

function read({ text, isText }: { readonly text: string; readonly isText: boolean }): unknown {
  if (!isText)
    throw new Problem('malformed_json', { detail: 'A command is a text frame, not a binary one.' })
  const guarded = guardJson(text)
  if (guarded.ok) return guarded.value
  throw new Problem(guarded.code, { detail: guarded.detail.replace('The body', 'The frame') })
}

/** A command that is wrong is answered under its number, if it has one. */
function idOf(value: unknown): number | null {
  const parsed = ProtocolCommand.pick({ id: true }).safeParse(value)
  return parsed.success ? parsed.data.id : null
}
