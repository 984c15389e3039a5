/**
 * The adapter `virtual`: bash in TypeScript (just-bash) over the files of a thread, in a worker thread.
 *
 * V1 A thread runs one script and is ended. What a script may have done to its thread, no other call meets.
 * V2 The thread is ended from outside: no script can refuse, and none holds up the process.
 * V3 It reads the files it looks at, and nothing else: no process, no network, no file of this machine but mounts.
 * V4 It is no boundary against hostile code: a fault in the interpreter would be a fault in this process.
 */
import { extname } from 'node:path'
import { Worker } from 'node:worker_threads'
import { limits } from '@signalbox/core'
import type { FileDraft } from '@signalbox/engine'
import type { WorkspaceResult } from '../../workspace/refusal.ts'
import { orAbort } from '../abort.ts'
import { checkedDrafts, notRun, Outputs } from '../ended.ts'
import type {
  EndedCommand,
  OnOutput,
  Probe,
  Sandbox,
  SandboxCommand,
  Sandboxes,
  SandboxLimits,
  SandboxRequest,
} from '../sandbox.ts'
import { FromThread, type ToThread } from './messages.ts'

const main = new URL(`./thread-main${extname(import.meta.url)}`, import.meta.url)
/** A thread that is not up by then never will be. */
const startMsMax = 30_000
const mebibyte = 1024 * 1024

/** A thread that is starting or waits for its script. */
interface Thread {
  readonly worker: Worker
  readonly ready: Promise<void>
}

/** Threads with just-bash, one of them always warm once there was a first call. */
export class VirtualSandboxes implements Sandboxes {
  readonly adapter = 'virtual'
  readonly #memoryBytes: number
  #warm: Thread | null = null
  #isClosed = false

  constructor({ memoryBytes }: Pick<SandboxLimits, 'memoryBytes'>) {
    this.#memoryBytes = memoryBytes
  }

  async probe(): Promise<Probe> {
    try {
      const thread = this.#start()
      try {
        await thread.ready
      } finally {
        await thread.worker.terminate()
      }
      const message =
        'virtual: bash in TypeScript, without processes and network. It is no boundary against hostile code.'
      const fix =
        'For commands that strangers may steer, or real programs: sandbox.use "bubblewrap", on Linux.'
      return { usable: true, findings: [{ status: 'warn', message, fix }] }
    } catch (error) {
      const message = `virtual: just-bash cannot be loaded: ${describe(error)}`
      return {
        usable: false,
        findings: [{ status: 'fail', message, fix: 'npm install just-bash' }],
      }
    }
  }

  async open(request: SandboxRequest): Promise<Sandbox> {
    if (this.#isClosed) throw new Error('the sandboxes are closed')
    if (request.network.kind !== 'none') throw new Error('virtual has no network')
    const thread = this.#warm ?? this.#start()
    this.#warm = this.#start()
    return new VirtualSandbox(thread, request)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const warm = this.#warm
    this.#warm = null
    await warm?.worker.terminate()
  }

  #start(): Thread {
    const heapMb = Math.ceil(this.#memoryBytes / mebibyte)
    const worker = new Worker(main, {
      env: {},
      argv: [],
      execArgv: [],
      stdin: false,
      stdout: true,
      stderr: true,
      resourceLimits: { maxOldGenerationSizeMb: heapMb, stackSizeMb: 4 },
    })
    // What just-bash or Node has to say there is for nobody.
    worker.stdout.resume()
    worker.stderr.resume()
    worker.unref()
    const ready = new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => reject(new Error('its thread did not start')), startMsMax)
      timer.unref()
      worker.once('message', () => resolve())
      worker.once('error', reject)
      worker.once('exit', () => reject(new Error('its thread ended')))
    })
    // Whoever uses the thread hears of it; a warm one may fail with nobody there.
    ready.catch(() => undefined)
    return { worker, ready }
  }
}

class VirtualSandbox implements Sandbox {
  readonly #thread: Thread
  readonly #request: SandboxRequest
  #changes: readonly FileDraft[] | null = null

  constructor(thread: Thread, request: SandboxRequest) {
    this.#thread = thread
    this.#request = request
  }

