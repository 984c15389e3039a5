/** Refusals of a workspace: expected outcomes, which are returned. */

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

/** Says no. */
export function refuse(code: WorkspaceRefusal['code'], message: string): WorkspaceRefusal {
  return { ok: false, code, message }
}
