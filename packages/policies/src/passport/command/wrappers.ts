/** Programs that run another program named in their own arguments, and where in them it stands. */
import { tableOf } from './option-tables.ts'
import { isPlain, type Word } from '../../shell/script.ts'

interface Wrapper {
  /** Letters of options without and with a value. */
  readonly flags?: string
  readonly valued?: string
  /** Long options without a value, and with one in a word of its own. Those with `=` need not be told apart. */
  readonly long?: readonly string[]
  readonly longValued?: readonly string[]
  /** Words of its own before the program. */
  readonly operands?: number
  /** May `NAME=value` stand before the program? */
  readonly assigns?: boolean
  /** Gives more rights: must be on the list itself. Others are looked through. */
  readonly listed?: boolean
}

const wrappers = tableOf<Wrapper>({
  env: {
    flags: 'i0v',
    valued: 'uC',
    long: ['ignore-environment', 'null', 'debug'],
    longValued: ['unset', 'chdir'],
    assigns: true,
  },
  nohup: {},
  setsid: { flags: 'cfw', long: ['ctty', 'fork', 'wait'] },
  nice: { flags: '0123456789', valued: 'n', longValued: ['adjustment'] },
  ionice: { flags: 't', valued: 'cn', longValued: ['class', 'classdata'] },
  timeout: {
    flags: 'v',
    valued: 'ks',
    long: ['foreground', 'preserve-status', 'verbose'],
    longValued: ['kill-after', 'signal'],
    operands: 1,
  },
  stdbuf: { valued: 'ioe', longValued: ['input', 'output', 'error'] },
  time: { flags: 'pvaq', valued: 'fo', longValued: ['format', 'output'] },
  exec: { flags: 'cl', valued: 'a' },
  command: { flags: 'pvV' },
  builtin: {},
  xargs: {
    flags: '0rtxpo',
    valued: 'InLPdsEa',
    long: ['null', 'no-run-if-empty', 'verbose', 'interactive', 'exit', 'open-tty'],
    longValued: ['max-args', 'max-procs', 'delimiter', 'max-chars', 'arg-file'],
  },
  sudo: {
    flags: 'nkKbEHPSA',
    valued: 'ugpCrtTUDRh',
    long: ['non-interactive', 'preserve-env', 'set-home', 'background', 'stdin'],
    longValued: ['user', 'group', 'prompt', 'host', 'chdir'],
    assigns: true,
    listed: true,
  },
  doas: { flags: 'nL', valued: 'uC', listed: true },
  chroot: { longValued: ['userspec', 'groups'], operands: 1, listed: true },
  busybox: { listed: true },
  toybox: { listed: true },
})

/** The program that a wrapper runs. */
export interface Unwrapped {
  /** Index of the program among the words; null if it runs none. */
  readonly inner: number | null
  /** Indexes of the `NAME=value` words before it. */
  readonly assigned: readonly number[]
  readonly listed: boolean
}

/** Reads the words of a wrapper; null if the program is none, a text if it cannot be told what it would run. */
export function unwrap(program: string, words: readonly Word[]): Unwrapped | string | null {
  const wrapper = wrappers.get(program)
  if (!wrapper) return null
  const unclear = `it cannot be told which program "${program}" would run`
  let at = 1
  for (;;) {
    const word = words[at]
    if (word === undefined || !word.text.startsWith('-')) break
    if (!isPlain(word)) return unclear
    at += 1
    if (word.text === '--') break
    // To env, a single dash is an option, too.
    if (word.text === '-') continue
    const taken = valuesOf(wrapper, word.text)
    if (taken === null) return unclear
    at += taken
  }
  at += wrapper.operands ?? 0
  const assigned: number[] = []
  while (wrapper.assigns === true && /^[A-Za-z_][A-Za-z0-9_]*=/.test(words[at]?.text ?? '')) {
    assigned.push(at)
    at += 1
  }
  // An expansion before the program could be empty, or be several words: then another word is the program.
  if (words.slice(1, at).some((word) => !word.quoted && !isPlain(word))) return unclear
  // `command -v name` says where a program is, and runs nothing.
  const looks =
    program === 'command' && words.slice(1, at).some(({ text }) => /^-p?[vV]/.test(text))
  return {
    inner: at < words.length && !looks ? at : null,
    assigned,
    listed: wrapper.listed === true,
  }
}

/** The words of a program without those that it runs, which are judged by themselves. */
export function withoutInner(program: string, words: readonly Word[]): readonly Word[] {
  const unwrapped = unwrap(program, words)
  const end = unwrapped === null || typeof unwrapped === 'string' ? null : unwrapped.inner
  return end === null ? words : words.slice(0, end)
}

/** How many words after the option are its value: 0 or 1; null for an option we do not know. */
function valuesOf(wrapper: Wrapper, option: string): 0 | 1 | null {
  if (option.startsWith('--')) {
    const [name = '', value] = option.slice(2).split('=', 2)
    if (wrapper.longValued?.includes(name)) return value === undefined ? 1 : 0
    return wrapper.long?.includes(name) ? 0 : null
  }
  for (const [at, letter] of option.slice(1).split('').entries()) {
    if (wrapper.valued?.includes(letter)) return at === option.length - 2 ? 1 : 0
    if (!wrapper.flags?.includes(letter)) return null
  }
  return 0
}