  async exec(
    command: SandboxCommand,
    signal: AbortSignal,
    onOutput: OnOutput,
  ): Promise<EndedCommand> {
    const { worker, ready } = this.#thread
    try {
      const files = await orAbort(this.#request.files.list(), signal)
      await orAbort(ready, signal)
      const began = performance.now()
      const outcome = await this.#outcome(command, signal, files)
      const wallMs = Math.round(performance.now() - began)
      return this.#ended(outcome, { wallMs, onOutput })
    } catch (error) {
      return notRun(signal.aborted ? 'cancelled' : 'lost', describe(error))
    } finally {
      await worker.terminate()
    }
  }

  async changes(): Promise<WorkspaceResult<readonly FileDraft[]>> {
    return checkedDrafts(this.#changes ?? [])
  }

  async close(): Promise<void> {
    await this.#thread.worker.terminate()
  }

  /** Whatever comes first: the end of the script, of its time, of its thread, or a cancel. */
  #outcome(
    { script, cwd = '.', stdin = '', timeoutMs }: SandboxCommand,
    signal: AbortSignal,
    files: Awaited<ReturnType<SandboxRequest['files']['list']>>,
  ): Promise<Outcome> {
    const { worker } = this.#thread
    const { limits: own, mounts, env } = this.#request
    return new Promise((resolve) => {
      const over = new AbortController()
      const end = (outcome: Outcome): void => {
        over.abort()
        clearTimeout(timer)
        resolve(outcome)
      }
      const timer = setTimeout(() => end('timeout'), Math.min(timeoutMs, own.wallMs))
      signal.addEventListener('abort', () => end('cancelled'), { signal: over.signal })
      worker.once('error', (error) => end(isOutOfMemory(error) ? 'memory' : describe(error)))
      worker.once('exit', () => end('its thread ended'))
      worker.on('message', (said: unknown) => {
        const message = FromThread.safeParse(said)
        if (!message.success) end('its thread said something else')
        else if (message.data.type === 'read') this.#answer(message.data)
        else if (message.data.type === 'done') end(message.data)
        else if (message.data.type === 'failed') end(message.data.message)
      })
      const told = files.map(({ path, bytes, executable }) => ({ path, bytes, executable }))
      this.#send({
        type: 'run',
        script,
        stdin,
        cwd: cwd === '.' ? '/workspace' : `/workspace/${cwd}`,
        env: { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', TERM: 'dumb', ...env },
        files: told,
        mounts: [...mounts],
        filesBytesMax: limits.filesBytesMax,
        tmpBytesMax: own.tmpBytes,
      })
    })
  }

  #answer({ id, path }: { readonly id: number; readonly path: string }): void {
    const answer = (bytes: Uint8Array | null): void => this.#send({ type: 'content', id, bytes })
    this.#request.files.read(path).then(answer, () => answer(null))
  }

  #send(message: ToThread): void {
    this.#thread.worker.postMessage(message, [])
  }

  #ended(
    outcome: Outcome,
    how: { readonly wallMs: number; readonly onOutput: OnOutput },
  ): EndedCommand {
    const usage = { wallMs: how.wallMs, cpuMs: null, maxRssBytes: null, outputBytes: 0 }
    if (outcome === 'timeout' || outcome === 'cancelled' || outcome === 'memory')
      return { ...notRun('lost'), ended: outcome, usage }
    if (typeof outcome === 'string') return { ...notRun('lost', outcome), usage }
    const outputs = new Outputs(this.#request.limits.outputBytes)
    for (const stream of ['stdout', 'stderr'] as const)
      how.onOutput(stream, outputs.add(stream, outcome[stream]))
    const wrote = { stdout: outputs.of('stdout'), stderr: outputs.of('stderr') }
    const told = {
      ...wrote,
      signal: null,
      egress: [],
      usage: { ...usage, outputBytes: outputs.bytes },
    }
    if (outputs.isFull) return { ...told, exitCode: null, ended: 'output' }
    this.#changes = outcome.changes
    return { ...told, exitCode: outcome.exitCode, ended: 'exited' }
  }
}

/** A script that ended, why it was ended, or what went wrong. */
type Outcome = Extract<FromThread, { type: 'done' }> | string

const isOutOfMemory = (error: unknown): boolean =>
  error instanceof Error && 'code' in error && error.code === 'ERR_WORKER_OUT_OF_MEMORY'

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
