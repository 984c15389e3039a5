/** Words of a refusal. What a model wrote is shown short, and with nothing in it that a log or terminal would obey. */
import type { PolicyReason } from '../../policy-answer.ts'

const messageCharsMax = 500
const shownCharsMax = 80

/** A text of at most `charsMax` characters, without control characters and halves of characters. */
export function printableWithin(text: string, charsMax: number): string {
  const cut = text.length <= charsMax ? text : `${text.slice(0, charsMax - 1)}…`
  return cut.replaceAll(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '?')
}

/** A reason with its message cut to what an answer may hold. */
export const reason = (code: string, message: string): PolicyReason => ({
  code,
  message: printableWithin(message, messageCharsMax),
})

/** A value of a call or a policy, in quotes, at most 80 characters of it. */
export const quoted = (value: string): string => `"${printableWithin(value, shownCharsMax)}"`
