/**
 * The adapter `bubblewrap`: real programs of this machine in namespaces of their own, on Linux.
 *
 * B1 A sandbox sees `/usr`, its files and nothing else: no home, no network, no process of others, no variable of ours.
 * B2 A worker that is root never runs a command as root: each slot has a user. The kernel does not count processes of root.
 * B3 What is missing is said by the probe. Nothing weaker is used in its place.
 */
import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { FileDraft } from '@signalbox/engine'
import type { FileSet } from '../../workspace/file-set.ts'
import type { WorkspaceResult } from '../../workspace/refusal.ts'
import { orAbort } from '../abort.ts'
import type { Admits } from '../egress/proxy.ts'
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
import { baseEnv, bwrapCommand } from './argv.ts'
import type { GroupUsage } from './control-groups.ts'
import { watchDisk } from './disk-watch.ts'
import { hiddenBelowUsr } from './hidden.ts'
import { explain, hostFacts, missingFor, works } from './probe.ts'
import { type BwrapEnd, runBwrap, type RunningBwrap } from './run-bwrap.ts'
import { openWayOut, relayProcesses, type WayOut } from './way-out.ts'
import { seccompArch, seccompProgram } from './seccomp.ts'
import { type Slot, Slots, type SlotUsers } from './slots.ts'

/** Where and how many. */
export interface BubblewrapOptions {
  /** Directory for the files of running commands. */
  readonly directory: string
  /** Commands at the same time; further ones wait. */
  readonly concurrency: number
  /** The user that runs commands. Default: a user for each slot where the worker is root, else that of the worker. */
  readonly users?: SlotUsers
  /** Which addresses the egress proxy may connect to. Default: those of the public internet. */
  readonly admits?: Admits
}

/** The signal by which the kernel ends who has used up its processor time, as bash tells it. */
const outOfCpuCode = 128 + 24
/**
 * A script may exit with that code itself, having used less of its time than this share. It is no more than that: the kernel limits by
 * ticks of its clock, and reports time on a processor, which beside other work is less.
 */
const leastCountedShare = 0.25

/** Sandboxes by bubblewrap. */
export class BubblewrapSandboxes implements Sandboxes {
  readonly adapter = 'bubblewrap'
  readonly #slots: Slots
  readonly #admits: Admits | undefined
  readonly #hidden: readonly string[]

  constructor({ directory: base, concurrency: count, admits, users }: BubblewrapOptions) {
    this.#admits = admits
    this.#hidden = hiddenBelowUsr([base])
    const usual = process.getuid?.() === 0 ? 'each' : 'own'
    this.#slots = new Slots({ base, count, users: users ?? usual })
  }

  async probe(): Promise<Probe> {
    const facts = hostFacts()
    const missing = missingFor(facts)
    if (missing) return { usable: false, findings: [missing] }
    const refused = (said: string): Probe => ({ usable: false, findings: [explain(said, facts)] })
    try {
      const sandbox = await this.open(probeRequest)
      const run = { script: 'cat /proc/self/status', timeoutMs: probeRequest.limits.wallMs }
      const ended = await tried(sandbox, run)
      if (ended.exitCode !== 0) return refused(ended.reason ?? Buffer.from(ended.stderr).toString())
      const { stdout } = await promisify(execFile)('bwrap', ['--version'])
      const version = stdout.trim().split(' ').at(-1) ?? ''
      return works(facts, { version, hasGroups: sandbox.hasGroup })
    } catch (error) {
      return refused(describe(error))
    }
  }

  async open(request: SandboxRequest): Promise<BubblewrapSandbox> {
    const slot = await this.#slots.take(ownerOf(request))
    const giveBack = (): void => this.#slots.give(slot)
    const [admits, hidden] = [this.#admits, this.#hidden]
    return new BubblewrapSandbox(request, { slot, giveBack, admits, hidden })
  }

  close(): Promise<void> {
    return this.#slots.close()
  }
}

const mebibyte = 1024 * 1024

const probeRequest: SandboxRequest = {
  tenantId: '',
  threadId: '',
  runId: '',
  callId: 'probe',
  files: { list: async () => [], read: async () => null, take: async () => null },
  mounts: [],
  limits: {
    wallMs: 10_000,
    cpuMs: 10_000,
    memoryBytes: 256 * mebibyte,
    processes: 16,
    fileBytes: mebibyte,
    tmpBytes: mebibyte,
    outputBytes: mebibyte,
    openFiles: 64,
  },
  network: { kind: 'none' },
  env: {},
}

const ownerOf = ({ tenantId, threadId }: SandboxRequest): string =>
  JSON.stringify([tenantId, threadId])

/** Files that nobody waits for after a cancel: the register may be away. */
const whileWanted = (files: FileSet, signal: AbortSignal): FileSet => ({
  list: () => orAbort(files.list(), signal),
  read: (path) => orAbort(files.read(path), signal),
  take: (drafts) => files.take(drafts),
})

class BubblewrapSandbox implements Sandbox {
  readonly #request: SandboxRequest
  readonly #slot: Slot
  readonly #giveBack: () => void
  readonly #admits: Admits | undefined
  readonly #hidden: readonly string[]
  #state: 'open' | 'running' | 'exited' | 'closed' = 'open'
  #isClean = false
  #running: Promise<unknown> = Promise.resolve()
  #kill: (() => void) | null = null

