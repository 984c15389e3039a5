/**
 * Words that programs hand to a shell, besides the programs whose purpose that is: values of options, of settings of git and of variables.
 *
 * W1 A value that begins with an expansion is left alone: which editor or pager that is, nobody needs to know.
 */
import { after, beginsUnseen, type Word } from '../shell/script.ts'

/** Options whose value is a text for a shell; behind an equals sign, glued, or as the next word. */
const options: ReadonlyMap<string, RegExp> = new Map([
  [
    'tar',
    /^(?:--(?:checkpoint-action=exec|to-command|use-compress-program|info-script|new-volume-script|rsh-command)|-I)(?:=|$)/,
  ],
  ['split', /^--filter(?:=|$)/],
  ['sort', /^--compress-program(?:=|$)/],
  ['rsync', /^(?:--rsh|-[a-zA-Z]*e)(?:=|$)/],
  ['ssh', /^(?:-o)?(?:Proxy|Local|KnownHosts)Command=/i],
  ['scp', /^(?:-o)?(?:Proxy|Local|KnownHosts)Command=/i],
  ['sftp', /^(?:-o)?(?:Proxy|Local|KnownHosts)Command=/i],
  ['make', /^SHELL=/],
  ['gmake', /^SHELL=/],
  ['zip', /^-(?:TT|-unzip-command)(?:=|$)/],
  ['npx', /^(?:-c|--call)(?:=|$)/],
  ['npm', /^(?:-c|--call)(?:=|$)/],
  ['man', /^(?:-P|--pager)(?:=|$)/],
  ['git', /^(?:--exec|-x|--extcmd|--upload-pack|--receive-pack|--[a-z-]+-filter)(?:=|$)/],
  ['vim', /^(?:\+:?!|-c$)/],
  ['vi', /^(?:\+:?!|-c$)/],
  ['nvim', /^(?:\+:?!|-c$)/],
  ['compgen', /^-C$/],
  ['fzf', /^--preview(?:=|$)/],
])

const variables =
  /^(?:GIT_(?:SSH_COMMAND|PAGER|EDITOR|SEQUENCE_EDITOR|EXTERNAL_DIFF|PROXY_COMMAND)|PAGER|MANPAGER|EDITOR|VISUAL|RSYNC_RSH|FZF_DEFAULT_COMMAND)$/

/** Is the value of this variable a text for a shell? */
export const isShellVariable = (name: string): boolean => variables.test(name)

/** The texts that the words of a program hand to a shell. */
export function optionTexts(name: string, words: readonly Word[]): readonly Word[] {
  const option = options.get(name)
  const found = option === undefined ? [] : valuesOf(option, words)
  const spoken = name === 'tmux' ? words.slice(2).filter(({ text }) => /\s/.test(text)) : []
  const all = [...found, ...spoken, ...(name === 'git' ? textsOfGit(words) : [])]
  const told = /^n?vim?$/.test(name) ? all.flatMap(exclaimed) : all
  return told.filter((word) => word.text !== '' && !beginsUnseen(word))
}

const valuesOf = (option: RegExp, words: readonly Word[]): readonly Word[] =>
  words.flatMap((word, at): readonly Word[] => {
    const [head] = option.exec(word.text) ?? []
    if (at === 0 || head === undefined) return []
    const value = head.length < word.text.length || head.endsWith('=') ? null : words[at + 1]
    return value === undefined
      ? []
      : [value ?? after(word, head.length - (head.endsWith('!') ? 1 : 0))]
  })

/** Of `:!text`, the text; nothing of what is none for a shell. */
const exclaimed = (word: Word): readonly Word[] => {
  const [head] = /^:?!/.exec(word.text) ?? []
  return head === undefined ? [] : [after(word, head.length)]
}

/** Settings of git whose value is a text for a shell. */
const settings =
  /^(?:core\.(?:pager|editor|sshcommand|fsmonitor|askpass)|sequence\.editor|diff\.external|interactive\.difffilter|pager\..+|(?:diff|merge)tool\..+\.cmd|merge\..+\.driver|diff\..+\.(?:textconv|command)|filter\..+\.(?:clean|smudge|process))$/i
/** And those where it is one behind `!`. */
const marked = /^(?:alias\..+|credential\.(?:.+\.)?helper|submodule\..+\.update)$/i

function textsOfGit(words: readonly Word[]): readonly Word[] {
  const given = words.flatMap((word, at): readonly Word[] => {
    const [head, name = ''] = /^([\w.-]+)=/.exec(word.text) ?? []
    if (head !== undefined && /^(?:-c|--config)$/.test(words[at - 1]?.text ?? ''))
      return settingText(name, after(word, head.length))
    const value = words[at + 1]
    return at > 1 && value !== undefined ? settingText(word.text, value) : []
  })
  const each = words.findIndex(
    ({ text }, at) => text === 'foreach' && words[at - 1]?.text === 'submodule',
  )
  const text = words.slice(each + 1).find((word) => !word.text.startsWith('-'))
  return each < 0 || text === undefined ? given : [...given, text]
}

function settingText(name: string, value: Word): readonly Word[] {
  if (settings.test(name)) return [value]
  return marked.test(name) && value.text.startsWith('!') ? [after(value, 1)] : []
}

/** `git bisect run program`: the place of the program among the words; -1 where none is run. */
export const bisectedAt = (name: string, words: readonly Word[]): number =>
  name === 'git'
    ? words.findIndex((_, at) => words[at - 1]?.text === 'run' && words[at - 2]?.text === 'bisect')
    : -1
