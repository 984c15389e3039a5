/**
 * Where a token may have begun that is not over. Tokens are runs of a few characters: prose has only words that look like the
 * beginning of one.
 */

import { unitsOf } from '../border.ts'

/** So many code units of a token are seen at once; what follows them is taken in. No format is told apart later. */
export const tokenMax = 320

/** The header of a private key, from its beginning to its end. */
const keyHeader = /-----BEGIN [A-Z0-9 ]{0,80}-{0,5}$/
const keyHeaderMax = 97

/** Of a text that grows. */
export function pendingToken(text: string, from: number): number {
  const token = tokenStart(text, from)
  const header = Math.max(from, text.length - keyHeaderMax)
  const key = text.includes('-----BEGIN', header) ? text.slice(header).search(keyHeader) : -1
  return Math.min(token, key < 0 ? token : header + key)
}

/** The run of characters that tokens are made of, at the end of the text. */
function tokenStart(text: string, from: number): number {
  const since = Math.max(from, text.length - tokenMax)
  let at = text.length
  while (at > since && isToken(text.charCodeAt(at - 1))) at -= 1
  return at
}

const isToken = unitsOf('A-Za-z0-9_.~+/=:?@!|$-')
