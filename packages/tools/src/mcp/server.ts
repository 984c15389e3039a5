/**
 * An MCP server that is kept alive.
 *
 * M1 A server that cannot be started, dies or goes silent harms nobody else: its calls fail at once, with its name.
 * M2 It is restarted with a growing, bounded pause; the pause shrinks back only after it has stayed up for a while.
 * M3 After `close` nothing of it runs.
 */
import {
  SdkError,
  SdkErrorCode,
  SdkHttpError,
  ProtocolError,
  type Tool,
} from '@modelcontextprotocol/client'
import type { JsonObject } from '@signalbox/core'
import type { Clock, Log } from '@signalbox/engine'
import { pause } from '../clock.ts'
import { describeError } from '../perform.ts'
import type { Execution, Runnable, ToolContext } from '../runnable.ts'
import { boundedMessage } from '../text.ts'
import type { McpServerConfig } from './config.ts'
import { serverPrefix } from './names.ts'
import { redactor } from './redact.ts'
import { resultOutput } from './result.ts'
import { openSession, type Session } from './session.ts'
import { mcpTools, type McpTool } from './specs.ts'

const backoffMs = { first: 250, max: 30_000, forgottenAfter: 10_000 }
const messageBytes = 2000
/** Timers of Node end here. Our own timeout is always earlier. */
const noTimeoutMs = 2_147_483_647
/** Where the idempotency key travels in `_meta` of a call. */
export const idempotencyMetaKey = 'io.signalbox/idempotencyKey'

/** What a server needs. Times are milliseconds. */
export interface McpServerOptions {
  readonly name: string
  readonly config: McpServerConfig
  readonly clock: Clock
  readonly log: Log
  readonly startTimeoutMs: number
}

/** One configured server: its connection, if there is one, and the tools it last listed. */
export class McpServer {
  readonly prefix: string
  readonly #options: McpServerOptions
  readonly #redact: (text: string) => string
  readonly #stop = new AbortController()
  readonly #tried = Promise.withResolvers<void>()
  readonly #life: Promise<void>
  #session: Session | null = null
  #tools: ReadonlyMap<string, McpTool> = new Map()
  #trouble = 'it is starting'
  #lastOddity = ''
  #wasUp = false

  constructor(options: McpServerOptions) {
    this.#options = options
    this.prefix = serverPrefix(options.name)
    this.#redact = redactor(options.config)
    this.#life = this.#live()
  }

  /** Resolves when the first attempt to start it has succeeded or failed. */
  get tried(): Promise<void> {
    return this.#tried.promise
  }

  /** Is there a connection at this moment? */
  get isUp(): boolean {
    return this.#session !== null
  }

