/**
 * Arguments by which an allowed program runs another one, or is told by which configuration to work. An entry of the list of
 * allowed commands that says the argument itself allows it: `git config` does, `git` does not.
 */
import { allowsWord } from './allowed-commands.ts'
import { awkRuns } from './awk-script.ts'
import type { Doings, Executable } from './doings.ts'
import { givesAnyText } from './free-text.ts'
import { sedRuns } from './sed-script.ts'
import { after, expansionEnd, expansionStart, type Word } from './script.ts'

/** What steers a program: short options and operands, and long options, which may be abbreviated. */
interface Steering {
  readonly short?: RegExp
  readonly long?: readonly string[]
}

const namesIn = (text: string): readonly string[] => text.split(' ')
const packages = {
  short: /^-C/,
  long: namesIn(
    'script-shell shell node-options userconfig globalconfig prefix init-module git editor viewer browser onload-script registry',
  ),
}

const steering: ReadonlyMap<string, Steering> = new Map<string, Steering>([
  [
    'git',
    {
      short: /^-c[^=]+=|^-O.|^-x.|^[a-z][a-z0-9+-]*::|^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?-/,
      long: namesIn(
        'config config-env exec-path git-dir work-tree upload-pack receive-pack template ext-diff textconv exec extcmd tool open-files-in-pager separate-git-dir super-prefix',
      ),
    },
  ],
  ['find', { short: /^-(?:fprint|fprint0|fprintf|fls|files0-from)$/ }],
  ['sort', { long: namesIn('compress-program files0-from') }],
  [
    'tar',
    {
      short: /^-[a-zA-Z]*[FI]/,
      long: namesIn(
        'checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script',
      ),
    },
  ],
  ['rg', { short: /^--(?:pre|hostname-bin)(?:=|$)/ }],
  ['rsync', { short: /^-[a-zA-Z]*e(?:=|$)/, long: namesIn('rsh rsync-path') }],
  ['ssh', { short: /^-[oFSEI]|^-[a-zA-Z]*[oF]$/ }],
  ['scp', { short: /^-[oFSD]/ }],
  ['sftp', { short: /^-[oFSDb]/ }],
  [
    'curl',
    {
      short: /^-[a-zA-Z]*[KxJ]$|^-[KxJ]/,
      long: namesIn(
        'config proxy preproxy engine output-dir netrc-file unix-socket abstract-unix-socket remote-header-name',
      ),
    },
  ],
  ['wget', { short: /^-[a-zA-Z]*e$/, long: namesIn('config use-askpass execute') }],
  ['zip', { short: /^-TT/, long: namesIn('unzip-command') }],
  ['split', { long: namesIn('filter') }],
  ['install', { long: namesIn('strip-program') }],
  [
    'less',
    {
      short: /^[+](?!(?:[gGF]|\d+)$)|^-[kKoO]/,
      long: namesIn('lesskey-file lesskey-src lesskey-content'),
    },
  ],
  ['man', { short: /^-[PHC]/, long: namesIn('pager html config-file') }],
  ['npm', packages],
  ['npx', { short: /^-c/, long: namesIn('call script-shell shell node-options userconfig') }],
  ['yarn', { short: /^--(?:use-yarnrc|script-shell|cwd)(?:=|$)/ }],
  ['pnpm', { short: /^(?:--script-shell|--shell-emulator|--dir|-C|--config\.[a-z-]+)(?:=|$)/ }],
  [
    'pip',
    {
      long: namesIn('config-settings global-option build-option python index-url extra-index-url'),
    },
  ],
  [
    'make',
    {
      // `-C folder` is `cd folder`; `V=1` is no program.
      short:
        /^-[fI]|^-C.|^[A-Za-z_.][A-Za-z0-9_.]*(?:[:+?!]+=|=(?!\d[\w.-]*$|(?:true|false|yes|no|on|off)$))/,
      long: namesIn('file makefile directory eval include-dir'),
    },
  ],
  ['cargo', { short: /^[+]|^-Z/, long: namesIn('config manifest-path') }],
  [
    'go',
    {
      short:
        /^--?(?:toolexec|exec|overlay|modfile|ldflags|gcflags|asmflags|gccgoflags|vettool)(?:=|$)/,
    },
  ],
  ['vim', { short: /^(?:-[cSuUsWw]|--cmd|[+])/ }],
  ['vi', { short: /^(?:-[cSuUsWw]|--cmd|[+])/ }],
  ['sed', { short: /^-[a-zA-Z]*f/, long: namesIn('file') }],
  ['gsed', { short: /^-[a-zA-Z]*f/, long: namesIn('file') }],
])
const awkSteering: Steering = { short: /^-[lfiE]/, long: namesIn('load file include exec') }
const compiler = /^[a-z0-9_-]*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?$/
const compilers: Steering = {
  short:
    /^-(?:wrapper|fplugin|specs|B|fuse-ld|Xclang|load|dumpdir|plugin)|^--(?:specs|config|sysroot)|^@|^-Wl,.*(?:plugin|@|dynamic-linker|script)/,
}
/** Whole names of options that are the beginning of another. */
const whole = new Set(['--checkpoint', '--file', '--global', '--text', '--config', '--in', '--to'])

