/**
 * Files a command writes by its redirections, by programs that write to their operands, and by options that name an output.
 * A file that a program writes of its own accord is not seen here: an allowed program can do all it can.
 */
import { isAboveProtected, protectionOf } from '../files/starting.ts'
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import { textsUnder, type LimitedCall } from '../limit-check.ts'
import { directoryNames } from './environment.ts'
import {
  broughtName,
  broughtTexts,
  endsInNames,
  isBrought,
  isInAnyFolder,
} from './brought-names.ts'
import type { Doings, Executable } from './doings.ts'
import { handedOn, knowsOutputs, outputsOf, valuesIn } from './output-options.ts'
import { basesOf, spelledPath, textsOfWord } from './places.ts'
import { after, wordOf, type Word } from '../../shell/script.ts'
import { abbreviates } from './option-tables.ts'
import { withoutInner } from './wrappers.ts'

/** Change what a file is, not what is in it: only what no limit opens is protected from them. */
const touching = new Set(['chmod', 'chown', 'chgrp', 'mkdir', 'rm', 'rmdir', 'touch', 'unlink'])
/** Write to each of their operands, and to the last one, or into it if it is a directory. */
const toEach = new Set([
  'ed',
  'ex',
  'nano',
  'patch',
  'shred',
  'sponge',
  'tee',
  'truncate',
  'vi',
  'vim',
  'nvim',
])
const toLast = new Set(['cp', 'install', 'ln', 'mv', 'rsync', 'scp'])
const inPlace = /^-[a-zA-Z]*i/

interface Write {
  readonly word: Word
  /** Put before the word: what is copied into a directory keeps its name. */
  readonly into: Word | null
  /** And the folders that its name stands in, as with `cp --parents`. */
  readonly isWhole?: boolean
  readonly touchesOnly: boolean
  readonly links: boolean
  /** Perhaps no file: what nobody can tell is not refused. */
  readonly guessed: boolean
}

/** Refuses writes to files that run later, and writes to places that nobody can tell. */
export function checkWrites(call: LimitedCall, doings: Doings): PolicyReason | null {
  const writes = [
    ...doings.redirects.flatMap(written).map((write) => ({ ...write, by: null })),
    ...doings.executables.flatMap((by) => writesOf(by).map((write) => ({ ...write, by }))),
  ]
  if (writes.length === 0) return null
  const bases = basesOf(doings, textsUnder(call.request.args, directoryNames) ?? [])
  for (const write of writes) {
    const refused = checkWrite(write, { bases, doings })
    if (refused) return refused
  }
  return null
}

const plainWrite = (word: Word): Write => ({
  word,
  into: null,
  touchesOnly: false,
  links: false,
  guessed: false,
})

const written = ({ op, target }: Doings['redirects'][number]): readonly Write[] =>
  op.startsWith('<') && op !== '<>'
    ? []
    : /^(?:\d+-?|-)$/.test(target.text)
      ? []
      : [plainWrite(target)]

function writesOf(executable: Executable): readonly Write[] {
  const { name } = executable
  const words = withoutInner(name, executable.words)
  const operands = words.slice(1).filter(({ text }) => !text.startsWith('-'))
  if (words.length === executable.words.length && endsInNames(executable))
    operands.push(broughtName)
  const guessed = !knowsOutputs(name)
  const named = [
    ...outputsOf(name, words).map((word) => ({ ...plainWrite(word), guessed })),
    ...handedOn(name, words).map((word) => ({ ...plainWrite(word), guessed: true })),
    ...valuesIn(name, words).map((word) => ({
      ...plainWrite(word),
      guessed: true,
      touchesOnly: true,
    })),
  ]
  if (name === 'dd')
    return operands.flatMap((word) =>
      word.text.startsWith('of=') ? [plainWrite(after(word, 3))] : [],
    )
  if (touching.has(name) || (name === 'find' && words.some(({ text }) => text === '-delete')))
    return operands.map((word) => ({ ...plainWrite(word), touchesOnly: true }))
  const isInPlace =
    /^(?:sed|gsed|perl[0-9.]*|ruby[0-9.]*)$/.test(name) &&
    words.some(({ text }) => inPlace.test(text) || abbreviates(text, ['in-place']))
  if (name === 'uniq') return operands.slice(1).map(plainWrite)
  if (name === 'zip') return [...named, ...operands.slice(0, 1).map(plainWrite)]
  if (packers.test(name)) return [...named, ...besides(words, operands)]
  if (toEach.has(name) || isInPlace) return [...named, ...operands.map(plainWrite)]
  return toLast.has(name) ? [...named, ...copies(name, words, operands)] : named
}