  /** The tools it last listed, sorted by name. They stay while it restarts. */
  tools(): readonly Runnable[] {
    return [...this.#tools.values()].map((tool) => this.#runnable(tool))
  }

  /** One tool by its full name. */
  tool(name: string): Runnable | null {
    const tool = this.#tools.get(name)
    return tool === undefined ? null : this.#runnable(tool)
  }

  /** What a call gets while the server is down. */
  unavailable(): Execution {
    const message = `MCP server "${this.#options.name}" is not available (${this.#trouble}). It is restarted by itself; try again later or go on without it.`
    return { ok: false, code: 'mcp_unavailable', message }
  }

  async close(): Promise<void> {
    this.#stop.abort()
    await this.#session?.close()
    await this.#life
  }

  async #live(): Promise<void> {
    const { clock } = this.#options
    let failures = 0
    while (!this.#stop.signal.aborted) {
      const since = clock.monotonic()
      await this.#liveOnce()
      this.#tried.resolve()
      if (clock.monotonic() - since > backoffMs.forgottenAfter && this.#wasUp) failures = 0
      this.#wasUp = false
      const ms = Math.min(backoffMs.first * 2 ** failures, backoffMs.max)
      failures = Math.min(failures + 1, 16)
      if (!this.#stop.signal.aborted) await pause(clock, ms, this.#stop.signal)
    }
    this.#tried.resolve()
  }

  /** One connection, from the attempt to open it to its end. */
  async #liveOnce(): Promise<void> {
    const { name, log, config, clock, startTimeoutMs } = this.#options
    const opened = await openSession({
      config,
      clock,
      startTimeoutMs,
      signal: this.#stop.signal,
      onTools: (tools) => this.#list(tools),
      onTrouble: (message) => this.#note(message),
    })
    if (!opened.ok) {
      this.#trouble = boundedMessage(`it did not start: ${this.#redact(opened.message)}`, 500)
      if (this.#stop.signal.aborted) return
      const detail = boundedMessage(this.#redact(opened.detail), messageBytes)
      log.warn('MCP server did not start', { server: name, reason: this.#trouble, stderr: detail })
      return
    }
    const { session } = opened
    if (this.#stop.signal.aborted) return session.close()
    this.#session = session
    this.#wasUp = true
    this.#list(session.tools)
    this.#tried.resolve()
    log.info('MCP server is up', { server: name, tools: this.#tools.size })
    await session.ended
    this.#session = null
    this.#trouble = 'its connection was lost'
    if (this.#stop.signal.aborted) return
    log.warn('MCP server was lost', { server: name })
    await session.close()
  }

  #list(tools: readonly Tool[]): void {
    const { name, config, log } = this.#options
    const usable = mcpTools(name, config, tools)
    this.#tellChanges(usable.tools)
    this.#tools = usable.tools
    if (usable.refused.length > 0) {
      const refused = usable.refused.map((tool) => boundedMessage(tool, 100)).slice(0, 20)
      log.warn('MCP tools left out: name, schema or number beyond the limits', {
        server: name,
        refused,
      })
    }
  }

  /** Runs pin tools in a version: what pins a former one waits for a process that still has that. */
  #tellChanges(tools: ReadonlyMap<string, McpTool>): void {
    const { name, log } = this.#options
    const changed = [...this.#tools].flatMap(([tool, { spec }]) =>
      tools.get(tool)?.spec.version === spec.version ? [] : [tool],
    )
    if (changed.length === 0) return
    const advice =
      'calls of runs that began before wait until they time out: start this process again for new ones'
    log.warn('MCP server changed tools', { server: name, changed: changed.slice(0, 20), advice })
  }

  /** Each oddity once in a row: a server that writes garbage writes much of it. */
  #note(message: string): void {
    const text = boundedMessage(this.#redact(message), messageBytes)
    if (text === this.#lastOddity) return
    this.#lastOddity = text
    this.#options.log.debug('MCP server trouble', { server: this.#options.name, reason: text })
  }

  #runnable(tool: McpTool): Runnable {
    return {
      spec: tool.spec,
      settlesOnAbort: tool.spec.effect === 'read',
      execute: (args, context) => this.#call(tool, args, context),
    }
  }

  async #call(tool: McpTool, args: JsonObject, context: ToolContext): Promise<Execution> {
    const session = this.#session
    if (session === null) return this.unavailable()
    const wrong = tool.check(args)
    if (wrong !== null) return { ok: false, code: 'invalid_arguments', message: wrong }
    try {
      const result = await session.client.callTool(
        {
          name: tool.remote.name,
          arguments: { ...args },
          _meta: {
            [idempotencyMetaKey]: context.idempotencyKey,
            ...(context.traceparent === undefined ? {} : { traceparent: context.traceparent }),
          },
        },
        {
          // With its own, the SDK would call a result that does not fit the tool's output schema an error: the call was made.
          toolDefinition: tool.remote,
          signal: context.signal,
          timeout: noTimeoutMs,
          onprogress: ({ progress, total, message }) =>
            context.progress(
              message ?? (total === undefined ? `${progress}` : `${progress}/${total}`),
            ),
        },
      )
      return { ok: true, ...resultOutput(result) }
    } catch (error) {
      context.signal.throwIfAborted()
      return this.#explain(error, session)
    }
  }

  /** An answer that is an error leaves the connection alone, as does one that came to nothing; anything else means that it is no good. */
  #explain(error: unknown, session: Session): Execution {
    const { name } = this.#options
    const text = this.#redact(describeError(error))
    const cause = causeOf(error)
    if (cause === 'answer')
      return { ok: false, code: 'mcp_error', message: `MCP server "${name}" answered: ${text}` }
    const nobodyKnows = 'Whether the call took effect is unknown.'
    if (cause === 'unreadable') {
      const message = `MCP server "${name}" answered with what is no result (${text}). ${nobodyKnows}`
      return { ok: false, code: 'mcp_result_unreadable', message, unknown: true }
    }
    if (cause === 'no_answer') {
      const message = `MCP server "${name}" was asked, and its answer did not come (${text}). ${nobodyKnows}`
      return { ok: false, code: 'mcp_no_answer', message, unknown: true }
    }
    // Not awaited: the caller must not wait for the funeral. The supervisor goes on when it has ended.
    session.close().catch(() => undefined)
    const message = `MCP server "${name}" was lost during the call (${text}). ${nobodyKnows} The server is restarted by itself.`
    return { ok: false, code: 'mcp_connection_lost', message, unknown: true }
  }
}

/**
 * What an error of a call says. `answer`: the server, or who stands before it, refused. `no_answer`: a gateway gave up, or answered for
 * itself, when the server may have been at work. `unreadable`: the server has answered, with what no result is.
 */
type Cause = 'answer' | 'no_answer' | 'unreadable' | 'lost'

const causes: ReadonlyMap<SdkErrorCode, Cause> = new Map([
  [SdkErrorCode.ConnectionClosed, 'lost'],
  [SdkErrorCode.NotConnected, 'lost'],
  [SdkErrorCode.SendFailed, 'lost'],
  [SdkErrorCode.InvalidResult, 'unreadable'],
  [SdkErrorCode.ClientHttpUnexpectedContent, 'no_answer'],
])

function causeOf(error: unknown): Cause {
  if (error instanceof ProtocolError) return 'answer'
  if (error instanceof SdkHttpError) return causeOfStatus(error.data.status)
  return error instanceof SdkError ? (causes.get(error.code) ?? 'answer') : 'lost'
}

/** A 404 says that the server has forgotten the session, and so may a 400. */
function causeOfStatus(status: number | undefined): Cause {
  if (status === 404 || status === 400) return 'lost'
  return status === 408 || (status !== undefined && status >= 500) ? 'no_answer' : 'answer'
}
