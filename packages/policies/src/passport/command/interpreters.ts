/** Programs that read programs: shells, whose texts we can read, too, and others, whose texts we cannot. */
import { isPlain, type Word } from '../../shell/script.ts'

/** Shells whose grammar is the one we read. */
const readable = new Set(['sh', 'bash', 'dash', 'ksh', 'mksh', 'ash', 'rbash'])
const shells = new Set([...readable, 'zsh', 'fish', 'csh', 'tcsh'])
const others = /^(?:python|pypy|perl|ruby|node|nodejs|php|lua|deno|bun|tclsh|osascript)[0-9.]{0,8}$/

/** Is this program, by its name without a directory, a shell? */
export const isShell = (program: string): boolean => shells.has(program)

/** Is it any interpreter at all? */
export const isInterpreter = (program: string): boolean => isShell(program) || others.test(program)

const longFlags = new Set([
  '--norc',
  '--noprofile',
  '--login',
  '--posix',
  '--restricted',
  '--verbose',
])

/** The thing that a shell is told to run: a text, a file, or something that cannot be seen. */
export type ShellTask =
  | { readonly kind: 'text'; readonly text: string }
  | { readonly kind: 'file' }
  | { readonly kind: 'hidden'; readonly why: string }

/** Reads the words of a shell. */
export function shellTaskOf(program: string, words: readonly Word[]): ShellTask {
  const unseen: ShellTask = {
    kind: 'hidden',
    why: 'a shell runs a text that cannot be seen here',
  }
  let text = false
  let at = 1
  for (; at < words.length; at += 1) {
    const word = words[at]
    if (word === undefined || !isPlain(word)) return unseen
    if (word.text === '--' || word.text === '-') {
      at += 1
      break
    }
    if (!/^[-+]./.test(word.text)) break
    if (word.text.startsWith('--')) {
      if (!longFlags.has(word.text)) return unseen
      continue
    }
    if (word.text.startsWith('-') && word.text.includes('c')) text = true
    if (/[si]/.test(word.text)) return unseen
    if (/[oO]/.test(word.text)) at += 1
  }
  const operand = words[at]
  // Without a text or a file it reads its input.
  if (operand === undefined || !isPlain(operand)) return unseen
  if (!text) return /^\/(?:dev|proc)\//.test(operand.text) ? unseen : { kind: 'file' }
  return readable.has(program) ? { kind: 'text', text: operand.text } : unseen
}

/** Could what another program prints become the program, or an option? Behind the name of a file it is an argument. */
export function readsAValue(words: readonly Word[]): boolean {
  const file = words.findIndex((word, at) => at > 0 && isPlain(word) && !word.text.startsWith('-'))
  const option = words[file - 1]?.text ?? ''
  const isText = /^-[a-zA-Z]*[cemprEIM]$|^--/.test(option)
  return words.some(
    ({ substitutions }, at) => substitutions.length > 0 && (file < 0 || isText || at < file),
  )
}