const steeringOf = (program: string): Steering | undefined =>
  compiler.test(program) ? compilers : isAwk(program) ? awkSteering : steering.get(program)

/** Programs take any beginning of a long option that is the beginning of no other. */
export function abbreviates(text: string, long: readonly string[]): boolean {
  const [name = ''] = text.split('=', 1)
  if (!/^--[a-z]/.test(name)) return false
  const isWhole = long.includes(name.slice(2))
  return isWhole || (!whole.has(name) && long.some((each) => each.startsWith(name.slice(2))))
}

const steers = ({ short, long = [] }: Steering, text: string): boolean =>
  short?.test(text) === true || abbreviates(text, long)

/** Words after the program that run a text, or write what later commands obey. */
const orders: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:clone (?:.* )?-u\b|(?:merge|pull|rebase) (?:.* )?(?:-s |--strategy[= ])(?!(?:ort|recursive|resolve|octopus|ours|subtree)\b)\S|config (?!--get|--list|-l\b|get\b|list\b)|bisect run|submodule foreach|difftool|mergetool|daemon|web--browse|instaweb|credential|send-email|filter-branch|rebase (?:.* )?-x\b)/,
  ],
  [
    'npm',
    /^(?:set|config (?:set|edit|delete)|c set|pkg set|set-script|edit|explore|(?:.* )?(?:exec|x)\b|(?:init|innit|create) (?:-\S+ )*[^-\s])/,
  ],
  ['yarn', /^(?:config set|exec|node -e)/],
  ['pnpm', /^(?:config set|set|exec -c|pkg set)/],
  ['pip', /^config (?:set|edit)/],
  ['cargo', /^(?:install|login)/],
  ['go', /^(?:env -w|run (?:-\S+ )*(?:\S*@|[^\s./]+\.[a-z]+\/))/],
])

/** The argument by which a program runs or obeys something else, and which no entry allows; null if there is none. */
export function steeringOption(
  { executables, variables }: Doings,
  entries: readonly string[],
): string | null {
  if (entries.includes('*')) return null
  for (const executable of executables) {
    const found = optionOf(executable) ?? hiddenOption(executable, variables)
    if (found !== null && !allowsWord(executable, found, entries))
      return executable.words[found]?.text ?? 'that comes at run time'
  }
  return null
}

/** The index of such an argument. */
function optionOf({ name, words }: Executable): number | null {
  const program = /^pip\d/.test(name)
    ? 'pip'
    : name === 'gmake'
      ? 'make'
      : name === 'gtar'
        ? 'tar'
        : name
  const pattern = steeringOf(program)
  const end = words.findIndex(({ text }, at) => at > 0 && text === '--')
  const told = end < 0 ? words : words.slice(0, end)
  const at = told.findIndex(
    (word, n) =>
      n > 0 &&
      ((pattern !== undefined && steers(pattern, word.text)) ||
        setsConfig(program, told, n) ||
        readsOptions(program, told, n)),
  )
  if (at > 0 && !isValueOfMessage(program, told[at - 1]?.text ?? '')) return at
  const rest = words.slice(1).map(({ text }) => text)
  const order = orders.get(program)?.exec(rest.join(' '))?.[0]
  if (order !== undefined) return order.trim().split(' ').length
  return isAwk(program) || isSed(program) ? scriptAt(program, words) : null
}

