/** Where in files of the user's own something is wrong, as people write it: `tools.ts:12`. */
import { isAbsolute, relative, sep } from 'node:path'
import { fileURLToPath } from 'node:url'

/** A file, and a line of it where one is known. */
export interface SourcePlace {
  readonly file: string
  readonly line: number | null
}

/** The packages of Signalbox, where mistakes in definitions are thrown. */
const own = fileURLToPath(new URL('../../../', import.meta.url))

/** A file as one types it from a folder: relative if it is below, else whole. */
export function shownFile(file: string, from: string): string {
  const path = relative(from, file)
  return path === '' || path.startsWith('..') || isAbsolute(path) ? file : path
}

/** A place as one types it from a folder. */
export const shownPlace = ({ file, line }: SourcePlace, from: string): string =>
  line === null ? shownFile(file, from) : `${shownFile(file, from)}:${line}`

/** `file:line` above a piece of source, as Node puts it before a stack. */
const head = /^(file:\/\/.+|\/.+|[A-Za-z]:[\\/].+):(\d+)$/
const frame = /^\s+at (?:.*\()?(file:\/\/.+?|\/.+?|[A-Za-z]:[\\/].+?):(\d+):\d+\)?$/

/** The files that the stack of an error names, the innermost first. Those of Node itself are left out. */
function placesIn(error: unknown): readonly SourcePlace[] {
  const stack = error instanceof Error ? (error.stack ?? '') : ''
  return stack.split('\n').flatMap((text, n) => {
    const [, file, line] = (n === 0 ? head.exec(text) : null) ?? frame.exec(text) ?? []
    return file === undefined ? [] : [{ file: pathOf(file), line: Number(line) }]
  })
}

/** Does Node name the place above the stack, as it does for what it could not even parse? */
export const isUnparsed = (error: unknown): boolean =>
  error instanceof SyntaxError && head.test(error.stack?.split('\n')[0] ?? '')

const pathOf = (file: string): string => {
  if (!file.startsWith('file:')) return file
  try {
    return fileURLToPath(file)
  } catch {
    return file
  }
}

const isOwn = ({ file }: SourcePlace): boolean => file.startsWith(own)
const isLibrary = ({ file }: SourcePlace): boolean => file.split(sep).includes('node_modules')

/** The first place in the stack that is neither a library's nor ours; null if there is none. */
export const sourcePlaceOf = (error: unknown): SourcePlace | null =>
  placesIn(error).find((place) => !isOwn(place) && !isLibrary(place)) ?? null

/** Was the error made by Signalbox itself, so that its words are ours already? */
export function isOurs(error: unknown): boolean {
  const [first] = placesIn(error)
  return first !== undefined && isOwn(first)
}
