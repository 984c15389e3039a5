/** Options and operands by which programs are told where to write. */
import { abbreviates, namesIn, tableOf } from './option-tables.ts'
import { after, wordOf, type Word } from '../../shell/script.ts'

interface Outputs {
  /** Letters whose value is a place to write, and letters with another value: they end a cluster such as `-sfo x`. */
  readonly letters: string
  readonly valued?: string
  readonly long?: readonly string[]
  /** Whole options with one dash. */
  readonly single?: RegExp
}

const outputs = tableOf<Outputs>({
  curl: {
    letters: 'oDc',
    valued: 'AbCdEeFHhKmPQrTtUuwXxYyz',
    long: namesIn(
      'output dump-header cookie-jar trace trace-ascii stderr libcurl etag-save hsts alt-svc',
    ),
  },
  wget: {
    letters: 'OoaP',
    long: namesIn('output-document output-file append-output directory-prefix'),
  },
  sort: { letters: 'o', valued: 'kStT', long: namesIn('output') },
  tar: {
    letters: 'Cf',
    valued: 'bgHKLNVX',
    long: namesIn('directory one-top-level file index-file'),
  },
  unzip: { letters: 'd', valued: 'P' },
  git: { letters: 'o', valued: 'mCSGFbBU', long: namesIn('output output-directory') },
  less: { letters: 'oO', long: namesIn('log-file LOG-FILE') },
  tree: { letters: 'o', valued: 'IPLH' },
  zip: { letters: 'O', valued: 'bdtnP', long: namesIn('output-file') },
  time: { letters: 'o', valued: 'f', long: namesIn('output') },
  cp: { letters: 't', long: namesIn('target-directory') },
  mv: { letters: 't', long: namesIn('target-directory') },
  ln: { letters: 't', long: namesIn('target-directory') },
  install: { letters: 't', valued: 'mgo', long: namesIn('target-directory') },
  go: {
    letters: '',
    single: /^--?(?:o|outputdir|(?:block|cpu|cover|mem|mutex)profile|trace|test\.[a-z]*profile)$/,
  },
})
const compiler = /^(?:[a-z0-9_-]*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?|ld|as|ar)$/
const compilers: Outputs = { letters: 'o', single: /^-M[FD]$|^-aux-info$|^-dump(?:base|dir)$/ }
/** Of any other program. What looks like one need not be: what nobody can tell is not refused. */
const usual: Outputs = {
  letters: '',
  single: /^-[oO]$/,
  long: namesIn(
    'out outfile out-file output output-file output-document output-dir output-directory outdir out-dir dest destination target-directory',
  ),
}

/** Are the options of the program known, so that an output is one for sure? */
export const knowsOutputs = (name: string): boolean =>
  name !== 'tar' && name !== 'unzip' && (outputs.has(name) || compiler.test(name))

/** The words, or parts of them, that say where the program writes. */
export function outputsOf(name: string, all: readonly Word[]): readonly Word[] {
  const known = compiler.test(name) ? compilers : (outputs.get(name) ?? usual)
  const found = all.flatMap((word, at): readonly Word[] => {
    const next = all[at + 1]
    return at === 0 ? [] : valueOf(known, word, next)
  })
  return [
    ...found.map((word) => withNumbers(name, word)),
    ...(name === 'curl' ? all.flatMap(writtenOut) : []),
    ...oldStyle(name, all),
    ...ofGit(name, all),
    ...byAddress(name, all),
  ]
}

function valueOf(known: Outputs, word: Word, next: Word | undefined): readonly Word[] {
  const { letters, valued = '', long = [], single } = known
  const { text } = word
  const then = next === undefined ? [] : [next]
  const equals = text.indexOf('=')
  const name = equals > 0 ? text.slice(0, equals) : text
  // Some programs take long names with one dash: `tsc -outDir x`.
  const isLong = known === usual && /^-[a-zA-Z]{3}/.test(name)
  const told = (isLong ? `-${name}` : name).toLowerCase()
  if (single?.test(name) === true || abbreviates(told, long))
    return equals > 0 ? [after(word, equals + 1)] : then
  if (single !== undefined && /^-(?:MF.|[oO][^=].*\/)/.test(text))
    return [after(word, text.startsWith('-MF') ? 3 : 2)]
  if (!/^-[a-zA-Z]/.test(text)) return []
  for (let at = 1; at < text.length; at += 1) {
    const letter = text.charAt(at)
    if (letters.includes(letter)) return at + 1 < text.length ? [after(word, at + 1)] : then
    if (valued.includes(letter)) return []
  }
  return []
}