/** Commands of git whose options run programs. Of the others, what comes at run time is a name. */
const runningGit = new Set(['clone', 'fetch', 'grep', 'ls-remote', 'pull', 'push', 'rebase'])

/** The index of a word that could be such an argument, or the last one if words come at run time that could. */
function hiddenOption(
  { name, words, hasMore, anyMore }: Executable,
  variables: Doings['variables'],
): number | null {
  const steered = steeringOf(name)
  if (steered === undefined || (name === 'git' && !runningGit.has(words[1]?.text ?? '')))
    return null
  if (hasMore && anyMore && words.at(-1)?.text !== '--') return words.length
  const end = words.findIndex(({ text }) => text === '--')
  const told = end < 0 ? words : words.slice(0, end)
  const at = told.findIndex(
    (word, n) => n > 0 && word.exact.startsWith(expansionStart) && couldSteer(word),
  )
  return at < 0 ? null : at

  function couldSteer(word: Word): boolean {
    if (word.substitutions.some(givesAnyText)) return true
    const variable = word.exact.slice(1, word.exact.indexOf(expansionEnd))
    return variables.some(
      (each) =>
        each.name === variable &&
        (each.isAnyText || (each.text !== null && steers(steered ?? {}, each.text))),
    )
  }
}

/** `git -c name=value`, and the same behind `clone`; `git switch -c name` has another meaning. */
const setsConfig = (program: string, words: readonly Word[], at: number): boolean => {
  const next = words[at + 1]
  const isOption = program === 'git' && words[at]?.text === '-c' && next !== undefined
  return isOption && (at === 1 || next.text.includes('=') || next.expands)
}

/** `git commit -m "-c is an option"`: a text, not an option. */
const isValueOfMessage = (program: string, before: string): boolean =>
  program === 'git' && /^(?:-m|--message|--grep|--author|-S|-G)$/.test(before)

/** A list of files of tar may hold options, unless it is said to hold names only. */
const readsOptions = (program: string, words: readonly Word[], at: number): boolean =>
  program === 'tar' &&
  (/^-[a-zA-Z]*T/.test(words[at]?.text ?? '') ||
    abbreviates(words[at]?.text ?? '', ['files-from'])) &&
  !words.some(({ text }) => /^--(?:null|verbatim-files-from)$/.test(text))

const isAwk = (program: string): boolean => /^[gmn]?awk$/.test(program)
const isSed = (program: string): boolean => /^g?sed$/.test(program)

/** Where a script of sed or awk runs a program or writes a file. */
function scriptAt(name: string, words: readonly Word[]): number | null {
  const runs = isAwk(name) ? awkRuns : sedRuns
  const at = scriptsOf(name, words).find(({ word }) => runs(shownAs(word)))?.at
  return at ?? null
}

/** What an expansion puts into a script is not seen: it is taken for a letter. */
const shownAs = ({ exact }: Word): string => exact.replaceAll(expansions, 'x')
const expansions = new RegExp(`${expansionStart}[^${expansionEnd}]*${expansionEnd}`, 'g')

/** The scripts among the words: behind `-e`, else the first operand. */
function scriptsOf(
  name: string,
  words: readonly Word[],
): readonly { readonly word: Word; readonly at: number }[] {
  const long = isAwk(name) ? 'source' : 'expression'
  const named = words.flatMap((word, at) => {
    const next = words[at + 1]
    const equals = word.text.indexOf('=')
    if (abbreviates(word.text, [long]))
      return equals > 0 ? [{ word: after(word, equals + 1), at }] : next ? [{ word: next, at }] : []
    const letters = /^-[a-zA-Z]*e/.exec(word.text)?.[0].length
    if (at === 0 || letters === undefined) return []
    if (word.text.length > letters) return [{ word: after(word, letters), at }]
    return next === undefined ? [] : [{ word: next, at }]
  })
  if (named.length > 0) return named
  const valued = isAwk(name) ? /^-[vF]$|^--(?:assign|field-separator)$/ : /^-l$|^--line-length$/
  const first = words.findIndex(
    ({ text }, at) => at > 0 && !/^-./.test(text) && !valued.test(words[at - 1]?.text ?? ''),
  )
  const word = words[first]
  return word === undefined ? [] : [{ word, at: first }]
}
