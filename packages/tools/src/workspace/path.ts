/** Paths and names, before any file system is asked. */
import { createHash } from 'node:crypto'
import { refuse, type WorkspaceResult } from './refusal.ts'

const pathCharsMax = 1024
const depthMax = 32
const nameBytesMax = 200
const idCharsMax = 100
// Backslash and colon would be separators, drives and streams elsewhere; a workspace must mean the same everywhere.
// oxlint-disable-next-line no-control-regex -- control characters are what is looked for
const unsafeName = /[\u0000-\u001f\u007f\\:*?"<>|]|[. ]$/
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\..*)?$/i

/** The names of a path, none for the workspace itself. */
export function parsePath(path: string): WorkspaceResult<readonly string[]> {
  if (path.length > pathCharsMax) return refuse('bad_path', 'The path is too long.')
  if (path.startsWith('/')) {
    return refuse('bad_path', 'The path must be relative to the workspace, without a leading "/".')
  }
  const names = path.split('/').filter((name) => name !== '' && name !== '.')
  if (names.length > depthMax) return refuse('bad_path', 'The path has too many parts.')
  for (const name of names) {
    if (name === '..') return refuse('bad_path', 'The path must not contain "..".')
    const fault = faultOf(name)
    if (fault !== null) return refuse('bad_path', `A name in the path ${fault}.`)
  }
  return { ok: true, value: names }
}

/** The fault of a name; null: it is fine everywhere. */
function faultOf(name: string): string | null {
  if (Buffer.byteLength(name) > nameBytesMax)
    return `is too long: it has more than ${nameBytesMax} bytes as UTF-8`
  if (deviceName.test(name)) return 'is that of a device of Windows'
  if (!name.isWellFormed()) return 'is not valid Unicode'
  return unsafeName.test(name)
    ? String.raw`has characters that are not allowed (\ : * ? " < > | or control characters, or a final dot or space)`
    : null
}

/**
 * An id as a directory name: different ids get different names, on file systems without letter case, too. UUIDs and
 * other plain ids stay as they are.
 */
export function directoryName(id: string): string {
  const plain = id.replaceAll(/[^a-z0-9_-]/gu, (char) =>
    [...Buffer.from(char)].map((byte) => `%${byte.toString(16).padStart(2, '0')}`).join(''),
  )
  if (plain === '' || deviceName.test(plain)) return `%${plain}`
  if (plain.length <= idCharsMax) return plain
  // "~" occurs in no encoded id, so a hashed name meets no plain one.
  const hash = createHash('sha256').update(id).digest('hex')
  return `${plain.slice(0, idCharsMax - 33)}~${hash.slice(0, 32)}`
}
