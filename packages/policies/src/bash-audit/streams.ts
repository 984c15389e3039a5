/**
 * Streams by their numbers: `exec 3< file` sets one that later commands read as `<&3` or `/dev/fd/3`.
 *
 * R1 A stream goes by a name that no variable has, and what is said of it counts in no order of time.
 */
import type { Command, Redirect, Word } from '../shell/script.ts'
import type { Setting } from './actions.ts'

/** The name of a stream. */
const streamName = (number: string): string => `&${number}`

/** The input that a script has from `exec < file` on. */
export const inputStream = streamName('0')

/** Does `exec` stand alone, so that its redirections stay? */
export const staysOpen = ({ words }: Command): boolean =>
  words.length === 1 && words[0]?.text === 'exec'

/** The streams that a redirection sets. */
export function streamsSet(
  { op, target, body, stream }: Redirect,
  command: Command,
): readonly Setting[] {
  const number = stream ?? (staysOpen(command) ? '0' : null)
  if (number === null || !op.startsWith('<')) return []
  const words = body?.word ? [target, body.word] : [target]
  return words.map((word) => ({
    name: streamName(number.replaceAll(/[{}]/g, '')),
    word,
    input: null,
  }))
}

/** The streams that a word names as a file: `/dev/fd/3`. */
export function streamsIn({ text }: Word): readonly string[] {
  const [, number] = /^\/(?:dev|proc\/[^/]+)\/fd\/(\w+)$/.exec(text) ?? []
  return number === undefined ? [] : [streamName(number)]
}

/** The streams that a redirection copies: `<&3`. */
export const streamsRead = ({ op, target }: Redirect): readonly string[] =>
  op === '<&' ? [streamName(target.text.replace(/^\$\{?(\w+)\}?$/, '$1'))] : []
