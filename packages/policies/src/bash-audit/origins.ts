/**
 * Where the texts of a script come from: what a command writes is a download if it downloads, or if anything that it reads is one.
 *
 * T1 Followed through pipes, groups, substitutions, variables, here-documents and the calls of functions, in no order of time: a variable
 *    that is once set to a download is one. Not through files.
 * T2 Always ends: an origin that is found is never lost, there are two of them, and variables that are set in the order in which they are
 *    read are followed at once. Those of a longer chain in the opposite order are not followed to its end.
 */
import { isDecoding } from '../passport/command/dangerous.ts'
import { arrayOf, type Command, expansionsIn, type Word } from '../shell/script.ts'
import type { Executable } from '../passport/command/doings.ts'
import { isInterpreter, isShell } from '../passport/command/interpreters.ts'
import type { Actions, ProgramSource } from './actions.ts'
import { inputCommandsOf } from './input-commands.ts'
import { programWords } from './interpreted.ts'
import { printedKinds } from './other-languages.ts'
import { inputStream, staysOpen, streamsIn, streamsRead } from './streams.ts'
import { wordsIn } from './words-in.ts'

/** An origin of texts that must not become a program. */
type Origin = 'download' | 'decoded'

type Origins = ReadonlySet<Origin>

const downloaders =
  /^(?:curl|wget|wget2|aria2c|axel|fetch|http|https|xh|lynx|links|elinks|w3m|nc|ncat|netcat|socat|telnet|ftp|tftp)$/

/** Those that passports know, and a few more. */
function decodes(used: Pick<Executable, 'name' | 'words'>): boolean {
  const { name, words } = used
  if (isDecoding(used) || name === 'uudecode') return true
  const texts = words.slice(1).map(({ text }) => text)
  const isModule = /^python[0-9.]*$/.test(name) && texts.join(' ').startsWith('-m base64 ')
  if (!isModule && !/^(?:base64|base32|basenc)$/.test(name)) return false
  return texts.some((text) => /^(?:-[a-z]*d|--d[a-z]*)$/.test(text))
}

const roundsMax = 32

/** The origins of the parts of a script, as far as they are known. */
export interface OriginTable {
  /** Of the words and of the input of a program. */
  originsOf(source: Pick<ProgramSource, 'words' | 'input'>): Origins
}

/** Follows the texts of a script until nothing new is found. */
export function traceOrigins(actions: Actions): OriginTable {
  const outputs = new Map<Command, Set<Origin>>()
  const variables = new Map<string, Set<Origin>>()
  let hasGrown = false
  const grow = <Key>(table: Map<Key, Set<Origin>>, key: Key, origins: Iterable<Origin>): void => {
    const known = table.get(key) ?? new Set<Origin>()
    const before = known.size
    for (const origin of origins) known.add(origin)
    table.set(key, known)
    hasGrown ||= known.size > before
  }
  const ofOutputs = (commands: readonly Command[]): Origin[] =>
    commands.flatMap((command) => [...(outputs.get(command) ?? [])])
  const ofNames = (names: readonly string[]): Origin[] =>
    names.flatMap((name) => [...(variables.get(name) ?? [])])
  const ofWord = (word: Word): Origin[] => [
    ...word.substitutions.flatMap(ofOutputs),
    ...ofNames([...namesIn(word), ...streamsIn(word)]),
  ]
  const ofInput = ({ from = [], redirects }: Command): Origin[] => [
    ...ofOutputs(from),
    ...ofNames(redirects.flatMap(streamsRead)),
    ...ofNames(from.length === 0 ? [inputStream] : []),
    ...redirects.flatMap(({ op, target, body }) =>
      op.startsWith('<') ? [...ofWord(target), ...(body?.word ? ofWord(body.word) : [])] : [],
    ),
  ]

  for (const { name, words, command } of actions.executables) {
    if (downloaders.test(name)) grow(outputs, command, ['download'])
    if (decodes({ name, words })) grow(outputs, command, ['decoded'])
    if (isInterpreter(name) && !isShell(name))
      for (const { kind, word } of programWords(name, words))
        if (kind === 'text') grow(outputs, command, printedKinds(word.text))
  }
  const functionOutputs = new Map<string, Set<Origin>>()
  for (let round = 0; round === 0 || (hasGrown && round < roundsMax); round += 1) {
    hasGrown = false
    for (const [name, { commands }] of actions.functions)
      grow(functionOutputs, name, ofOutputs(commands))
    for (const command of actions.commands) {
      grow(outputs, command, ofInput(command))
      grow(outputs, command, wordsIn(command).flatMap(ofWord))
      grow(outputs, command, ofOutputs(actions.within.get(command) ?? []))
      if (staysOpen(command) && command.redirects.some(({ op }) => op.includes('>')))
        grow(outputs, command, ofOutputs(actions.commands))
      grow(outputs, command, functionOutputs.get(command.words[0]?.text ?? '') ?? [])
    }
    for (const { name, word, input } of actions.settings) {
      if (word) grow(variables, name, ofWord(word))
      if (input) grow(variables, name, ofInput(input))
    }
  }

  return {
    originsOf: ({ words, input }) =>
      new Set([...words.flatMap(ofWord), ...(input ? ofInput(input) : [])]),
  }
}

/** The variables of a word; of `${x:-$y}`, both, and of an element its array. */
const namesIn = ({ exact }: Word): readonly string[] =>
  expansionsIn(exact)
    .flatMap((name) => name.split(':'))
    .map(arrayOf)

/** Does anything come into a command: from a pipe, a file, a group around it? */
export const isFed = (command: Command): boolean =>
  takesFile(command) ||
  inputCommandsOf(command).some((each) => each.words.length > 0 || takesFile(each))

const takesFile = ({ redirects }: Command): boolean =>
  redirects.some(({ op, target }) => op.startsWith('<') && op !== '<>' && target.text !== '-')
