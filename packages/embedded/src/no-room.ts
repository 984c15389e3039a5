import { EmbeddedPostgresError } from './errors.ts'

const full = /No space left on device|ENOSPC|Disk quota exceeded|EDQUOT|database or disk is full/i
const closed =
  /Permission denied|EACCES|EPERM|Read-only file system|EROFS|readonly database|unable to open database file/i

/** Errors whose own words say less than what the disk would. */
const vague: ReadonlySet<string> = new Set([
  'initdb_failed',
  'start_failed',
  'data_dir_unreachable',
])

const codeOf = (error: Error): string => ('code' in error ? String(error.code) : '')

/** A failed start as the disk explains it, where it does: it is full, or may not be written. Else the error itself. */
export function withoutRoom(error: unknown, dir: string): unknown {
  if (!(error instanceof Error)) return error
  if (error instanceof EmbeddedPostgresError && !vague.has(error.code)) return error
  const words = [error.message, codeOf(error), causeOf(error)].join(' ')
  if (full.test(words))
    return new EmbeddedPostgresError(
      'disk_full',
      `The disk of the data directory ${dir} is full. Make room (an empty database takes about 60 MB), or choose another ` +
        'directory with SIGNALBOX_DATA_DIR.',
      { cause: error },
    )
  if (!closed.test(words) || error instanceof EmbeddedPostgresError) return error
  return new EmbeddedPostgresError(
    'data_dir_unreachable',
    `The data directory ${dir} cannot be written by this user (${error.message}). Choose another with ` +
      'SIGNALBOX_DATA_DIR, or run this command as the owner of this one.',
    { cause: error },
  )
}

const causeOf = ({ cause }: Error): string => (cause instanceof Error ? cause.message : '')
