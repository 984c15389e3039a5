/**
 * The adapter `virtual`: bash in TypeScript (just-bash) over the files of a thread, in a process of its own.
 *
 * V1 A process runs one script and is ended. What a script may have done to it, no other call meets.
 * V2 It is ended from outside: no script can refuse, none holds up the worker, and one that uses up its memory ends alone.
 * V3 A script reads the files it looks at, and nothing else: no program, no network, no file of this machine but mounts.
 * V4 A file that cannot be read for now holds the script up, and its clock; one that cannot be read at all ends it.
 * V5 It is no boundary against hostile code: the process is a user's like the worker, and a fault in the interpreter would be
 *    as good as a program of that user.
 */
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
import type { FromThread } from './messages.ts'
import { ScriptClock } from './script-clock.ts'
import { VirtualProcess } from './virtual-process.ts'

/** Processes with just-bash, one of them always warm once there was a first call. */
export class VirtualSandboxes implements Sandboxes {
  readonly adapter = 'virtual'
  readonly #memoryBytes: number
  #warm: VirtualProcess | null = null
  #isClosed = false

  constructor({ memoryBytes }: Pick<SandboxLimits, 'memoryBytes'>) {
    this.#memoryBytes = memoryBytes
  }

  async probe(): Promise<Probe> {
    try {
      const tried = this.#start()
      tried.use()
      try {
        await tried.ready
      } finally {
        await tried.end()
      }
      const message =
        'virtual: bash in TypeScript, without programs and network. It is no boundary against hostile code.'
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
    // One that waited may have been ended by the system meanwhile.
    const process = this.#warm && !this.#warm.isOver ? this.#warm : this.#start()
    this.#warm = this.#start()
    process.use()
    return new VirtualSandbox(process, request)
  }

  async close(): Promise<void> {
    this.#isClosed = true
    const warm = this.#warm
    this.#warm = null
    await warm?.end()
  }

  #start(): VirtualProcess {
    return new VirtualProcess(this.#memoryBytes)
  }
}

class VirtualSandbox implements Sandbox {
  readonly #process: VirtualProcess
  readonly #request: SandboxRequest
  #changes: readonly FileDraft[] | null = null

  constructor(process: VirtualProcess, request: SandboxRequest) {
    this.#process = process
    this.#request = request
  }

  async exec(
    command: SandboxCommand,
    signal: AbortSignal,
    onOutput: OnOutput,
  ): Promise<EndedCommand> {
    try {
      const files = await orAbort(this.#request.files.list(), signal)
      await orAbort(this.#process.ready, signal)
      const began = performance.now()
      const outcome = await this.#outcome(command, signal, files)
      const wallMs = Math.round(performance.now() - began)
      return this.#ended(outcome, { wallMs, onOutput })
    } catch (error) {
      return notRun(signal.aborted ? 'cancelled' : 'lost', describe(error))
    } finally {
      await this.#process.end()
    }
  }

  async changes(): Promise<WorkspaceResult<readonly FileDraft[]>> {
    return checkedDrafts(this.#changes ?? [])
  }

  async close(): Promise<void> {
    await this.#process.end()
  }

  /** The outcome that comes first: the end of the script, of its time, of its process, or a cancel. */
  #outcome(
    { script, cwd = '.', stdin = '', timeoutMs }: SandboxCommand,
    signal: AbortSignal,
    files: Awaited<ReturnType<SandboxRequest['files']['list']>>,
  ): Promise<Outcome> {
    const { limits: own, mounts, env } = this.#request
    return new Promise((resolve) => {
      const over = new AbortController()
      const clock = new ScriptClock(Math.min(timeoutMs, own.wallMs), () => end('timeout'))
      const end = (outcome: Outcome): void => {
        over.abort()
        clock.stop()
        resolve(outcome)
      }
      // A file that could not be read is not one that is gone: the script would go on without it.
      const unread = (error: unknown): void => end(`a file could not be read: ${describe(error)}`)
      signal.addEventListener('abort', () => end('cancelled'), { signal: over.signal })
      this.#process.hear((heard) => {
        if (heard.type === 'read') clock.without(this.#answer(heard)).catch(unread)
        else if (heard.type === 'done') end(heard)
        else if (heard.type === 'memory') end('memory')
        else if (heard.type === 'failed') end(heard.message)
      })
      const told = files.map(({ path, bytes, executable }) => ({ path, bytes, executable }))
      this.#process.send({
        type: 'run',
        script,
        stdin,
        cwd: cwd === '.' ? '/workspace' : `/workspace/${cwd}`,
        env: { PATH: '/usr/bin:/bin', HOME: '/tmp', LANG: 'C.UTF-8', TERM: 'dumb', ...env },
        files: told,
        mounts: [...mounts],
        filesBytesMax: limits.filesBytesMax,
        tmpBytesMax: own.tmpBytes,
        outputBytesMax: own.outputBytes,
      })
    })
  }

  async #answer({ id, path }: { readonly id: number; readonly path: string }): Promise<void> {
    const bytes = await this.#request.files.read(path)
    this.#process.send({ type: 'content', id, bytes })
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
      usage: { ...usage, outputBytes: outcome.outputBytes },
    }
    if (outputs.isFull) return { ...told, exitCode: null, ended: 'output' }
    this.#changes = outcome.changes
    return { ...told, exitCode: outcome.exitCode, ended: 'exited' }
  }
}

/** A script that ended, why it was ended, or what went wrong. */
type Outcome = Extract<FromThread, { type: 'done' }> | string

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
