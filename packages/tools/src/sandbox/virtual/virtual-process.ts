/**
 * A process that runs one script of the virtual sandbox, as its owner in the worker sees it. A thread of the worker would not do:
 * what a thread is allowed of memory bounds what it collects, and one array or map that grows beyond it ends the whole process.
 */
import { type ChildProcess, fork } from 'node:child_process'
import { existsSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import { FromThread, type ToThread } from './messages.ts'

const main = fileURLToPath(new URL(`./warden-main${extname(import.meta.url)}`, import.meta.url))
/** One that is not up by then never will be. */
const startMsMax = 30_000
const mebibyte = 1024 * 1024
const shell = '/bin/sh'

/** How Node and V8 end where there is no memory, and the kernel. */
const outOfMemorySignals: ReadonlySet<string> = new Set(['SIGABRT', 'SIGTRAP', 'SIGILL', 'SIGKILL'])
/** The exit code of an abort where there are no signals. */
const abortCode = 134

/** A message, that it says nothing that is one, or that it is gone. */
export type FromProcess = FromThread | { readonly type: 'failed'; readonly message: string }

/** A process that is starting, waits for its script, or runs it. */
export class VirtualProcess {
  /** Rejects if it does not come up. */
  readonly ready: Promise<void>
  /** Resolves when there is no such process any more. */
  readonly #gone: Promise<void>
  readonly #child: ChildProcess
  #hear: ((heard: FromProcess) => void) | null = null
  #isEnding = false
  /** How it ended by itself. */
  #end: FromProcess | null = null

  constructor(memoryBytes: number) {
    this.#child = start(String(Math.ceil(memoryBytes / mebibyte)))
    this.#gone = new Promise((resolve) => {
      this.#child.once('exit', (code, signal) => {
        this.#tellEnd(code, signal)
        resolve()
      })
      this.#child.once('error', (error) => {
        this.#endAs({ type: 'failed', message: error.message })
        // Never started: there is nothing to wait for.
        if (this.#child.pid === undefined) resolve()
      })
    })
    this.ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => this.#giveUp(), startMsMax)
      timer.unref()
      this.#hear = (heard) => {
        clearTimeout(timer)
        if (heard.type === 'ready') resolve()
        else reject(new Error('message' in heard ? heard.message : 'it has no memory'))
      }
    })
    // The sandbox that uses the process awaits `ready`; a process that waits for a script may fail while nobody does.
    this.ready.catch(() => undefined)
    this.#child.on('message', (said) => {
      const message = FromThread.safeParse(said)
      this.#hear?.(
        message.success ? message.data : { type: 'failed', message: 'it said something else' },
      )
    })
    // One that waits for a script holds nobody up.
    this.#child.unref()
    this.#child.channel?.unref()
  }

  /** From here on it is in use: whoever waits for it is waited for. */
  use(): void {
    this.#child.ref()
    this.#child.channel?.ref()
  }

  /** It ended by itself, before or after it was ready, or did not get ready in time. */
  get isOver(): boolean {
    return this.#end !== null
  }

  /** Everything that it says from now on; the last is `failed` or `memory` if it ends by itself, or has. */
  hear(take: (heard: FromProcess) => void): void {
    this.#hear = take
    if (this.#end) take(this.#end)
  }

  /** One that has ended hears nothing. */
  send(message: ToThread): void {
    if (this.#child.connected) this.#child.send(message, () => undefined)
  }

  /** Ends it, whatever it does. Resolves when it is gone. */
  async end(): Promise<void> {
    this.#isEnding = true
    // Its end is waited for: without this the loop of a worker with nothing else to do would be over before it.
    this.#child.ref()
    this.#child.kill('SIGKILL')
    await this.#gone
  }

  /** A process that starts later is of no use to the call that waited for it, and no other call is to meet it. */
  #giveUp(): void {
    this.#isEnding = true
    this.#child.kill('SIGKILL')
    this.#endAs({ type: 'failed', message: 'it did not start' })
  }

  #tellEnd(code: number | null, signal: string | null): void {
    if (this.#isEnding) return
    const isMemory = code === abortCode || (signal !== null && outOfMemorySignals.has(signal))
    this.#endAs(isMemory ? { type: 'memory' } : { type: 'failed', message: 'its process ended' })
  }

  #endAs(end: FromProcess): void {
    this.#end ??= end
    this.#hear?.(end)
  }
}

function start(heapMb: string): ChildProcess {
  // An abort would leave an image of the memory where a service allows it.
  const plain = { execPath: process.execPath, execArgv: [] }
  const withoutCore = {
    execPath: shell,
    execArgv: ['-c', 'ulimit -c 0; exec "$0" "$@"', process.execPath],
  }
  return fork(main, [heapMb], {
    ...(existsSync(shell) ? withoutCore : plain),
    env: systemEnv(),
    cwd: '/',
    // In a session of its own: what a terminal tells its processes, and which it ends, is not about it.
    detached: true,
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    serialization: 'advanced',
  })
}

/** Without it no program of Windows finds its libraries. */
function systemEnv(): Record<string, string> {
  const root = process.env['SystemRoot']
  return root === undefined ? {} : { SystemRoot: root }
}
