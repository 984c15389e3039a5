/** The files of a thread, as tools see them. Expected outcomes, refusals too, are returned. */
import type { FileDraft, ToolRequest } from '@signalbox/engine'

/** Why an operation did nothing. `code` is stable; the message is for the model, and names paths as it gave them. */
export interface WorkspaceRefusal {
  readonly ok: false
  readonly code:
    | 'bad_path'
    | 'not_found'
    | 'not_a_file'
    | 'not_a_directory'
    | 'link'
    | 'too_large'
    | 'not_text'
    | 'no_match'
    | 'ambiguous'
    | 'changed'
    | 'full'
    | 'gone'
    | 'no_workspace'
    | 'io'
  readonly message: string
}

/** The result of an operation. */
export type WorkspaceResult<T> = { readonly ok: true; readonly value: T } | WorkspaceRefusal

/** One name in a directory. Links are named, never followed. `bytes` is 0 for all but files. */
export interface WorkspaceEntry {
  readonly name: string
  readonly kind: 'file' | 'directory' | 'link' | 'other'
  readonly bytes: number
}

/** Entries sorted by name, at most `limits.pageMax`; `more` counts the rest. */
export interface WorkspaceListing {
  readonly entries: readonly WorkspaceEntry[]
  readonly more: number
}

/** Paths are relative, `/` between names; `.` is the workspace itself. Nothing outside can be named or reached. */
export interface Workspace {
  ls(path: string): Promise<WorkspaceResult<WorkspaceListing>>
  /** The whole text of a file of UTF-8. */
  readFile(path: string): Promise<WorkspaceResult<string>>
  /** Replaces the file as a whole, or creates it with the directories above it. */
  writeFile(
    path: string,
    text: string,
  ): Promise<WorkspaceResult<{ readonly bytes: number; readonly created: boolean }>>
  /** Replaces the one occurrence of `oldText`; refuses when there is none or more than one. */
  replace(
    path: string,
    oldText: string,
    newText: string,
  ): Promise<WorkspaceResult<{ readonly line: number }>>
  /**
   * Hands `use` a directory of this machine with all the files in it, for programs that need one. What it leaves there is
   * kept: regular files, with their executable bit. Links and empty directories are not, nor is anything if it throws.
   * With `workspace.root` it is the thread's own directory, and what is done there is done.
   */
  inDirectory<T>(use: (directory: string) => Promise<T>): Promise<WorkspaceResult<T>>
}

/** Says no. */
export function refuse(code: WorkspaceRefusal['code'], message: string): WorkspaceRefusal {
  return { ok: false, code, message }
}

const none = async (): Promise<WorkspaceRefusal> =>
  refuse('no_workspace', 'There is no workspace: no root for it is configured.')

/** The workspaces of a host. */
export interface Workspaces {
  /** Those of one call. */
  open(request: ToolRequest): OpenWorkspace
}

/** A workspace while a call uses it. */
export interface OpenWorkspace {
  readonly workspace: Workspace
  /** Ends its use, and answers what is to be stored with the call's result. Later operations are refused. */
  readonly close: () => Promise<readonly FileDraft[]>
}

/** The workspace of a host that has none. */
export const absentWorkspace: Workspace = {
  ls: none,
  readFile: none,
  writeFile: none,
  replace: none,
  inDirectory: none,
}
