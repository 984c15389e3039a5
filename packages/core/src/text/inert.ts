/** Texts of others in a block of data: they can neither end the block, nor begin another one, nor leave their line. */

/** A text that cannot end a block, or begin one. */
export const escaped = (text: string): string =>
  text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;')

/** The same on one line. */
export const inert = (text: string): string =>
  escaped(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))
