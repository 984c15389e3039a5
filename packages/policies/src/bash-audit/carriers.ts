/**
 * Programs that run another program, or a text, besides those that passports look through: what they are given to run.
 *
 * C1 An option that is not known is taken for one without a value: what stands behind it is read as the program. Nothing is refused for
 *    that alone.
 */
import { isPlain, type Word } from '../shell/script.ts'

interface Carrier {
  /** Letters of options with a value, and long options whose value is a word of its own. */
  readonly valued?: string
  readonly long?: readonly string[]
  /** Words of its own before the program. */
  readonly operands?: number
  /** Options whose value is a text for a shell; where there is one, there is no program. */
  readonly text?: RegExp
  /** Does it hand its words to a shell as one text? */
  readonly joins?: boolean
  /** Without a program, does it run a shell on its input? */
  readonly feeds?: boolean
}

const command = /^(?:-c|--(?:session-)?command)(?:$|=)/
const plain: Carrier = {}
const oneOperand: Carrier = { operands: 1 }

const carriers: ReadonlyMap<string, Carrier> = new Map<string, Carrier>([
  [
    'flock',
    { valued: 'wE', long: ['timeout', 'wait', 'conflict-exit-code'], operands: 1, text: command },
  ],
  ['watch', { valued: 'nq', long: ['interval', 'equexit'], joins: true }],
  ['script', { valued: 'EIOBTtm', text: command, operands: 99, feeds: true }],
  [
    'parallel',
    {
      valued: 'jIaNLdnS',
      long: [
        'jobs',
        'arg-file',
        'colsep',
        'delimiter',
        'max-args',
        'joblog',
        'results',
        'timeout',
        'retries',
      ],
      joins: true,
      feeds: true,
    },
  ],
  ['screen', { valued: 'cehpsST', operands: 0 }],
  ['sem', { valued: 'j', long: ['id', 'jobs'], joins: true }],
  [
    'unshare',
    {
      valued: 'RwSG',
      long: ['root', 'wd', 'setuid', 'setgid', 'propagation', 'setgroups'],
      feeds: true,
    },
  ],
  ['nsenter', { valued: 'tSG', long: ['target', 'setuid', 'setgid'], feeds: true }],
  ['strace', { valued: 'eopaEsuIObPSXU' }],
  ['ltrace', { valued: 'eolnaAsuDFpw' }],
  ['valgrind', plain],
  [
    'systemd-run',
    {
      valued: 'upEMHt',
      long: [
        'unit',
        'property',
        'setenv',
        'uid',
        'gid',
        'slice',
        'working-directory',
        'description',
        'on-calendar',
        'on-active',
      ],
    },
  ],
  [
    'setpriv',
    {
      long: [
        'reuid',
        'regid',
        'ruid',
        'euid',
        'rgid',
        'egid',
        'groups',
        'inh-caps',
        'ambient-caps',
        'bounding-set',
        'securebits',
        'pdeathsig',
        'selinux-label',
        'apparmor-profile',
      ],
    },
  ],
  [
    'start-stop-daemon',
    {
      valued: 'pnugcdrNTRs',
      long: ['pidfile', 'name', 'user', 'group', 'chuid', 'chdir', 'chroot', 'signal', 'retry'],
      text: /^(?:-[xa]|--(?:exec|startas))(?:$|=)/,
    },
  ],
  ['taskset', oneOperand],
  ['chrt', { valued: 'TPD', operands: 1 }],
  ['prlimit', { valued: 'o' }],
  ['setarch', plain],
  ['linux32', plain],
  ['linux64', plain],
  ['cgexec', { valued: 'g' }],
  ['choom', { valued: 'n', long: ['adjust'] }],
  [
    'numactl',
    { valued: 'NCmpi', long: ['cpunodebind', 'physcpubind', 'membind', 'interleave', 'preferred'] },
  ],
  ['chpst', { valued: 'ueb/nlLmdofprtcC' }],
  ['softlimit', { valued: 'adlmoprstcf' }],
  ['setlock', oneOperand],
  ['setuidgid', oneOperand],
  ['s6-setuidgid', oneOperand],
  ['envdir', oneOperand],
  ['gosu', oneOperand],
  ['su-exec', oneOperand],
  ['fakeroot', { valued: 'lisb', long: ['lib', 'faked'] }],
  ['faketime', { valued: 'f', operands: 1 }],
  ['firejail', plain],
  [
    'bwrap',
    {
      long: [
        'bind',
        'ro-bind',
        'dev',
        'proc',
        'tmpfs',
        'dir',
        'chdir',
        'setenv',
        'unsetenv',
        'uid',
        'gid',
        'hostname',
      ],
    },
  ],
  ['proot', { valued: 'rbqwvkl' }],
  ['xvfb-run', { valued: 'efnpsw', long: ['error-file', 'server-num', 'server-args'] }],
  ['dbus-run-session', { long: ['config-file', 'dbus-daemon'] }],
  ['dbus-launch', plain],
  ['ssh-agent', { valued: 'aEtP' }],
  ['unbuffer', plain],
  ['rlwrap', { valued: 'bcCDfHlpPqsS' }],
  ['chronic', plain],
  ['ifne', plain],
  ['entr', plain],
  ['catchsegv', plain],
  ['tini', { valued: 'pe' }],
  ['dumb-init', { valued: 'r' }],
  ['caffeinate', { valued: 'tw' }],
  ['eatmydata', plain],
  ['nocache', plain],
  ['torsocks', plain],
  ['torify', plain],
  ['proxychains', { valued: 'f' }],
  ['proxychains4', { valued: 'f' }],
  ['pkexec', { long: ['user'], feeds: true }],
  [
    'runuser',
    {
      valued: 'ugGswT',
      long: ['user', 'group', 'supp-group', 'shell'],
      text: command,
      feeds: true,
    },
  ],
  [
    'su',
    {
      valued: 'gGsw',
      long: ['group', 'supp-group', 'shell'],
      text: command,
      operands: 99,
      feeds: true,
    },
  ],
  ['sg', { text: command, operands: 1 }],
  ['newgrp', { operands: 1, feeds: true }],
  ['at', { operands: 99, feeds: true }],
  ['batch', { operands: 99, feeds: true }],
  ['perf', oneOperand],
  ['ccache', plain],
  ['direnv', { operands: 2 }],
  ['nix-shell', { valued: 'pIA', text: /^--(?:run|command)(?:$|=)/, operands: 99 }],
  ['expect', { text: /^-c$/, operands: 99 }],
])

