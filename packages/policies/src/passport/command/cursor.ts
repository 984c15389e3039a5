/** Where the reader of a shell text stands. After a problem it stands at the end, so that every loop ends. */

import type { PassportEdition } from '@signalbox/core'

/** A here-document whose body is still to come. */
export interface PendingBody {
  readonly end: string
  /** Was the word that ends it quoted? Then nothing in the body expands. */
  readonly literal: boolean
  readonly stripsTabs: boolean
}

/** One reading of one text; used once. */
export interface Cursor {
  readonly text: string
  readonly edition: PassportEdition
  at: number
  /** How many groups and substitutions are open. */
  depth: number
  commands: number
  problem: string | null
  bodies: readonly PendingBody[]
}

/** The text cannot be judged. The first reason stays. */
export function giveUp(cursor: Cursor, why: string): void {
  cursor.problem ??= why
  cursor.at = cursor.text.length
}

/** Does the rest begin with this? */
export const sees = (cursor: Cursor, text: string): boolean =>
  cursor.text.startsWith(text, cursor.at)

/** Steps over the text if the rest begins with it. */
export function stepsOver(cursor: Cursor, text: string): boolean {
  if (!sees(cursor, text)) return false
  cursor.at += text.length
  return true
}
