/**
 * Numbers and addresses with plain signs: typesetters and other scripts have their own for digits, blanks and hyphens. Each of them is
 * one code unit, as is the plain one, so that places stay what they are.
 */

import { unitsOf } from '../border.ts'

/** Of full width: brackets, plus, hyphen to digits, at sign and letters. A colon is left out: in Chinese it stands in sentences. */
const wide = '\\uFF08\\uFF09\\uFF0B\\uFF0D-\\uFF19\\uFF20-\\uFF3A\\uFF41-\\uFF5A'
const blanks = '\\u00A0\\u2000-\\u200A\\u202F\\u205F\\u3000'
const hyphens = '\\u2010-\\u2015\\u2212'
/** The zeros of digits: Arabic, Persian, Devanagari, Bengali, Thai. */
const zeros = [0x0660, 0x06f0, 0x0966, 0x09e6, 0x0e50] as const
const digits = zeros
  .map((zero) => `${String.fromCharCode(zero)}-${String.fromCharCode(zero + 9)}`)
  .join('')

const other = new RegExp(`[${wide}${blanks}${hyphens}${digits}]`)
const others = new RegExp(other, 'g')
const isBlank = new RegExp(`[${blanks}]`)
const isHyphen = new RegExp(`[${hyphens}]`)

/** Has the text a digit, a sign that numbers and addresses have and words do not, or another sign for one of them? */
export function hasNumberSigns(text: string): boolean {
  let hasOthers = false
  for (let at = 0; at < text.length; at += 1) {
    const unit = text.charCodeAt(at)
    if (isPlainSign(unit)) return true
    if (unit >= 0x80) hasOthers = true
  }
  return hasOthers && other.test(text)
}

const isPlainSign = unitsOf('0-9@:+(')

/** The text with plain signs, unit by unit. */
export const withPlainSigns = (text: string): string =>
  !isAscii(text) && other.test(text) ? text.replaceAll(others, plain) : text

/** A loop over it costs less than an expression that is run once per turn. */
function isAscii(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) if (text.charCodeAt(at) >= 0x80) return false
  return true
}

function plain(sign: string): string {
  if (isBlank.test(sign)) return ' '
  if (isHyphen.test(sign)) return '-'
  const unit = sign.charCodeAt(0)
  const zero = zeros.find((each) => unit >= each && unit <= each + 9)
  return String.fromCharCode(zero === undefined ? unit - 0xfee0 : unit - zero + 0x30)
}
