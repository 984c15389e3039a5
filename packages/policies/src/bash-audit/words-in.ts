/** The words of a command. */
import type { Command, Word } from '../shell/script.ts'

/** Every word: values, arguments, targets, and what stands in its here-documents. */
export const wordsIn = (command: Command): readonly Word[] => [
  ...command.assignments.map(({ value }) => value),
  ...command.words,
  ...command.redirects.flatMap(({ target, body }) => (body?.word ? [target, body.word] : [target])),
]

/** The words of the here-documents and here-strings that come in, also by way of `cat`. */
export function hereFor(command: Command): readonly Word[] {
  const own = hereOf(command)
  const [before, more] = command.from ?? []
  if (own.length > 0 || before === undefined || more !== undefined) return own
  return before.words[0]?.text === 'cat' && before.words.length === 1 ? hereOf(before) : own
}

const hereOf = ({ redirects }: Command): readonly Word[] =>
  redirects.flatMap(({ op, target, body }) => {
    if (op === '<<<') return [target]
    return body?.word ? [body.word] : []
  })