/** Tools that run a program of a project: `poetry run`, `npm exec`. */
const runners: ReadonlyMap<string, readonly string[]> = new Map([
  ['uv', ['run']],
  ['poetry', ['run']],
  ['pipenv', ['run']],
  ['pdm', ['run']],
  ['hatch', ['run']],
  ['rye', ['run']],
  ['bundle', ['exec']],
  ['npm', ['exec', 'x']],
  ['pnpm', ['exec']],
  ['yarn', ['exec']],
])

/** The program that another one runs: the words from one on, a text for a shell, or the input. */
export type Carried =
  | { readonly kind: 'program'; readonly at: number }
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'input' }

/** The programs that a program is given to run; null if it is none that runs others. */
export function carriedBy(
  name: string,
  words: readonly Word[],
): Carried | readonly Carried[] | null {
  const order = runners.get(name)
  if (order !== undefined) return runBy(order, words)
  const carrier = carriers.get(name)
  if (carrier === undefined) return null
  const texts = carrier.text === undefined ? [] : textsBehind(carrier.text, words)
  if (texts.length > 0) return texts.map((text) => ({ kind: 'text', text }))
  const at = behindOptions(carrier, words)
  if (at >= words.length) return carrier.feeds === true ? { kind: 'input' } : []
  if (carrier.joins !== true) return { kind: 'program', at }
  const end = endOf(words, at)
  const own = words
    .slice(at, end)
    .map(({ text }) => text)
    .join(' ')
  const values = words.slice(end + 1)
  if (words[end]?.text === ':::' && values.length <= valuesMax && values.every(isSimple))
    return values.map(({ text }) => ({ kind: 'text', text: runWith(own, text) }))
  // The value that takes its place is as unknown as that of a variable that the script never sets.
  return {
    kind: 'text',
    text: name === 'parallel' ? runWith(own, '"$_"') : own.replaceAll('{}', '"$_"'),
  }
}

const valuesMax = 16

/** A text that stays one word, or by itself is a command. */
const isSimple = ({ text }: Word): boolean => !/^:::|["'\\$`]/.test(text)

const replaced = /\{[./#]{0,2}\}/g

/** The text that `parallel` runs for a value: the value replaces `{}`, or stands behind all. */
const runWith = (own: string, value: string): string =>
  own.search(replaced) < 0 ? `${own} ${value}` : own.replaceAll(replaced, () => value)

function runBy(orders: readonly string[], words: readonly Word[]): Carried | null {
  if (!orders.includes(words[1]?.text ?? '')) return null
  const at = words.findIndex((word, n) => n > 1 && !word.text.startsWith('-'))
  return at < 0 ? null : { kind: 'program', at }
}

/** The texts behind an option. Each is given the words behind `--`. */
function textsBehind(option: RegExp, words: readonly Word[]): readonly string[] {
  const end = words.findIndex(({ text }) => text === '--')
  const given =
    end < 0
      ? ''
      : words
          .slice(end + 1)
          .map(({ text }) => ` ${text}`)
          .join('')
  return words.flatMap(({ text }, at) => {
    if (at === 0 || !option.test(text)) return []
    const equals = text.startsWith('--') ? text.indexOf('=') : -1
    return [`${equals < 0 ? (words[at + 1]?.text ?? '') : text.slice(equals + 1)}${given}`]
  })
}

/** Of `parallel`, what stands behind `:::` is given to the program. */
function endOf(words: readonly Word[], from: number): number {
  const end = words.findIndex(({ text }, at) => at >= from && text.startsWith(':::'))
  return end < 0 ? words.length : end
}

function behindOptions(
  { valued = '', long = [], operands = 0 }: Carrier,
  words: readonly Word[],
): number {
  let at = 1
  for (; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined || !isPlain(word) || !/^-./.test(word.text)) break
    const { text } = word
    if (text === '--') {
      at += 1
      break
    }
    const letter = text.split('').findIndex((each, n) => n > 0 && valued.includes(each))
    if (text.startsWith('--') ? long.includes(text.slice(2)) : letter === text.length - 1) at += 1
  }
  at += operands
  return words[at]?.text === '--' ? at + 1 : at
}

/** Behind options that are not known: where the program may stand, the first word that is none and, if it may be a value, the next. */
export function guessedPrograms(words: readonly Word[]): readonly number[] {
  const at = words.findIndex(({ text }, n) => n > 0 && !/^-|^[A-Za-z_]\w*=/.test(text))
  if (at < 0) return []
  return at + 1 < words.length && words[at - 1]?.text.startsWith('-') ? [at, at + 1] : [at]
}
