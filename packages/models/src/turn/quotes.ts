import { parseJson } from '../read.ts'

/** Whether a text quotes what must not be kept: error messages of providers sometimes show what the model wrote. */

/** So many letters and digits in a row, found in both, are a quotation. */
const quoteChars = 12

/**
 * Does the text quote one of the sources? Only letters and digits are compared: a quotation may be escaped once more, or
 * once less, than its source.
 */
export function quotes(text: string, sources: readonly string[]): boolean {
  if (sources.every((source) => source.length < quoteChars)) return false
  const said = plain(text)
  const windows = new Set<string>()
  for (let at = 0; at + quoteChars <= said.length; at += 1)
    windows.add(said.slice(at, at + quoteChars))
  return sources.some((source) => {
    const written = plain(source)
    for (let at = 0; at + quoteChars <= written.length; at += 1)
      if (windows.has(written.slice(at, at + quoteChars))) return true
    return false
  })
}

/**
 * Does the text name a value of one of the sources, however short: as a word of its own? Of a source that is no JSON, each word with a
 * digit is a value. `known` are none: names of tools.
 */
export function names(text: string, sources: readonly string[], known: readonly string[]): boolean {
  const said = ` ${inWords(text)} `
  return sources
    .flatMap(valuesOf)
    .some((value) => value !== '' && !known.includes(value) && said.includes(` ${inWords(value)} `))
}

const inWords = (text: string): string => text.replace(/[^\p{L}\p{N}]+/gu, ' ').trim()

function valuesOf(source: string): readonly string[] {
  const parsed = parseJson(source)
  if (parsed === undefined)
    return inWords(source)
      .split(' ')
      .filter((word) => /\d/.test(word))
  const values: string[] = []
  const visit = (value: unknown): void => {
    const inner = typeof value === 'string' ? parseJson(value) : value
    if (typeof inner === 'object' && inner !== null) Object.values(inner).forEach(visit)
    else if (typeof value === 'string' || typeof value === 'number') values.push(String(value))
  }
  visit(parsed)
  return values
}

function plain(text: string): string {
  return text
    .replace(/\\u([0-9a-f]{4})/gi, (_, code: string) =>
      String.fromCharCode(Number.parseInt(code, 16)),
    )
    .replace(/\\[nrtbf]/g, '')
    .replace(/[^\p{L}\p{N}]/gu, '')
}
