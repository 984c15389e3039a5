/** Numbers with check digits, computed from the specifications of their issuers, not with the code that is tested. */
import type { Random } from '../scanners/made-sample.ts'

const digits = (count: number, random: Random): string =>
  Array.from({ length: count }, () => String(random(10))).join('')

/** ISO/IEC 7812-1, annex B: the digit that makes the sum of the doubled and the single digits a multiple of ten. */
function luhnDigit(payload: string): string {
  let sum = 0
  for (const [n, digit] of Array.from(payload).toReversed().entries()) {
    const doubled = n % 2 === 0 ? Number(digit) * 2 : Number(digit)
    sum += Math.floor(doubled / 10) + (doubled % 10)
  }
  return String((10 - (sum % 10)) % 10)
}

/** A card number of this range and length, in one piece. */
export function cardNumber(prefix: string, length: number, random: Random): string {
  const payload = prefix + digits(length - prefix.length - 1, random)
  return payload + luhnDigit(payload)
}

/** The same with another check digit. */
export const wrongCardNumber = (prefix: string, length: number, random: Random): string => {
  const number = cardNumber(prefix, length, random)
  return number.slice(0, -1) + String((Number(number.at(-1)) + 1 + random(8)) % 10)
}

/** ISO 13616 with ISO 7064 MOD 97-10. `bban`: how the country forms the rest, `n` digits, `a` letters, `c` either. */
export function ibanOf(country: string, bban: string, random: Random): string {
  const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'
  const account = Array.from(bban)
    .map((kind) => {
      if (kind === 'a') return letters.charAt(random(26))
      return kind === 'c' && random(2) === 0 ? letters.charAt(random(26)) : String(random(10))
    })
    .join('')
  const numeric = Array.from(`${account}${country}00`)
    .map((character) => String(Number.parseInt(character, 36)))
    .join('')
  return country + String(98n - (BigInt(numeric) % 97n)).padStart(2, '0') + account
}

/** Four by four, as people write them. */
export const inFours = (number: string): string => number.replaceAll(/(.{4})(?=.)/g, '$1 ')

/** GB 11643-1999: place, day of birth, order, and the check character of ISO 7064 MOD 11-2. */
export function residentId(place: string, born: string, order: string): string {
  const body = place + born + order
  const weights = [7, 9, 10, 5, 8, 4, 2, 1, 6, 3, 7, 9, 10, 5, 8, 4, 2]
  const sum = Array.from(body).reduce(
    (total, digit, n) => total + Number(digit) * (weights[n] ?? 0),
    0,
  )
  return body + (['1', '0', 'X', '9', '8', '7', '6', '5', '4', '3', '2'][sum % 11] ?? '')
}

/** The same with another check character. */
export const wrongResidentId = (place: string, born: string, order: string): string => {
  const id = residentId(place, born, order)
  return id.slice(0, -1) + (id.endsWith('5') ? '6' : '5')
}
