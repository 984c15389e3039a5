/**
 * Paths in one spelling, without asking a file system.
 *
 * F1 A canonical path is absolute, or relative to the workspace and inside it; it holds no `.`, `..`, empty name.
 * F2 A path that could mean another file to somebody else is refused, not repaired: percent signs, backslashes, control
 *    characters, `~`, drives, addresses, names that end in a dot or a space.
 * F3 Symbolic links are not seen here; who opens the file must not follow them out of its directory.
 */
import { isWild, matchesPathWildcard } from '../wildcard.ts'

/** A path in its one spelling, or what is wrong with it. */
export type PathReading =
  | { readonly ok: true; readonly path: string }
  | { readonly ok: false; readonly problem: string }

const pathCharsMax = 4096
const refuse = (problem: string): PathReading => ({ ok: false, problem })

/**
 * The canonical spelling: `/a/b`, or `a/b` if it is relative and there is no root, `.` for the workspace itself.
 * A relative path that climbs out of the root is refused even if it would come back.
 */
export function canonicalPath(text: string, root: string | null): PathReading {
  if (text === '' || text.length > pathCharsMax) return refuse('must have 1 to 4096 characters')
  if (/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/u.test(text))
    return refuse('must not have control characters or broken ones')
  if (text.includes('\\')) return refuse('must not have backslashes')
  if (text.includes('%')) return refuse('must not have percent signs')
  if (text.startsWith('~')) return refuse('must not start with "~"')
  if (/^[a-z][a-z0-9+.-]*:/i.test(text))
    return refuse('must not be an address or start with a drive')
  const absolute = text.startsWith('/')
  const names: string[] = []
  for (const name of text.normalize('NFC').split('/')) {
    if (name === '' || name === '.') continue
    if (name === '..') {
      if (names.length === 0 && !absolute) return refuse('must not climb out of the workspace')
      names.pop()
    } else if (/[. ]$/.test(name)) return refuse('must not have names that end in a dot or a space')
    else names.push(name)
  }
  if (absolute) return { ok: true, path: `/${names.join('/')}` }
  if (root === null) return { ok: true, path: names.join('/') || '.' }
  const base = canonicalPath(root, null)
  if (!base.ok || !base.path.startsWith('/'))
    return refuse('cannot be resolved: root is not absolute')
  const above = base.path === '/' ? '' : base.path
  return { ok: true, path: names.length === 0 ? base.path : `${above}/${names.join('/')}` }
}

/** Is the canonical path the directory itself, or below it? A prefix of a name is not a directory. */
export function isWithin(directory: string, path: string): boolean {
  if (directory === path) return true
  if (directory === '/') return path.startsWith('/')
  if (directory === '.') return !path.startsWith('/')
  return path.startsWith(`${directory}/`)
}

/** A canonical path, and what the entries of lists are relative to. */
export interface Place {
  readonly path: string
  readonly root: string | null
}

/** Does the entry of an allow list, a directory or a pattern, name the place? An entry nobody can read names nothing. */
export function isPathAllowed(entry: string, { path, root }: Place): boolean {
  if (entry === '*') return true
  const read = canonicalPath(entry, root)
  if (!read.ok) return false
  return isWild(entry) ? matchesPathWildcard(read.path, path) : isWithin(read.path, path)
}
