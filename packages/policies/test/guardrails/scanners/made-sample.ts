/**
 * Samples from descriptions of formats: `glpat-{w20}` is the prefix and 20 of the letters of a word. A pseudo-random source makes
 * the bodies, so that no scanner takes a file for a leak and every run sees the same ones.
 */

const alphabets: Readonly<Record<string, string>> = {
  /** Digits. */
  d: '0123456789',
  /** Hexadecimal, lower case. */
  h: '0123456789abcdef',
  /** Lower-case letters. */
  l: 'abcdefghijklmnopqrstuvwxyz',
  /** Upper-case letters and digits. */
  A: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  /** Lower-case letters and digits. */
  a: 'abcdefghijklmnopqrstuvwxyz0123456789',
  /** Letters and digits. */
  p: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  /** Letters, digits, underscore and hyphen. */
  w: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-',
  /** Base 64. */
  b: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  /** Bech32, upper case. */
  B: 'QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L',
}

/** Numbers below a bound, the same for the same seed. */
export type Random = (below: number) => number

/** The generator mulberry32. */
export function randomOf(seed: number): Random {
  let state = seed >>> 0
  return (below) => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) % below
  }
}

function body(alphabet: string, length: number, random: Random): string {
  const letters = alphabets[alphabet]
  if (letters === undefined) throw new Error(`no alphabet ${alphabet}`)
  const drawn = Array.from({ length }, () => letters.charAt(random(letters.length)))
  // A body ends in a letter or digit: a hyphen at the end would be the sentence's.
  const last = letters.replaceAll(/[^A-Za-z0-9]/g, '')
  drawn[length - 1] = last.charAt(random(last.length))
  // Two digits at least where there are letters and digits, as in nine of ten such bodies of fifteen.
  if (/[a-z]/i.test(letters) && letters.includes('1') && length >= 10)
    for (const at of [2, 7]) drawn[at] = String(random(10))
  return drawn.join('')
}

/** Fills `{d10}`, `{w20}`, …; `{uuid}` is one in lower case. */
export function madeSample(format: string, random: Random): string {
  return format
    .replaceAll('{uuid}', '{h8}-{h4}-{h4}-{h4}-{h12}')
    .replaceAll(/\{([a-zA-Z])(\d+)\}/g, (_, alphabet: string, length: string) =>
      body(alphabet, Number(length), random),
    )
}
