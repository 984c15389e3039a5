/** The files of a thread, as tools see them. Expected outcomes, refusals too, are returned. */
import type { FileDraft, ToolRequest } from '@signalbox/engine'
import type { CallFileSet } from './file-set.ts'
import { refuse, type WorkspaceRefusal, type WorkspaceResult } from './refusal.ts'

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

const missing = refuse('no_workspace', 'There is no workspace: no root for it is configured.')

const none = async (): Promise<WorkspaceRefusal> => missing

/** The workspaces of a host. */
export interface Workspaces {
  /** Those of one call. */
  open(request: ToolRequest): OpenWorkspace
}

/** A workspace while a call uses it. */
export interface OpenWorkspace {
  readonly workspace: Workspace
  /** The same files as one set. */
  readonly files: CallFileSet
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

/** The set of a host that has no files. A command may work there; what it leaves is not kept. */
export const absentFiles: CallFileSet = {
  list: async () => [],
  read: async () => null,
  kept: async () => null,
  take: none,
}
