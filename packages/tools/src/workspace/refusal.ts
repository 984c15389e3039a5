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
    | 'read_only'
    | 'not_loaded'
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

/** Uses files, and says what their system refused. */
export async function guarded<T>(
  use: () => Promise<WorkspaceResult<T>>,
): Promise<WorkspaceResult<T> | WorkspaceRefusal> {
  try {
    return await use()
  } catch (error) {
    return refusalOf(error)
  }
}

/** Messages of the file system name paths of this machine, so only their code is repeated. */
function refusalOf(error: unknown): WorkspaceRefusal {
  const code = systemCode(error)
  switch (code) {
    case 'ENOENT':
      return refuse('not_found', 'There is no such file or directory.')
    case 'ELOOP':
    case 'EMLINK':
      return refuse('link', 'That is a link; links are not followed.')
    case 'ENOTDIR':
      return refuse('not_a_directory', 'A part of the path is not a directory, or is a link.')
    case 'EISDIR':
      return refuse('not_a_file', 'That is a directory.')
    default:
      return refuse('io', `The file system refused: ${code}.`)
  }
}

/** The code of an error of the system. */
export function systemCode(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : 'unknown error'
}
