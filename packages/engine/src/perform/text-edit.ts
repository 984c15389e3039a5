/**
 * Edits of texts as they are stored, and made again in what somebody else left. Tools find the places for models; here the stored form is read.
 */
import { z } from 'zod'

/** A text to find, and what stands there afterwards. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

/** Where the one occurrence of a text begins; `none` or `several`, if there is not one. */
export function placeOf(text: string, sought: string): number | 'none' | 'several' {
  const index = text.indexOf(sought)
  if (sought === '' || index === -1) return 'none'
  return text.indexOf(sought, index + 1) === -1 ? index : 'several'
}

/** The text of a file; null if it is not UTF-8. A byte order mark is a part of it. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

const Stored = z.array(z.tuple([z.string(), z.string()]))

type Pairs = z.output<typeof Stored>

const encode = (pairs: Pairs): Uint8Array => Buffer.from(JSON.stringify(pairs))

/** Null: it is no list of edits. */
function decode(stored: Uint8Array): Pairs | null {
  try {
    return Stored.parse(JSON.parse(Buffer.from(stored).toString('utf8')))
  } catch {
    return null
  }
}

/** Edits as they are stored, to be made again in what somebody else left. */
export const encodeEdits = (edits: readonly TextEdit[]): Uint8Array =>
  encode(edits.map(({ oldText, newText }) => [oldText, newText]))

/** Stored edits, one list behind the other, as one. Null where one of them is none. */
export function joinEdits(lists: readonly Uint8Array[]): Uint8Array | null {
  const read = lists.map(decode)
  return read.every((pairs) => pairs !== null) ? encode(read.flat()) : null
}

/** Makes stored edits in another content. Null where one of them does not fit. */
export function reapply(bytes: Uint8Array, stored: Uint8Array): Uint8Array | null {
  const pairs = decode(stored)
  let text = pairs && decodeText(bytes)
  for (const [oldText, newText] of pairs ?? []) {
    const place = text === null ? 'none' : placeOf(text, oldText)
    if (text === null || typeof place !== 'number') return null
    text = text.slice(0, place) + newText + text.slice(place + oldText.length)
  }
  return text === null ? null : Buffer.from(text, 'utf8')
}