/** `tar czf x.tar`: letters without a dash take the words behind them, one after the other. */
function oldStyle(name: string, all: readonly Word[]): readonly Word[] {
  const first = all[1]
  if (name !== 'tar' || first === undefined || first.text.startsWith('-')) return []
  const takes = first.text.split('').filter((letter) => /[bCfFgHIKLNTVX]/.test(letter))
  return takes.flatMap((letter, n) => {
    const value = all[n + 2]
    return value !== undefined && (letter === 'C' || letter === 'f') ? [value] : []
  })
}

/** Folders that git makes, and files it moves. */
function ofGit(name: string, all: readonly Word[]): readonly Word[] {
  if (name !== 'git') return []
  const operands = all.slice(2).filter(({ text }) => !text.startsWith('-'))
  const order = all[1]?.text ?? ''
  if (order === 'init' || order === 'clone') return operands
  if (order === 'worktree') return operands.slice(1)
  return order === 'mv' ? operands : []
}

/**
 * `curl -O` and `wget` name the file as the address does, without what stands behind `?` and `#` or with it. curl expands braces
 * and brackets in an address by itself.
 */
function byAddress(name: string, all: readonly Word[]): readonly Word[] {
  const isNamed = all.some(({ text }) => /^-[a-zA-Z]*O|^--remote-name/.test(text))
  if (name !== 'wget' && !(name === 'curl' && isNamed)) return []
  return all.slice(1).flatMap((word) => {
    if (!word.text.includes('/') || /^-(?!-url=)/.test(word.text)) return []
    const spelt = name === 'curl' ? { ...word, braces: true } : word
    const { exact } = word
    const end = exact.search(/[?#]/)
    const cut = end < 0 ? [] : [lastOf(spelt, exact.slice(0, end))]
    return [lastOf(spelt, exact), ...cut]
  })
}

const lastOf = (word: Word, exact: string): Word =>
  wordOf(exact.slice(exact.lastIndexOf('/') + 1), word)

/** The words that a compiler hands on to the programs it runs, and every value behind `=`: one of them may be a file that is written. */
export function handedOn(name: string, all: readonly Word[]): readonly Word[] {
  if (!compiler.test(name)) return []
  return all.slice(1).flatMap((word, at) => {
    const { exact } = word
    const isHanded = /^-X(?:linker|assembler|preprocessor)$/.test(all[at]?.text ?? '')
    const told = /^-W[lap],/.test(exact) ? exact.split(',').slice(1) : isHanded ? [exact] : []
    const values = [...told, exact].flatMap((each) =>
      each.startsWith('-') && each.includes('=') ? [each.slice(each.indexOf('=') + 1)] : [],
    )
    const glued = told.flatMap((each) => (/^-o./.test(each) ? [each.slice(2)] : []))
    return [...told, ...values, ...glued].map((text) => wordOf(text, word))
  })
}

/** `curl -w '%output{file}…'` writes what follows to the file. */
const writtenOut = (word: Word): readonly Word[] =>
  Array.from(word.exact.matchAll(/%output\{>{0,2}([^}]{1,300})\}/g), ([, name = '']) =>
    wordOf(name, word),
  )

/** Values of options whose names say that they leave something out, and programs that only look for names. */
const looksOnly = /^--?(?:exclude|ignore|include|glob|filter|skip|omit)/
const lookers = new Set(['du', 'egrep', 'fgrep', 'find', 'git', 'grep', 'ls', 'rg', 'tar', 'tree'])

/** Every value of an option of a program whose options are not known. */
export function valuesIn(name: string, all: readonly Word[]): readonly Word[] {
  if (knowsOutputs(name) || lookers.has(name)) return []
  return all.slice(1).flatMap((word, n) => {
    const before = all[n]?.text ?? ''
    const equals = word.exact.indexOf('=')
    // A pattern is no file that is written.
    if (looksOnly.test(word.text) || /[*?[]/.test(word.text)) return []
    if (equals > 0) return [wordOf(word.exact.slice(equals + 1), word)]
    return /^--[a-z]/.test(before) && !before.includes('=') && !looksOnly.test(before) ? [word] : []
  })
}

/** In names that curl writes, `#1` stands for what a part of the address came to. */
const withNumbers = (name: string, word: Word): Word =>
  name !== 'curl' || !/#\d/.test(word.exact)
    ? word
    : {
        ...word,
        text: word.text.replaceAll(/#\d+/g, '*'),
        exact: word.exact.replaceAll(/#\d+/g, '*'),
      }
