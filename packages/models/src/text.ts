import { limits } from '@signalbox/core'

/** Text that the register can store: well-formed, without \u0000. */
export function cleanText(value: string): string {
  return value.replaceAll('\u0000', '').toWellFormed()
}

/** A short text for ids, names and evidence: clean, at most `limits.idCharsMax` characters. */
export function shortText(value: string): string {
  return cleanText(value.slice(0, limits.idCharsMax))
}

/**
 * Cleans text that comes in pieces: the pieces it gives, joined, are the clean text of the pieces it was given. A
 * surrogate pair may be split between two deltas, so a trailing high surrogate is held back until its other half comes.
 */
export class TextCleaner {
  #held = ''

  push(piece: string): string {
    const whole = this.#held + (piece.includes('\u0000') ? piece.replaceAll('\u0000', '') : piece)
    const isSplit = (whole.charCodeAt(whole.length - 1) & 0xfc00) === 0xd800
    this.#held = isSplit ? whole.slice(-1) : ''
    return (isSplit ? whole.slice(0, -1) : whole).toWellFormed()
  }

  /** What was held back, when no more pieces come. */
  flush(): string {
    const rest = this.#held.toWellFormed()
    this.#held = ''
    return rest
  }
}

/** The name of a tool that a model asked for, if it can be one: models put arguments into it as well. */
export function toolName(value: string): string {
  return /^[\w.:-]{1,128}$/.test(value) ? value : 'unknown'
}