  constructor(
    request: SandboxRequest,
    place: {
      readonly slot: Slot
      readonly giveBack: () => void
      readonly admits: Admits | undefined
      readonly hidden: readonly string[]
    },
  ) {
    this.#request = request
    this.#slot = place.slot
    this.#giveBack = place.giveBack
    this.#admits = place.admits
    this.#hidden = place.hidden
  }

  get hasGroup(): boolean {
    return this.#slot.group !== null
  }

  exec(command: SandboxCommand, signal: AbortSignal, onOutput: OnOutput): Promise<EndedCommand> {
    if (this.#state !== 'open') return Promise.resolve(notRun('lost', 'a sandbox runs one command'))
    this.#state = 'running'
    const running = this.#exec(command, signal, onOutput).catch((error: unknown) =>
      notRun(signal.aborted ? 'cancelled' : 'lost', describe(error)),
    )
    this.#running = running
    return running.then((ended) => {
      if (ended.ended === 'exited') this.#state = 'exited'
      return ended
    })
  }

  async changes(): Promise<WorkspaceResult<readonly FileDraft[]>> {
    if (this.#state !== 'exited') return { ok: true, value: [] }
    const found = await this.#slot.mirror.changes()
    this.#isClean = found.ok
    return found.ok ? checkedDrafts(found.value) : found
  }

  async close(): Promise<void> {
    if (this.#state === 'closed') return
    this.#state = 'closed'
    this.#kill?.()
    await this.#running
    // The slot is free when nothing of this call is left in it. What cannot be removed now, the next call has to.
    if (!this.#isClean) await this.#slot.mirror.discard().catch(() => undefined)
    this.#giveBack()
  }

  async #exec(
    command: SandboxCommand,
    signal: AbortSignal,
    onOutput: OnOutput,
  ): Promise<EndedCommand> {
    const { mirror } = this.#slot
    await mirror.prepare(whileWanted(this.#request.files, signal), ownerOf(this.#request))
    if (signal.aborted) return notRun('cancelled')
    const { network } = this.#request
    const wayOut =
      network.kind === 'none' ? null : await openWayOut(network.rules, this.#slot, this.#admits)
    try {
      const ended = await this.#run(command, { signal, onOutput, wayOut })
      return { ...ended, egress: wayOut?.report() ?? [] }
    } finally {
      await wayOut?.close()
    }
  }

  async #run(
    command: SandboxCommand,
    how: {
      readonly signal: AbortSignal
      readonly onOutput: OnOutput
      readonly wayOut: WayOut | null
    },
  ): Promise<EndedCommand> {
    const { signal, onOutput, wayOut } = how
    const own = this.#request.limits
    // The relay of connections is a process in there as well.
    const limits = wayOut ? { ...own, processes: own.processes + relayProcesses } : own
    const { group } = this.#slot
    group?.prepare(limits)
    const stop = new Stop()
    const outputs = new Outputs(limits.outputBytes)
    const began = performance.now()
    const running = this.#start(command, { wayOut, limits }, (stream, chunk) => {
      const kept = outputs.add(stream, chunk)
      if (kept.length > 0) onOutput(stream, kept)
      if (outputs.isFull) stop.because('output')
    })
    this.#kill = running.kill
    const over = new AbortController()
    const watched = { directory: this.#slot.mirror.directory, first: running.first }
    void watchDisk(watched, over.signal, (words) => stop.because('output', words))
    const ended = await guard(running, {
      stop,
      signal,
      wallMs: Math.min(command.timeoutMs, limits.wallMs),
    })
    const wallMs = Math.round(performance.now() - began)
    over.abort()
    const used = group?.usage() ?? noUsage
    return endOf({ ended, used, stop, outputs, wallMs, cpuMsMax: limits.cpuMs })
  }

  #start(
    { script, cwd = '.', stdin = '' }: SandboxCommand,
    { wayOut, limits }: { readonly wayOut: WayOut | null; readonly limits: SandboxLimits },
    onOutput: OnOutput,
  ): RunningBwrap {
    const { mounts, env } = this.#request
    const { mirror, uid, group, stdout, stderr, mark } = this.#slot
    const arch = seccompArch()
    const groups = group?.entries ?? []
    const shape = {
      mark,
      tree: mirror.directory,
      mounts,
      hidden: this.#hidden,
      limits,
      env: { ...baseEnv, ...wayOut?.env, ...env },
      cwd,
      script,
      hasSeccomp: arch !== null,
      groups: groups.length,
      more: wayOut?.more ?? [],
      before: wayOut?.before ?? [],
    }
    const isMemoryBounded = group !== null
    const seccomp = arch ? seccompProgram(arch, { isMemoryBounded }) : new Uint8Array()
    const parts = bwrapCommand(shape, uid)
    return runBwrap({ ...parts, mark, uid, groups, seccomp, stdin, stdout, stderr, onOutput })
  }
}

type Stopped = 'timeout' | 'cancelled' | 'output'

/** Why a command is to be ended: the first reason stands. */
class Stop {
  reason: Stopped | null = null
  words: string | undefined
  onStop: (() => void) | null = null

  because(reason: Stopped, words?: string): void {
    if (this.reason !== null) return
    this.reason = reason
    this.words = words
    this.onStop?.()
  }
}

/** Runs a command nobody stops, and leaves. */
async function tried(sandbox: Sandbox, command: SandboxCommand): Promise<EndedCommand> {
  try {
    return await sandbox.exec(command, new AbortController().signal, () => undefined)
  } finally {
    await sandbox.close()
  }
}

const noUsage: GroupUsage = { cpuMs: null, maxRssBytes: null, isOutOfMemory: false }

/** Waits for the end, and ends it when its time is over, a cancel comes, or it is to stop. */
async function guard(
  { ended, kill }: RunningBwrap,
  how: { readonly stop: Stop; readonly signal: AbortSignal; readonly wallMs: number },
): Promise<BwrapEnd> {
  const { stop, signal, wallMs } = how
  stop.onStop = kill
  if (stop.reason !== null) kill()
  const cancel = (): void => stop.because('cancelled')
  const timer = setTimeout(() => stop.because('timeout'), wallMs)
  signal.addEventListener('abort', cancel, { once: true })
  if (signal.aborted) cancel()
  try {
    return await ended
  } finally {
    clearTimeout(timer)
    signal.removeEventListener('abort', cancel)
  }
}

function endOf(over: {
  readonly ended: BwrapEnd
  readonly used: GroupUsage
  readonly stop: Stop
  readonly outputs: Outputs
  readonly wallMs: number
  readonly cpuMsMax: number
}): EndedCommand {
  const { ended, used, stop, outputs, wallMs, cpuMsMax } = over
  const { exitCode } = ended
  const cpuMs = used.cpuMs ?? ended.cpuMs
  const wrote = {
    stdout: outputs.of('stdout'),
    stderr: outputs.of('stderr'),
    usage: { wallMs, cpuMs, maxRssBytes: used.maxRssBytes, outputBytes: outputs.bytes },
    egress: [],
  }
  const stopped = (
    why: EndedCommand['ended'],
    signal: string | null,
    reason?: string,
  ): EndedCommand => ({
    ...wrote,
    exitCode: null,
    signal,
    ended: why,
    ...(reason === undefined ? {} : { reason }),
  })
  if (stop.reason !== null) return stopped(stop.reason, 'SIGKILL', stop.words)
  if (used.isOutOfMemory) return stopped('memory', 'SIGKILL')
  if (exitCode === null) {
    const said = Buffer.from(wrote.stderr).toString('utf8').slice(0, 500)
    return stopped('lost', null, ended.error?.message ?? said)
  }
  const isOutOfCpu =
    exitCode === outOfCpuCode && (cpuMs === null || cpuMs >= cpuMsMax * leastCountedShare)
  if (isOutOfCpu) return stopped('cpu', 'SIGXCPU')
  return { ...wrote, exitCode, signal: null, ended: 'exited' }
}

const describe = (error: unknown): string =>
  error instanceof Error ? error.message : String(error)
