/** The problems of requests for files, in the words of the API. */
import type { WorkspaceRefusal } from '@signalbox/tools'
import { Problem } from './problem.ts'

export const notRecorded = (field?: string): Problem =>
  new Problem('not_recorded', {
    detail:
      'The files of threads stand in a directory here (workspace.root), so nothing records them.',
    ...(field === undefined ? {} : { field }),
  })

export const unknownFile = (threadId: string, path: string): Problem =>
  new Problem('unknown_file', {
    detail: `The thread ${threadId} has no file "${path}".`,
    field: 'path',
  })

export const filesFull = (detail: string): Problem => new Problem('files_full', { detail })

export const pathTaken = (path: string, why: string, field = 'path'): Problem =>
  new Problem('path_taken', { detail: `There can be no file "${path}": ${why}`, field })

/** The refusal of a directory, as a problem of the API. */
export function refused(
  { code, message }: WorkspaceRefusal,
  place: { readonly threadId: string; readonly path: string },
): Problem {
  switch (code) {
    case 'not_found':
      return unknownFile(place.threadId, place.path)
    case 'bad_path':
      return new Problem('bad_file_name', { detail: `path: ${message}`, field: 'path' })
    case 'too_large':
      return new Problem('file_too_large', { detail: `path: ${message}`, field: 'path' })
    case 'full':
      return filesFull(message)
    case 'io':
      throw new Error(`the directory of files refused: ${message}`)
    default:
      return pathTaken(place.path, message)
  }
}
