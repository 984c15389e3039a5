/** One connection to an MCP server, from the start of the process to its end. */
import {
  Client,
  StreamableHTTPClientTransport,
  type Tool,
  type Transport,
} from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import type { Clock } from '@signalbox/engine'
import { pause } from '../clock.ts'
import { describeError } from '../perform.ts'
import { boundedFetch } from './bounded-fetch.ts'
import { ChildTransport } from './child-transport.ts'
import { childEnvironment, type McpServerConfig } from './config.ts'

const closeMs = 2000

/** What a session needs. `onTools` hears of each new list of tools after the first. */
export interface SessionOptions {
  readonly config: McpServerConfig
  readonly clock: Clock
  readonly startTimeoutMs: number
  readonly signal: AbortSignal
  readonly onTools: (tools: readonly Tool[]) => void
  /** Something odd that does not end the session. */
  readonly onTrouble: (message: string) => void
}

/** A live connection. */
export interface Session {
  readonly client: Client
  readonly tools: readonly Tool[]
  /** Resolves when the connection is over, for whatever reason. */
  readonly ended: Promise<void>
  close(): Promise<void>
}

/** A session, or why there is none. `detail` is for the operator and may hold secrets. */
export type Opened =
  | { readonly ok: true; readonly session: Session }
  | { readonly ok: false; readonly message: string; readonly detail: string }

/** Starts or reaches the server, shakes hands and lists its tools, all within `startTimeoutMs`. */
export async function openSession(options: SessionOptions): Promise<Opened> {
  const { clock, startTimeoutMs, signal } = options
  const ended = Promise.withResolvers<void>()
  const transport = transportFor(options.config, clock)
  const client = clientFor(options)
  // The client is no event target; these properties are its only way to tell.
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onclose = () => ended.resolve()
  // oxlint-disable-next-line unicorn/prefer-add-event-listener
  client.onerror = (error) => options.onTrouble(describeError(error))

  const over = new AbortController()
  const limit = AbortSignal.any([signal, over.signal])
  const attempt = shakeHands(client, transport, startTimeoutMs).then(
    (tools) => ({ tools }),
    (error: unknown) => ({ failure: describeError(error) }),
  )
  const timeout = pause(clock, startTimeoutMs, limit).then(() => ({
    failure: `no answer to initialize within ${startTimeoutMs} ms`,
  }))
  const first = await Promise.race([attempt, timeout])
  over.abort()
  const close = async (): Promise<void> => {
    await closeClient(client, transport, clock)
    ended.resolve()
  }
  if ('tools' in first) {
    return { ok: true, session: { client, tools: first.tools, ended: ended.promise, close } }
  }
  await close()
  const detail = transport instanceof ChildTransport ? transport.stderrTail : ''
  return { ok: false, message: first.failure, detail }
}

function transportFor(config: McpServerConfig, clock: Clock): Transport {
  if ('url' in config) {
    return new StreamableHTTPClientTransport(new URL(config.url), {
      requestInit: { headers: config.headers },
      fetch: boundedFetch,
    })
  }
  const { command, args, cwd } = config
  const env = childEnvironment(config.env)
  if (process.platform !== 'win32') return new ChildTransport({ command, args, env, cwd }, clock)
  // Windows has no process groups; the SDK's transport knows how to start `.cmd` files there.
  return new StdioClientTransport({
    command,
    args,
    env,
    stderr: 'ignore',
    ...(cwd === undefined ? {} : { cwd }),
  })
}

function clientFor(options: SessionOptions): Client {
  return new Client(
    { name: 'signalbox', version: '0.1.0' },
    {
      // Over HTTP the newest revision is probed for. A child may die of a probe, so it gets the handshake all know.
      versionNegotiation: { mode: 'url' in options.config ? 'auto' : 'legacy' },
      listChanged: {
        tools: {
          onChanged: (error, tools) => {
            if (error !== null) options.onTrouble(`listing its tools failed: ${error.message}`)
            else if (tools !== null) options.onTools(tools)
          },
        },
      },
    },
  )
}

async function shakeHands(
  client: Client,
  transport: Transport,
  timeout: number,
): Promise<readonly Tool[]> {
  await client.connect(transport, { timeout })
  const { tools } = await client.listTools(undefined, { timeout })
  return tools
}

/** Bounded, and never throws: a server that is gone cannot be told goodbye. */
async function closeClient(client: Client, transport: Transport, clock: Clock): Promise<void> {
  const over = new AbortController()
  const goodbye = async (): Promise<void> => {
    if (transport instanceof StreamableHTTPClientTransport) await transport.terminateSession()
  }
  await Promise.race([goodbye().catch(() => undefined), pause(clock, closeMs, over.signal)])
  over.abort()
  await client.close().catch(() => undefined)
  // A client that never connected does not close its transport.
  await transport.close().catch(() => undefined)
}
