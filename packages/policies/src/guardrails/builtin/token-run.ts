/** Runs of the characters that tokens have, found without a look at each character of prose. */

import { unitsOf } from '../border.ts'

/** Every format has so many of these in a row. */
const runChars = 15

const isOfTokens = unitsOf('A-Za-z0-9_.~+/=-')

/** Are there fifteen of them in a row? Looks back from where the fifteenth would stand: the words of prose are shorter. */
export function hasRun(text: string): boolean {
  let start = 0
  while (start + runChars <= text.length) {
    let at = start + runChars - 1
    while (at >= start && isOfTokens(text.charCodeAt(at))) at -= 1
    if (at < start) return true
    start = at + 1
  }
  return false
}
