/** Limits of data.file.read and data.file.write. Every path a call names must be allowed. */
import { type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { badContext, checkRates, firstOf, textsUnder, type LimitedCall } from '../limit-check.ts'
import { countOf, endingsOf, listOf } from '../limit-shape.ts'
import { utf8Bytes } from '../utf8.ts'
import { isWild, matchesPathWildcard, matchesWildcard } from '../wildcard.ts'
import { canonicalPath, isPathAllowed, isWithin, type Place } from './canonical-path.ts'
import { guardedPattern, protectedFromWriting, secretPattern } from './sensitive.ts'
import { protectionOf } from './starting.ts'

export const pathNames = [
  'file_path',
  'path',
  'filepath',
  'filePath',
  'filename',
  'image_path',
  'file_paths',
  'filepaths',
  'paths',
  'source',
  'destination',
]
const contentNames = ['content', 'newText', 'new_text', 'new_str', 'new_string', 'text']

/** Refuses what the passport does not allow. Sizes are checked where the call shows them: what is read is not seen here. */
export function checkFileCall(call: LimitedCall): PolicyReason | null {
  const paths = textsUnder(call.request.args, pathNames)
  if (paths === null) {
    const text = 'The call must name a file in "file_path" or "path", as a text that is not empty.'
    return badContext(text)
  }
  return firstOf(
    () => checkPaths(call, paths),
    () => checkSize(call),
    () => checkDirectories(call),
    () => checkRates(call, ['writes_per_hour', 'max_writes_per_hour']),
  )
}

/** Refuses paths that the limits of the call do not allow, whatever else the call says. */
export const checkPaths = (call: LimitedCall, paths: readonly string[]): PolicyReason | null =>
  firstOf(...paths.map((path) => () => checkPath(call, path)))

function checkPath(call: LimitedCall, text: string): PolicyReason | null {
  const { capability, limits, root } = call
  const read = canonicalPath(text, root)
  if (!read.ok) return reason('oap.path_not_allowed', `The path ${quoted(text)} ${read.problem}.`)
  const { path } = read
  const secret = call.edition === 1 ? secretPattern(path) : guardedPattern(path)
  if (secret !== null)
    return reason(
      'oap.blocked_pattern',
      `${quoted(text)} may hold secrets (${secret}): no passport opens it.`,
    )
  const starting = capability === 'data.file.write' ? protection(call, path) : null
  if (starting !== null)
    return reason('oap.path_blocked', `${quoted(text)} is protected from writing (${starting}).`)
  const blocked = listOf(limits, 'blocked_paths')?.find((entry) => isBlocked(entry, { path, root }))
  if (blocked !== undefined)
    return reason(
      'oap.path_blocked',
      `${quoted(text)} is under limits.${capability}.blocked_paths: ${quoted(blocked)}.`,
    )
  const pattern = listOf(limits, 'blocked_patterns')?.find((each) => hasPattern(each, path))
  if (pattern !== undefined)
    return reason(
      'oap.blocked_pattern',
      `${quoted(text)} matches limits.${capability}.blocked_patterns: ${quoted(pattern)}.`,
    )
  const allowed = listOf(limits, 'allowed_paths') ?? []
  if (!allowed.some((entry) => isPathAllowed(entry, { path, root })))
    return reason(
      'oap.path_not_allowed',
      `${quoted(text)} is not under limits.${capability}.allowed_paths: use a path that is.`,
    )
  return checkExtension(call, path)
}

/** Why nobody may write to a path; `allowed_startup_files` opens those of a project. */
function protection({ edition, limits, root }: LimitedCall, path: string): string | null {
  if (edition === 1) return protectedFromWriting(path)
  const found = protectionOf(path)
  if (found === null) return null
  const opened = listOf(limits, 'allowed_startup_files') ?? []
  const isOpened = found.canBeOpened && opened.some((entry) => isPathAllowed(entry, { path, root }))
  return isOpened ? null : found.pattern
}

/** Letter case makes no difference here: on some file systems it makes none, either. */
function isBlocked(entry: string, { path, root }: Place): boolean {
  const lower = path.toLowerCase()
  const wanted = entry.toLowerCase()
  if (!wanted.includes('/')) return lower.split('/').some((name) => matchesWildcard(wanted, name))
  const read = canonicalPath(wanted, root === null ? null : root.toLowerCase())
  // An entry nobody can read blocks everything: it was meant to block something.
  if (!read.ok) return true
  if (!isWild(wanted)) return isWithin(read.path, lower)
  return matchesPathWildcard(read.path, lower) || matchesPathWildcard(`${read.path}/**`, lower)
}

function hasPattern(pattern: string, path: string): boolean {
  const lower = path.toLowerCase()
  const wanted = pattern.toLowerCase()
  if (!isWild(wanted)) return wanted !== '' && lower.includes(wanted)
  return (
    lower.split('/').some((name) => matchesWildcard(wanted, name)) ||
    matchesWildcard(wanted, lower) ||
    matchesPathWildcard(wanted, lower)
  )
}

function checkExtension({ capability, limits }: LimitedCall, path: string): PolicyReason | null {
  const allowed = listOf(limits, 'allowed_extensions')
  if (allowed === null || allowed.includes('*')) return null
  const name = path.slice(path.lastIndexOf('/') + 1).toLowerCase()
  const wanted = endingsOf(allowed)
  if (wanted.some((extension) => extension.length > 1 && name.endsWith(extension))) return null
  const list = wanted.slice(0, 10).join(', ') || 'none'
  return reason(
    'oap.extension_not_allowed',
    `limits.${capability}.allowed_extensions allows: ${list}.`,
  )
}

function checkSize({ capability, limits, request }: LimitedCall): PolicyReason | null {
  const most = countOf(limits, 'max_file_size_mb')
  if (most === null || capability !== 'data.file.write') return null
  const stated = request.args['content_length']
  if (stated !== undefined && typeof stated !== 'number')
    return badContext('"content_length" must be a number of bytes.')
  const bytes = Math.max(stated ?? 0, contentBytes(request.args))
  if (bytes <= most * 1024 * 1024) return null
  return reason(
    'oap.limit_exceeded',
    `limits.${capability}.max_file_size_mb is ${most}; the content has ${bytes} bytes.`,
  )
}

/** Bytes in UTF-8 of what the call would write. */
function contentBytes(args: JsonObject): number {
  return contentNames.reduce((sum, name) => {
    const value = args[name]
    return typeof value === 'string' ? sum + utf8Bytes(value) : sum
  }, 0)
}

function checkDirectories({ capability, limits, request }: LimitedCall): PolicyReason | null {
  const key = limits['create_dirs'] === false ? 'create_dirs' : 'allow_create_dirs'
  const asks = request.args['create_dirs'] !== undefined && request.args['create_dirs'] !== false
  if (limits[key] !== false || !asks) return null
  return reason(
    'oap.directory_not_allowed',
    `limits.${capability}.${key} is false: write into a directory that exists.`,
  )
}
