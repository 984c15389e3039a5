/**
 * The port of sandboxes: a command of a model is executed somewhere it can harm nobody.
 *
 * X1 `exec` settles only when no process of the call is alive.
 * X2 `changes` answers files only after `exited`, whatever the exit code. A command that was stopped changed nothing.
 * X3 One `open` for each call, one `exec` for each `open`. No process outlives its call.
 * X4 Nothing of the host is there: no environment but `PATH`, `HOME`, `LANG`, `TERM` and what the configuration names, no
 *    home, no socket, no directory of another call, no process of others.
 * X5 Everything is bounded, and `ended` says what ended the command.
 */
import type { SandboxEgress, SandboxEnd } from '@signalbox/core'
import type { FileDraft } from '@signalbox/engine'
import type { FileSet } from '../workspace/file-set.ts'
import type { WorkspaceResult } from '../workspace/refusal.ts'

/** Bounds of one command. Bytes, milliseconds, counts. */
export interface SandboxLimits {
  readonly wallMs: number
  readonly cpuMs: number
  readonly memoryBytes: number
  readonly processes: number
  readonly fileBytes: number
  readonly tmpBytes: number
  readonly outputBytes: number
  readonly openFiles: number
}

/** The network that a command may reach. */
export type Network =
  | { readonly kind: 'none' }
  | { readonly kind: 'allow'; readonly rules: EgressRules }

/** The allow-list of an egress proxy, checked. */
export interface EgressRules {
  readonly hosts: readonly HostRule[]
  /** Upper case; null: any. */
  readonly methods: readonly string[] | null
  /** The headers that the proxy adds to requests, outside of the sandbox. Values are secrets. */
  readonly inject: readonly InjectedHeader[]
}

/** `api.example.com:443`, or with `below` every host below `example.com`. */
export interface HostRule {
  readonly host: string
  readonly below: boolean
  readonly port: number
}

/** A header that requests to a host get. */
export interface InjectedHeader {
  readonly host: string
  readonly header: string
  readonly value: string
}

/** A directory of this machine that is there, unchangeable, at an absolute path of the sandbox. */
export interface ReadOnlyMount {
  readonly at: string
  readonly directory: string
}

/** The request of a call for a sandbox. */
export interface SandboxRequest {
  readonly tenantId: string
  readonly threadId: string
  readonly runId: string
  readonly callId: string
  readonly files: FileSet
  readonly mounts: readonly ReadOnlyMount[]
  readonly limits: SandboxLimits
  readonly network: Network
  /** Variables beside the four of X4. */
  readonly env: Readonly<Record<string, string>>
}

/** A script of bash. `cwd` is relative to the workspace, default itself; standard input is closed after `stdin`. */
export interface SandboxCommand {
  readonly script: string
  readonly cwd?: string
  readonly stdin?: string
  readonly timeoutMs: number
}

/** Output as it comes; which of the two, and the bytes. */
export type OnOutput = (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void

/** Null: the adapter cannot measure it. */
export interface SandboxUsage {
  readonly wallMs: number
  readonly cpuMs: number | null
  readonly maxRssBytes: number | null
  readonly outputBytes: number
}

/** How a command ended, and what it wrote. At most `limits.outputBytes` of both outputs together. */
export interface EndedCommand {
  readonly exitCode: number | null
  readonly signal: string | null
  readonly ended: SandboxEnd
  readonly stdout: Uint8Array
  readonly stderr: Uint8Array
  readonly usage: SandboxUsage
  readonly egress: readonly SandboxEgress[]
  /** More than `ended` says: for an operator where it is `lost`, else for the model. */
  readonly reason?: string
}

/** The place of one call. */
export interface Sandbox {
  /** Runs the command. An abort of the signal ends it as `cancelled`. Never rejects. */
  exec(command: SandboxCommand, signal: AbortSignal, onOutput: OnOutput): Promise<EndedCommand>
  /** The changes that the command made to the files; none, unless it exited. Refused where a file that it left cannot be kept. */
  changes(): Promise<WorkspaceResult<readonly FileDraft[]>>
  /** Ends its use, and whatever still runs. */
  close(): Promise<void>
}

/** One thing that a probe found. */
export interface ProbeFinding {
  readonly status: 'ok' | 'warn' | 'fail'
  readonly message: string
  /** The command to type, or the setting to change; null where all is well. */
  readonly fix: string | null
}

/** Whether an adapter works here, and what it can and cannot do. */
export interface Probe {
  readonly usable: boolean
  readonly findings: readonly ProbeFinding[]
}

/** Names of adapters, as the configuration has them. */
export type SandboxAdapter = 'virtual' | 'bubblewrap'

/** A way to execute commands. */
export interface Sandboxes {
  readonly adapter: SandboxAdapter
  /** Tries it. Never rejects. */
  probe(): Promise<Probe>
  open(request: SandboxRequest): Promise<Sandbox>
  close(): Promise<void>
}
