/**
 * Names that users give to files, before they become paths.
 *
 * N1 A name is one part of a path: what stands before its last separator, of whatever system, is the client's business.
 * N2 A name that would not be the same file everywhere, or not show as what it is, is refused and never repaired: control characters, marks
 *    that turn the direction of writing, names of devices, a leading dot.
 * N3 Every name that is accepted is a path that the tools of a workspace accept.
 * N4 Two names that differ in letter case, in form or in characters that nobody sees are one name: the second gets a number.
 */
import { limits } from '@signalbox/core'
import { isTemporary } from './file-access.ts'
import { parsePath } from './path.ts'
import { refuse, type WorkspaceResult } from './refusal.ts'

/** Characters that only change how the one before them is written: joiners (Persian, Indic scripts, emoji) and selectors of a variant. */
const joining = String.raw`[\u200c\u200d\u180b-\u180d\u180f\ufe00-\ufe0f\u{e0100}-\u{e01ef}]`

/**
 * Control characters; format characters and fillers that show as nothing; separators of lines; what means nothing to others. A joiner is fine
 * behind a character beyond ASCII, and where an emoji is made of a digit.
 */
const invisible = new RegExp(
  [
    String.raw`[\p{Cc}\p{Zl}\p{Zp}\p{Co}\p{Noncharacter_Code_Point}]`,
    String.raw`(?!${joining})[\p{Cf}\p{Default_Ignorable_Code_Point}]`,
    String.raw`(?<!\P{ASCII})(?!\ufe0f\u20e3)${joining}`,
  ].join('|'),
  'u',
)

/** Names of devices that a workspace does not ask for: with digits above the line, of the console, or with a space before the dot. */
const otherDevice =
  /^(?:(?:com|lpt)[¹²³]|conin\$|conout\$|(?:con|prn|aux|nul|com\d|lpt\d)(?= ))\s*(?:\..*)?$/i

/** The name that an upload has in its thread, in NFC. Refuses with `bad_path`, and says what a name may be. */
export function fileName(given: string): WorkspaceResult<string> {
  if (!given.isWellFormed()) return refuse('bad_path', 'The name is not valid Unicode.')
  const name = (given.split(/[/\\]/).at(-1) ?? '').normalize('NFC')
  if (name === '') return refuse('bad_path', 'The name is empty.')
  if (
    Array.from(name).length > limits.fileNameCharsMax ||
    Buffer.byteLength(name) > limits.fileNameBytesMax
  )
    return refuse(
      'bad_path',
      `The name is too long: at most ${limits.fileNameCharsMax} characters, and ${limits.fileNameBytesMax} bytes as UTF-8.`,
    )
  if (name.startsWith('.')) return refuse('bad_path', 'A name must not begin with a dot.')
  if (name !== name.trim()) return refuse('bad_path', 'A name must not begin or end with a space.')
  if (invisible.test(name))
    return refuse(
      'bad_path',
      'The name has invisible characters, or some that change its direction.',
    )
  if (otherDevice.test(name)) return refuse('bad_path', 'The name is that of a device of Windows.')
  const parsed = parsePath(name)
  return parsed.ok ? { ok: true, value: name } : parsed
}

/** A path that somebody gives to a file of a thread, in the form in which the files have it. */
export function filePath(given: string): WorkspaceResult<string> {
  if (!given.isWellFormed()) return refuse('bad_path', 'The path is not valid Unicode.')
  if (given.endsWith('/')) return refuse('not_a_file', 'The path names no file.')
  const names = parsePath(given.normalize('NFC'))
  if (!names.ok) return names
  const name = names.value.at(-1)
  if (name === undefined) return refuse('not_a_file', 'The path names no file.')
  if (isTemporary(name)) return refuse('bad_path', 'Names of this form are reserved.')
  if (names.value.some((each) => invisible.test(each)))
    return refuse(
      'bad_path',
      'The path has invisible characters, or some that change its direction.',
    )
  return { ok: true, value: names.value.join('/') }
}

/** The same for names that nobody would tell apart. */
export const nameKey = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')
    .toLowerCase()

/** `name (2).ext`, `name (3).ext`, …: the first that is free. */
export function freeName(name: string, isTaken: (key: string) => boolean): string {
  const dot = name.lastIndexOf('.')
  const [stem, extension] = dot > 0 ? [name.slice(0, dot), name.slice(dot)] : [name, '']
  for (let n = 1; ; n += 1) {
    const free = n === 1 ? name : fitted(stem, ` (${n})${extension}`)
    if (!isTaken(nameKey(free))) return free
  }
}

/** The stem gives way to what follows it. An extension that leaves no room is cut itself. */
function fitted(stem: string, rest: string): string {
  let [kept, tail] = [Array.from(stem), rest]
  const isLong = () =>
    kept.length + Array.from(tail).length > limits.fileNameCharsMax ||
    Buffer.byteLength(kept.join('') + tail) > limits.fileNameBytesMax
  while (isLong() && kept.length > 1) kept = kept.slice(0, -1)
  while (isLong()) tail = Array.from(tail).slice(0, -1).join('')
  return kept.join('') + tail
}
