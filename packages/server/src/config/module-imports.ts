/** What files of the user's own import, read from their text: Node's errors seldom say by which line. */
import { readFile } from 'node:fs/promises'
import { dirname, resolve } from 'node:path'

/** One import of a file. */
export interface Import {
  readonly specifier: string
  readonly line: number
}

const imported = /\b(?:from|import)\s*\(?\s*(['"])([^'"\n]+)\1/g
const filesMax = 200

/** The imports of a file, in order; none if it cannot be read. */
export async function importsOf(file: string): Promise<readonly Import[]> {
  const text = await readFile(file, 'utf8').catch(() => '')
  return [...text.matchAll(imported)].map((match) => ({
    specifier: match[2] ?? '',
    line: text.slice(0, match.index + match[0].length).split('\n').length,
  }))
}

/** The file that a relative specifier names; null for one that is not relative. */
export const importedFile = (file: string, specifier: string): string | null =>
  specifier.startsWith('.') ? resolve(dirname(file), specifier) : null

/** A file and everything of the user's own that it imports, directly or not; the file itself first. */
export async function filesFrom(file: string): Promise<readonly string[]> {
  const found = new Set([file])
  for (const each of found) {
    if (found.size > filesMax) break
    for (const { specifier } of await importsOf(each)) {
      const target = importedFile(each, specifier)
      if (target !== null) found.add(target)
    }
  }
  return [...found]
}

/** The first import of a file that leads back to it; null if none does. */
export async function circleOf(file: string): Promise<string | null> {
  for (const { specifier } of await importsOf(file)) {
    const target = importedFile(file, specifier)
    if (target !== null && (await filesFrom(target)).includes(file)) return target
  }
  return null
}
