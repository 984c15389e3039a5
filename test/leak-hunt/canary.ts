/**
 * A canary: a text that is nowhere but in the arguments it was put into. It is looked for in every spelling in which a
 * program may have kept it.
 *
 * K1 A canary begins and ends with the marker of its flock, so that half of it is found too. A card number begins with it: of what
 *    else it has there is too little to be found.
 * K2 The marker is random: no file of this repository, and no other flock, holds it.
 */
import { randomBytes, randomInt } from 'node:crypto'

/** Canaries that share a marker: one search finds any of them. */
export interface Flock {
  readonly marker: string
  /** Another canary of the flock, unlike all others. */
  next(): string
}

export function newFlock(): Flock {
  const marker = `cn${randomBytes(5).toString('hex')}`
  return { marker, next: () => `${marker}x${randomBytes(4).toString('hex')}x${marker}` }
}

/** Canaries that are valid numbers of payment cards: sixteen digits that begin with a 4, the last by Luhn's rule. */
export function newCards(): Flock {
  const marker = `4${digits(11)}`
  return {
    marker,
    next() {
      const number = `${marker}${digits(3)}`
      // Of the digits before the last one, every other one counts twice, the last of them first.
      const sum = Array.from(number)
        .toReversed()
        .reduce((total, digit, n) => {
          const worth = n % 2 === 0 ? Number(digit) * 2 : Number(digit)
          return total + (worth > 9 ? worth - 9 : worth)
        }, 0)
      return `${number}${(10 - (sum % 10)) % 10}`
    },
  }
}

const digits = (count: number): string =>
  Array.from({ length: count }, () => String(randomInt(10))).join('')

interface Spelling {
  readonly name: string
  readonly bytes: Buffer
}

const ascii = (name: string, spelt: string): Spelling => ({
  name,
  bytes: Buffer.from(spelt, 'ascii'),
})

/** The spellings of a text of ASCII letters and digits. */
export function spellings(text: string): readonly Spelling[] {
  const bytes = Buffer.from(text, 'ascii')
  const utf16 = Buffer.from(text, 'utf16le')
  const hex = bytes.toString('hex')
  return [
    { name: 'plain', bytes },
    { name: 'UTF-16LE', bytes: utf16 },
    { name: 'UTF-16BE', bytes: Buffer.from(utf16).swap16() },
    ascii('hex', hex),
    ascii('HEX', hex.toUpperCase()),
    ascii('JSON escapes', escaped(text, '\\')),
    ascii('JSON escapes, escaped', escaped(text, '\\\\')),
    ...[0, 1, 2].map((before) => ascii(`base64 at ${before}`, base64At(bytes, before))),
  ]
}

const escaped = (text: string, sign: string): string =>
  Array.from(Buffer.from(text, 'ascii'), (byte) => `${sign}u00${byte.toString(16)}`).join('')

/** What base64 makes of the bytes when `before` others stand before them: without the signs that show a neighbour. */
function base64At(bytes: Buffer, before: number): string {
  const spelt = Buffer.concat([Buffer.alloc(before), bytes]).toString('base64url')
  const whole = Math.floor(((before + bytes.length) * 8) / 6)
  return spelt.slice(Math.ceil((before * 8) / 6), whole)
}

/** The names of the spellings in which the bytes hold the marker; the place of the first, for whoever reads a failure. */
export function findIn(bytes: Buffer, { marker }: Flock): readonly string[] {
  return spellings(marker).flatMap((spelling) => {
    const at = bytes.indexOf(spelling.bytes)
    if (at < 0) return []
    const around = bytes.subarray(Math.max(0, at - 60), at + 100).toString('latin1')
    return [`${spelling.name} at ${at}: ${JSON.stringify(around)}`]
  })
}