/** They write beside the file, with a name that is longer or shorter by an ending. */
const packers =
  /^(?:gzip|gunzip|bzip2|bunzip2|xz|unxz|lzma|unlzma|zstd|unzstd|lz4|unlz4|brotli|unbrotli|compress|uncompress)$/

function besides(words: readonly Word[], operands: readonly Word[]): readonly Write[] {
  if (words.some(({ text }) => /^-[a-zA-Z]*[clt]|^--(?:std|to-std|list|test)/.test(text))) return []
  return operands.flatMap((word) => {
    const shorter = word.exact.replace(/\.[A-Za-z0-9]{1,4}$/, '')
    return [word, wordOf(shorter, word)].map((it) => ({ ...plainWrite(it), guessed: true }))
  })
}

function copies(name: string, words: readonly Word[], operands: readonly Word[]): readonly Write[] {
  const [target] = outputsOf(name, words)
  const last = target ?? operands.at(-1)
  const sources = target === undefined ? operands.slice(0, -1) : operands
  const isWhole = words.some(
    ({ text }) =>
      abbreviates(text, ['parents', 'relative']) || (name === 'rsync' && /^-[a-zA-Z]*R/.test(text)),
  )
  return [
    ...(last === undefined ? [] : [plainWrite(last)]),
    ...sources.map((word) => ({ ...plainWrite(word), into: last ?? null, isWhole })),
    ...(name === 'mv' ? sources.map((word) => ({ ...plainWrite(word), touchesOnly: true })) : []),
    ...(name === 'ln' ? sources.map((word) => ({ ...plainWrite(word), links: true })) : []),
  ]
}

const lastNameOf = (path: string): string => {
  const trimmed = path.replace(/\/{1,64}$/, '')
  return trimmed.slice(trimmed.lastIndexOf('/') + 1)
}

const isRelative = (text: string): boolean => !/^[/~]/.test(text)

/** `rm dist/*` touches what is in a folder: the folder tells whether it is protected. */
const folderOf = (text: string): string => text.replace(/([^/.])\/\*$/, '$1')

function checkWrite(
  {
    word,
    into,
    isWhole,
    touchesOnly,
    links,
    guessed,
    by,
  }: Write & { readonly by: Executable | null },
  { bases, doings }: { readonly bases: readonly string[] | null; readonly doings: Doings },
): PolicyReason | null {
  const comesTo = (each: Word): readonly string[] | null =>
    by !== null && isBrought(each)
      ? broughtTexts(by, each, doings)
      : textsOfWord(each, doings.variables)
  const all = comesTo(word)
  const texts = touchesOnly ? (all?.map(folderOf) ?? null) : all
  const directories = into === null ? [''] : comesTo(into)
  // Everything in a folder goes to the top: its names are not seen.
  const isAll =
    into !== null &&
    texts?.some((text) => /(?:^|\/)\.\/?$/.test(text)) === true &&
    directories?.some((text) => /^(?:\.{1,2}\/?|[/~]\/?)$/.test(text)) === true
  const isLost = by !== null && isInAnyFolder(by) && !isBrought(into ?? word)
  const unseen =
    isAll ||
    texts === null ||
    directories === null ||
    (bases === null && texts.some(isRelative)) ||
    (isLost && (into === null ? texts : directories).some(isRelative))
  // A program that only touches its operands is judged by those that can be told.
  if (unseen && (touchesOnly || guessed)) return null
  if (unseen) {
    const text = `The command writes to a file that cannot be told before it runs (${quoted(word.text)}): name the file.`
    return reason('oap.command_injection_detected', text)
  }
  for (const text of texts)
    for (const directory of directories)
      for (const base of bases ?? ['']) {
        const name = into === null || isWhole === true ? text : lastNameOf(text)
        // `cp package.json package.json.bak`: a copy beside it, no directory.
        if (into !== null && name !== '' && lastNameOf(directory).includes(name)) continue
        const place = spelledPath(base, directory === '' ? name : `${directory}/${name}`)
        const found = protectionOf(place)
        const isRefused = found !== null && !(touchesOnly && found.canBeOpened)
        const isAbove =
          (links && place === '/') || ((links || into !== null) && isAboveProtected(place))
        if (!isRefused && !isAbove) continue
        const why =
          found === null ? 'leads to protected places' : `is obeyed later (${found.pattern})`
        const message = `${quoted(place)} ${why}: no command may write it. Use a file tool that a passport opens it for.`
        return reason('oap.path_blocked', message)
      }
  return null
}
