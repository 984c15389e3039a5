/** What the host needs of a tool, wherever the tool comes from: this process, the workspace, an MCP server. */
import type { JsonObject, SandboxReport, ToolOutput, ToolSpec } from '@signalbox/core'
import type { ImageDraft } from '@signalbox/engine'
import type { OpenSkills } from './skills/open-skills.ts'
import type { CallFileSet } from './workspace/file-set.ts'
import type { Workspace } from './workspace/workspace.ts'

/** What a tool is told about the call it executes. */
export interface ToolContext {
  /** Aborted by a cancel and by the timeout. A tool that obeys it within the grace is not reported as unknown. */
  readonly signal: AbortSignal
  /** The same on every attempt (I9): hand it to whatever the tool calls. */
  readonly idempotencyKey: string
  /** 1 for the first execution. */
  readonly attempt: number
  /** Shows a note to whoever watches the run. Cut to 500 characters, never stored. */
  readonly progress: (note: string) => void
  readonly tenantId: string
  readonly threadId: string
  readonly runId: string
  readonly callId: string
  /** What the client of the run says of it, in the fields that the agent declares; a client can say anything there. */
  readonly fields: JsonObject
  /** The trace of the run as W3C writes it: hand it on as a header of that name. Absent: nothing is traced. */
  readonly traceparent?: string
  /** The files of the thread. Without a configured workspace each operation answers `no_workspace`. */
  readonly workspace: Workspace
}

/** What became of an execution that came back. */
export type Execution =
  /** `sandbox`: how its command was executed, if it was one for the sandbox. `images`: those of the output, where a text stands for each. */
  | {
      readonly ok: true
      readonly output: ToolOutput
      readonly images?: readonly ImageDraft[]
      readonly sandbox?: SandboxReport
    }
  | {
      readonly ok: false
      readonly code: string
      readonly message: string
      /** Set when the call may have taken effect all the same. */
      readonly unknown?: true
    }

/** A tool as the host runs it. `execute` may throw; the host answers `tool_error` then. */
export interface Runnable {
  readonly spec: ToolSpec
  /**
   * Does a settled promise mean that nothing goes on? True for code in this process. A remote tool that was told to
   * cancel may go on: its outcome is unknown unless it only reads.
   */
  readonly settlesOnAbort: boolean
  /** `access` is for the sandbox; what tools of users do with files goes through the workspace. */
  execute(args: JsonObject, context: ToolContext, access: CallAccess): Promise<Execution>
}

/** The files and skills that a command works on. */
export interface CallAccess {
  /** All files of the thread at once. */
  readonly files: CallFileSet
  /** The skills of the run. */
  readonly skills: OpenSkills
}
