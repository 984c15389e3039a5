/** The words of a command. */
import type { Command, Word } from '../shell/script.ts'

/** Every word: values, arguments, targets, and what stands in its here-documents. */
export const wordsIn = (command: Command): readonly Word[] => [
  ...command.assignments.map(({ value }) => value),
  ...command.words,
  ...command.redirects.flatMap(({ target, body }) => (body?.word ? [target, body.word] : [target])),
]

/** What stands in its here-documents and here-strings. */
export const hereOf = ({ redirects }: Command): readonly Word[] =>
  redirects.flatMap(({ op, target, body }) => {
    if (op === '<<<') return [target]
    return body?.word ? [body.word] : []
  })
