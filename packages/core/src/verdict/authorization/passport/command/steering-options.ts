/**
 * Arguments by which an allowed program runs another one, or is told by which configuration to work. An entry of the list of
 * allowed commands that says the argument itself allows it: `git config` does, `git` does not.
 */
import { allowsWord } from './allowed-commands.ts'
import type { Executable } from './executables.ts'
import { isPlain, type Word } from './script.ts'

/** By program: options, and words that are commands of the program. */
const steering: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:--config|--config-env|--exec-path|--git-dir|--work-tree|--upload-pack|--receive-pack|--template|--ext-diff|--textconv|--exec|--extcmd|--tool|--open-files-in-pager|--separate-git-dir|--super-prefix)(?:=|$)|^-c[^=]+=|^-O.|^-x.|^ext::/,
  ],
  ['find', /^-(?:fprint|fprint0|fprintf|fls|files0-from)$/],
  ['sort', /^--(?:compress-program|files0-from)/],
  [
    'tar',
    /^--(?:checkpoint-action|to-command|use-compress-program|rsh-command|rmt-command|info-script|new-volume-script)|^-I/,
  ],
  ['rg', /^--(?:pre|hostname-bin)(?:=|$)/],
  ['rsync', /^(?:-e|--rsh|--rsync-path)(?:=|$)|^-[a-zA-Z]*e$/],
  ['ssh', /^-[oFSEI]|^-[a-zA-Z]*[oF]$/],
  ['scp', /^-[oFSD]/],
  ['sftp', /^-[oFSDb]/],
  ['curl', /^(?:-K|--config|--proxy|-x|--engine|--output-dir|--netrc-file)/],
  ['wget', /^--(?:config|use-askpass|execute)|^-[a-zA-Z]*e$/],
  ['zip', /^(?:-TT|--unzip-command)/],
  ['split', /^--filter/],
  ['install', /^--strip-program/],
  ['less', /^[+]|^-[kKoO]|^--lesskey/],
  ['man', /^(?:-[PHC]|--pager|--html|--config-file)/],
  [
    'npm',
    /^--?(?:script-shell|shell|node-options|userconfig|globalconfig|prefix|init-module|git|editor|viewer|browser|onload-script|registry)(?:=|$)|^-C/,
  ],
  ['npx', /^(?:-c|--call|--script-shell|--shell|--node-options|--userconfig)(?:=|$)/],
  ['yarn', /^(?:--use-yarnrc|--script-shell|--cwd)(?:=|$)/],
  ['pnpm', /^(?:--script-shell|--shell-emulator|--dir|-C|--config\.[a-z-]+)(?:=|$)/],
  ['pip', /^--(?:config-settings|global-option|build-option|python|index-url|extra-index-url)/],
  [
    'make',
    /^(?:-f|-C|-I|--file|--makefile|--directory|--eval|--include-dir)|^[A-Za-z_][A-Za-z0-9_.]*[:+?!]*=/,
  ],
  ['cargo', /^(?:--config|-Z|--manifest-path)/],
  ['go', /^-(?:toolexec|exec|overlay|modfile|ldflags|gcflags|asmflags|gccgoflags)(?:=|$)/],
  ['vim', /^(?:-[cSuUsWw]|--cmd|\+)/],
  ['vi', /^(?:-[cSuUsWw]|--cmd|\+)/],
  ['tree', /^-o/],
])
const compiler = /^[a-z0-9_-]*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?$/
const compiling =
  /^-(?:wrapper|fplugin|specs|B|fuse-ld|Xclang|load|dumpdir|plugin)|^--(?:specs|config|sysroot)|^@/

/** Words after the program that run a text, or write what later commands obey. */
const orders: ReadonlyMap<string, RegExp> = new Map([
  [
    'git',
    /^(?:config (?!--get|--list|-l\b|get\b|list\b)|bisect run|submodule foreach|difftool|mergetool|daemon|web--browse|instaweb|credential|send-email|filter-branch|rebase (?:.* )?-x\b)/,
  ],
  [
    'npm',
    /^(?:set|config (?:set|edit|delete)|c set|pkg set|set-script|edit|explore|exec .*(?:-c|--call)\b|x .*(?:-c|--call)\b)/,
  ],
  ['yarn', /^(?:config set|exec|node -e)/],
  ['pnpm', /^(?:config set|set|exec -c|pkg set)/],
  ['pip', /^config (?:set|edit)/],
  ['cargo', /^(?:install|login)/],
  ['go', /^env -w/],
])

/** The argument by which a program runs or obeys something else, and which no entry allows; null if there is none. */
export function steeringOption(
  executables: readonly Executable[],
  entries: readonly string[],
): string | null {
  if (entries.includes('*')) return null
  for (const executable of executables) {
    const found = optionOf(executable)
    if (found !== null && !allowsWord(executable, found, entries))
      return executable.words[found]?.text ?? ''
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
  const pattern = compiler.test(program) ? compiling : steering.get(program)
  const end = words.findIndex(({ text }, at) => at > 0 && text === '--')
  const told = end < 0 ? words : words.slice(0, end)
  const at = told.findIndex(
    (word, n) => n > 0 && (pattern?.test(word.text) === true || setsConfig(program, told, n)),
  )
  if (at > 0 && !isValueOfMessage(program, told[at - 1]?.text ?? '')) return at
  const rest = words.slice(1).map(({ text }) => text)
  const order = orders.get(program)?.exec(rest.join(' '))?.[0]
  if (order !== undefined) return order.trim().split(' ').length
  return readsScript(program) ? scriptAt({ words }) : null
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

const readsScript = (program: string): boolean => /^(?:g?sed|[gmn]?awk)$/.test(program)

/** Where a script of sed or awk runs a program or writes a file. */
function scriptAt({ words }: Pick<Executable, 'words'>): number | null {
  const isAwk = words[0]?.text.endsWith('awk') === true
  const at = words.findIndex(
    (word, n) => n > 0 && isPlain(word) && (isAwk ? awkRuns(word.text) : sedRuns(word.text)),
  )
  return at < 0 ? null : at
}

const awkRuns = (text: string): boolean =>
  /\bsystem\s*\(|\|\s*getline|\|&|\|\s*["A-Za-z]|>\s*["A-Za-z(]|^@load|^-[lfiE]|^--(?:load|file|include)/.test(
    text.replaceAll('||', ''),
  )

function sedRuns(text: string): boolean {
  if (/(?:^|[;\n}])\s*(?:[0-9]+|\$)?(?:,(?:[0-9]+|\$))?\s*!?\s*[eEwW](?:\s|$)/.test(text))
    return true
  const address = /^(?:[0-9]+|\$)?(?:,(?:[0-9]+|\$))?\s*/.exec(text)?.[0].length ?? 0
  if (text.charAt(address) !== 's') return false
  const mark = text.charAt(address + 1)
  let seen = 0
  for (let at = address + 1; at < text.length; at += 1) {
    if (text.charAt(at) === '\\') at += 1
    else if (text.charAt(at) === mark) seen += 1
    if (seen === 3) return /^[0-9a-zA-Z]*[ew]/.test(text.slice(at + 1))
  }
  return false
}
