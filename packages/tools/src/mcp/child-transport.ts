/**
 * MCP over the standard streams of a child process, in a process group of its own.
 *
 * The SDK's transport kills the child only; `npx` and shells leave the real server behind then. Here the whole group
 * ends, on close, on a dead leader, and (through the reaper) on the death of this process.
 */
import { spawn, type ChildProcessWithoutNullStreams } from 'node:child_process'
import { once } from 'node:events'
import {
  deserializeMessage,
  serializeMessage,
  type JSONRPCMessage,
  type Transport,
} from '@modelcontextprotocol/client'
import type { Clock } from '@signalbox/engine'
import { pause } from '../clock.ts'
import { LineBuffer } from './line-buffer.ts'
import { guardGroup, releaseGroup } from './reaper.ts'

/** Longest message from a server: room for a maximal tool result and its escapes as JSON. */
export const messageBytesMax = 64 * 1024 * 1024
const stderrCharsMax = 2000
/** How long a server may take to end after its input was closed, and again after SIGTERM. Milliseconds. */
const stopMs = 1000

/** What to start. The environment is complete, nothing is inherited. */
export interface ChildParameters {
  readonly command: string
  readonly args: readonly string[]
  readonly env: Readonly<Record<string, string>>
  readonly cwd?: string | undefined
}

/** A transport for one child. Started once, closed once. */
export class ChildTransport implements Transport {
  onclose?: (() => void) | undefined
  onerror?: ((error: Error) => void) | undefined
  onmessage?: (message: JSONRPCMessage) => void

  readonly #parameters: ChildParameters
  readonly #clock: Clock
  readonly #lines = new LineBuffer(messageBytesMax)
  readonly #exited = new AbortController()
  #child: ChildProcessWithoutNullStreams | null = null
  #stderr = ''

  constructor(parameters: ChildParameters, clock: Clock) {
    this.#parameters = parameters
    this.#clock = clock
  }

  /** The process id of the child, which is also the id of its group. */
  get pid(): number | undefined {
    return this.#child?.pid
  }

  /** The end of what the child wrote to its standard error. May hold anything, secrets too. */
  get stderrTail(): string {
    return this.#stderr
  }

  async start(): Promise<void> {
    const { command, args, env, cwd } = this.#parameters
    const child = spawn(command, [...args], { env: { ...env }, cwd, detached: true, shell: false })
    this.#child = child
    child.stdout.on('data', (chunk: Buffer) => this.#receive(chunk))
    child.stderr.on('data', (chunk: Buffer) => {
      this.#stderr = (this.#stderr + chunk.toString('utf8')).slice(-stderrCharsMax)
    })
    for (const stream of [child.stdin, child.stdout, child.stderr]) {
      stream.on('error', (error) => this.onerror?.(error))
    }
    child.on('exit', () => void this.#bury(child))
    child.on('close', () => this.#end())
    // Rejects with the error if the program cannot be started.
    await once(child, 'spawn')
    child.on('error', (error) => this.onerror?.(error))
    if (child.pid !== undefined && !this.#exited.signal.aborted) guardGroup(child.pid)
  }

  async send(message: JSONRPCMessage): Promise<void> {
    const stdin = this.#child?.stdin
    if (stdin === undefined || this.#exited.signal.aborted || !stdin.writable) {
      throw new Error('the server is not running')
    }
    if (!stdin.write(serializeMessage(message))) {
      // A child that dies never drains; the exit ends the wait.
      await once(stdin, 'drain', { signal: this.#exited.signal })
    }
  }

  async close(): Promise<void> {
    const child = this.#child
    if (child === null || this.#exited.signal.aborted) return
    child.stdin.end()
    await pause(this.#clock, stopMs, this.#exited.signal)
    if (!this.#exited.signal.aborted) {
      signalGroup(child.pid, 'SIGTERM')
      await pause(this.#clock, stopMs, this.#exited.signal)
    }
    if (!this.#exited.signal.aborted) {
      signalGroup(child.pid, 'SIGKILL')
      await pause(this.#clock, stopMs, this.#exited.signal)
    }
  }

  #receive(chunk: Buffer): void {
    const lines = this.#lines.push(chunk)
    if (lines === null) {
      this.onerror?.(new Error(`the server sent a message longer than ${messageBytesMax} bytes`))
      signalGroup(this.#child?.pid, 'SIGKILL')
      return
    }
    for (const line of lines) {
      if (line.trim() === '') continue
      try {
        this.onmessage?.(deserializeMessage(line))
      } catch {
        // The line itself may hold anything, so it is not repeated.
        this.onerror?.(new Error('the server wrote something that is not an MCP message'))
      }
    }
  }

  /** The leader is gone; helpers it left behind would hold the pipes and live on. */
  async #bury(child: ChildProcessWithoutNullStreams): Promise<void> {
    signalGroup(child.pid, 'SIGKILL')
    if (child.pid !== undefined) releaseGroup(child.pid)
    // What it had still to say arrives before the pipes close. One who left the group may hold them for ever.
    await pause(this.#clock, stopMs, this.#exited.signal)
    this.#end()
  }

  #end(): void {
    const child = this.#child
    if (child === null || this.#exited.signal.aborted) return
    for (const stream of [child.stdin, child.stdout, child.stderr]) stream.destroy()
    this.#exited.abort()
    this.onclose?.()
  }
}

function signalGroup(pgid: number | undefined, signal: NodeJS.Signals): void {
  if (pgid === undefined) return
  try {
    process.kill(-pgid, signal)
  } catch {
    // Nobody is left in the group.
  }
}
