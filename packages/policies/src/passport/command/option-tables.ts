/**
 * Options and operands by which a program runs another one, or is told by which configuration to work.
 *
 * T1 A letter steers wherever it stands in a cluster of letters. A letter that is not known is taken for a flag, so that
 *    the letters behind it are looked at; only known letters with a value end a cluster.
 */

/** The options and operands that steer a program. */
export interface ProgramSteering {
  /** Letters of options, and letters that take the rest of the word, or the next one, as their value. */
  readonly letters?: string
  readonly valued?: string
  /** Words of other shapes, and the only shapes that options may have. */
  readonly short?: RegExp
  readonly only?: RegExp
  /** Long options, which may be abbreviated. */
  readonly long?: readonly string[]
  /** Do operands steer, too, as assignments, addresses or commands do? */
  readonly operands?: boolean
  /** Do words behind `--` still count? */
  readonly endless?: boolean
}

export const namesIn = (text: string): readonly string[] => text.split(' ')
/** Rows by the names of their programs: a map, as a program may have the name of what every object has. */
export const tableOf = <Row>(rows: Readonly<Record<string, Row>>): ReadonlyMap<string, Row> =>
  new Map(Object.entries(rows))

const packages: ProgramSteering = {
  short: /^-(?:C|-*reg)/,
  long: namesIn(
    'script-shell shell node-options userconfig globalconfig prefix init-module git editor viewer browser onload-script registry',
  ),
  operands: true,
}
const sed: ProgramSteering = {
  only: /^(?:-[nErsuz]*(?:i[\w.~-]*|[el].*)?|--|--(?:quiet|silent|expression|regexp-extended|in-place|line-length|separate|unbuffered|null-data|zero-terminated|posix|debug|sandbox|follow-symlinks|version|help)(?:=[^/*]*)?|--expression=.*)$/s,
  valued: 'el',
  long: namesIn('file'),
}
const awk: ProgramSteering = {
  only: /^(?:-[vFe].*|-[VhSn]|--|--(?:assign|field-separator|source|csv|version|help|sandbox|re-interval)(?:=.*)?)$/s,
  valued: 'vFe',
  long: namesIn('load file include exec'),
}
const vi: ProgramSteering = { short: /^(?:-[cSuUsWw]|--cmd|[+])/, operands: true }

const table = tableOf<ProgramSteering>({
  find: { short: /^-(?:fprint|fprint0|fprintf|fls|files0-from)$/, endless: true },
  sort: { valued: 'kStTo', long: namesIn('compress-program files0-from') },
  tar: {
    letters: 'FI',
    valued: 'bCfgHKLNTVX',
    long: namesIn(
      'checkpoint-action to-command use-compress-program rsh-command rmt-command info-script new-volume-script',
    ),
  },
  rg: { short: /^--(?:pre|hostname-bin)(?:=|$)/, valued: 'efgtTABCmMrEdj' },
  rsync: { letters: 'e', valued: 'fMTB', long: namesIn('rsh rsync-path') },
  ssh: { letters: 'oFSEI', valued: 'BbcDeiJLlmOPpQRWw', operands: true, endless: true },
  scp: { letters: 'oFSD', valued: 'ciJlPX' },
  sftp: { letters: 'oFSDb', valued: 'BciJlPRX' },
  curl: {
    letters: 'KxJ',
    valued: 'AbcCdDeEFhHmoPQrtTuUwXyYz',
    long: namesIn(
      'config proxy preproxy engine output-dir netrc-file unix-socket abstract-unix-socket remote-header-name',
    ),
  },
  wget: { letters: 'e', valued: 'OoaPtTwQUlARDIXiB', long: namesIn('config use-askpass execute') },
  zip: { short: /^-[^-]*TT/, valued: 'btnxiPO', long: namesIn('unzip-command') },
  split: { valued: 'abClnt', long: namesIn('filter') },
  install: { valued: 'mgoSt', long: namesIn('strip-program') },
  less: {
    short: /^[+](?!(?:[gGF]|\d+)$)/,
    letters: 'kKoO',
    valued: 'bhjpPtTxyzD',
    long: namesIn('lesskey-file lesskey-src lesskey-content'),
    operands: true,
  },
  man: { letters: 'PHC', valued: 'MmSseELprR', long: namesIn('pager html config-file') },
  npm: packages,
  npx: {
    short: /^-c/,
    long: namesIn('call script-shell shell node-options userconfig'),
    operands: true,
  },
  yarn: { short: /^--(?:use-yarnrc|script-shell|cwd)(?:=|$)/, operands: true },
  pnpm: {
    short: /^(?:--script-shell|--shell-emulator|--dir|-C|--config\.[a-z-]+)(?:=|$)/,
    operands: true,
  },
  pip: {
    letters: 'if',
    valued: 'rcet',
    long: namesIn(
      'config-settings global-option build-option python index-url extra-index-url find-links trusted-host',
    ),
    operands: true,
  },
  make: {
    // `-C folder` is `cd folder`; `V=1` is no program.
    short:
      /^-C.|^-[^-CjloW]+C|^(?!-)(?!\w+=(?:v?\d[\w.-]*|true|false|yes|no|on|off)$|(?:C|CXX|CPP|LD)FLAGS=-(?:O[0-3sg]?|g\d?|W[a-z-]+)$)[^]*(?:[=$(\s]|$(?<=define))/,
    letters: 'fIE',
    valued: 'jloWC',
    long: namesIn('file makefile directory eval include-dir'),
    operands: true,
    endless: true,
  },
  cargo: { short: /^[+]|^-[ZC]/, long: namesIn('config manifest-path'), operands: true },
  go: {
    short:
      /^--?(?:toolexec|exec|overlay|modfile|ldflags|gcflags|asmflags|gccgoflags|vettool)(?:=|$)/,
    operands: true,
    endless: true,
  },
  vim: vi,
  vi: vi,
  sed: sed,
  gsed: sed,
})

const compiler = /^[a-z0-9_-]*(?:gcc|g\+\+|cc|c\+\+|clang|clang\+\+)(?:-\d+)?$/
const compilers: ProgramSteering = {
  short:
    /^-(?:wrapper|fplugin|specs|B|fuse-ld|Xclang|load|dumpdir|plugin)|^--(?:specs|config|sysroot)|^@|^-Wl,.*(?:plugin|@|dynamic-linker|script)/,
  operands: true,
  endless: true,
}

const gitLong = namesIn(
  'config config-env exec-path git-dir work-tree upload-pack receive-pack template ext-diff textconv exec extcmd tool open-files-in-pager separate-git-dir super-prefix',
)
/** An option behind which stands what git runs, or an address that names a program. */
const gitShort = /^-c[^=]+=|^-O.|^[a-z][a-z0-9+-]*::|^[a-z][a-z0-9+.-]*:\/\/(?:[^/@]*@)?-/
const gitLetters = tableOf<ProgramSteering>({
  clone: { letters: 'uc', valued: 'obj' },
  grep: { letters: 'O', valued: 'efABCm' },
  rebase: { letters: 'xs', valued: 'XCS' },
  merge: { letters: 's', valued: 'mFXS' },
  pull: { letters: 's', valued: 'jXSo' },
  push: { valued: 'o' },
  log: { valued: 'nSGLUO' },
  show: { valued: 'nSGLUO' },
  diff: { valued: 'nSGLUO' },
})

/** Programs that are told by an option where to put things, and nothing else that steers. */
const placing = tableOf<ProgramSteering>({
  cp: { valued: 'S' },
  mv: { valued: 'S' },
  ln: { valued: 'S' },
  tee: {},
  tree: { valued: 'IPL' },
  uniq: { valued: 'fsw' },
  unzip: { valued: 'dx' },
})

export const isAwk = (program: string): boolean => /^[gmn]?awk$/.test(program)
export const isSed = (program: string): boolean => /^g?sed$/.test(program)

/** One name for programs that are the same. */
export function programOf(name: string): string {
  if (/^pip\d/.test(name)) return 'pip'
  if (name === 'gmake') return 'make'
  return name === 'gtar' ? 'tar' : name
}

/** The options and operands that steer a program; of git, with a command. */
export function steeringOf(program: string, gitCommand: string): ProgramSteering | undefined {
  if (program === 'git')
    return { short: gitShort, long: gitLong, operands: true, ...gitLetters.get(gitCommand) }
  if (compiler.test(program)) return compilers
  return isAwk(program) ? awk : table.get(program)
}

/** The same of programs whose options only say where to put things. */
export const placingOf = (program: string): ProgramSteering | undefined => placing.get(program)

/** Whole names of options that are the beginning of another. */
const whole = new Set(['--checkpoint', '--file', '--global', '--text', '--config', '--in', '--to'])

/** Programs take any beginning of a long option that is the beginning of no other. */
export function abbreviates(text: string, long: readonly string[]): boolean {
  const [name = ''] = text.split('=', 1)
  if (!/^--[a-z]/.test(name)) return false
  const isWhole = long.includes(name.slice(2))
  return isWhole || (!whole.has(name) && long.some((each) => each.startsWith(name.slice(2))))
}

/** Does a word steer by itself? */
export function steers(steering: ProgramSteering, text: string): boolean {
  const { short, only, long = [] } = steering
  if (short?.test(text) === true || abbreviates(text, long)) return true
  if (only !== undefined && /^-./.test(text) && !only.test(text)) return true
  return letterIn(steering, text)
}

function letterIn({ letters = '', valued = '' }: ProgramSteering, text: string): boolean {
  // A strategy in a word of its own is judged by its name.
  if (!/^-[^-]/.test(text) || text === '-s') return false
  for (const letter of text.slice(1)) {
    if (letters.includes(letter)) return true
    if (valued.includes(letter) || !/[A-Za-z0-9#@]/.test(letter)) return false
  }
  return false
}

/** Does the word end in an option that takes the next word as its value? */
export function takesNext({ valued = '' }: ProgramSteering, text: string): boolean {
  if (!/^-[A-Za-z]/.test(text)) return false
  const at = text.split('').findIndex((letter, n) => n > 0 && valued.includes(letter))
  return at === text.length - 1
}
