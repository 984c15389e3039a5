/** Words of a command that name well-known files of secrets. Files that a program reads of its own accord are not seen. */
import { guardedPattern } from '../files/sensitive.ts'
import { type PolicyReason, reason, shown } from '@signalbox/core'
import { textsOf, type LimitedCall } from '../limit-check.ts'
import { matchesWildcard } from '../wildcard.ts'
import { directoryNames } from './environment.ts'
import type { Doings, Executable } from './doings.ts'
import { basesOf, placeOf, textsOfWord } from './places.ts'
import { after, type Word } from './script.ts'

/** Print their words, or look at names and not at what is in the files. */
const harmless = new Set([
  '[',
  'basename',
  'cd',
  'chgrp',
  'chmod',
  'chown',
  'dirname',
  'echo',
  'ls',
  'mkdir',
  'printf',
  'rm',
  'rmdir',
  'stat',
  'test',
  'touch',
])
/** Of git, what reads names only. */
const namesOnly = new Set(['check-ignore', 'ls-files', 'rm', 'status'])
const searching = new Set(['ag', 'egrep', 'fgrep', 'grep', 'rg'])
const samples = /^\.env\.(?:dist|example|sample|schema|template)$/
/** Words of prose match these; only a file tool, whose words are paths, is judged by them. */
const prose = new Set(['*credentials*', '*password*', 'secrets.*', '*_history', '*.env', '*.key'])
const examples = [
  '.env',
  '.ssh',
  '.aws',
  '.netrc',
  '.npmrc',
  '.pgpass',
  '.git-credentials',
  'id_rsa',
  'id_ed25519',
]

/** Refuses a command that would read them. */
export function checkSecrets(call: LimitedCall, doings: Doings): PolicyReason | null {
  const read = doings.redirects.flatMap(({ op, target }) =>
    op === '<' || op === '<>' ? [target] : [],
  )
  const words = [...read, ...doings.executables.flatMap(readBy)]
  if (words.length === 0) return null
  const bases = basesOf(doings, textsOf(call.request.args, directoryNames) ?? []) ?? ['']
  for (const word of words)
    for (const text of textsOfWord(word, doings.variables) ?? [])
      for (const base of bases) {
        if (/\s/.test(text)) continue
        const found = secretIn(placeOf(base, text))
        if (found !== null)
          return reason(
            'oap.blocked_pattern',
            `${shown(text)} may hold secrets (${found}): no passport reads it.`,
          )
      }
  return null
}

function readBy({ name, words }: Executable): readonly Word[] {
  if (harmless.has(name)) return []
  if (name === 'git' && namesOnly.has(words[1]?.text ?? '')) return []
  const all = /^(?:cp|install|mv)$/.test(name) && !words.some(({ text }) => /^-t|^--ta/.test(text))
  // The last operand of a copy is written, and what is in it is not read.
  const rest = (all ? words.slice(1, -1) : words.slice(1)).flatMap((word) => {
    const reference = /^(?:-[a-zA-Z]|[^@\s]*=)@/.exec(word.text)?.[0]
    if (reference !== undefined) return [after(word, reference.length)]
    const ofTree = name === 'git' ? /^[\w./~^@-]*:(?=[\w.])/.exec(word.text)?.[0] : undefined
    if (ofTree !== undefined) return [after(word, ofTree.length)]
    if (!word.text.startsWith('-')) return [word.text.startsWith('@') ? after(word, 1) : word]
    const equals = word.text.indexOf('=')
    return equals > 0 ? [after(word, equals + 1)] : []
  })
  // The first operand is what is looked for.
  const hasPattern = words.some(({ text }) => /^-[a-zA-Z]*[ef]$|^--(?:regexp|file)/.test(text))
  return searching.has(name) && !hasPattern ? rest.slice(1) : rest
}

function secretIn(place: string): string | null {
  const names = place.split('/')
  if (samples.test(names.at(-1) ?? '')) return null
  // A history is a hidden file; a key has more of a path than its ending.
  if (names.some((name) => /^\.[a-z]+_history$/.test(name))) return '*_history'
  const wild = names.find((name) => name.startsWith('.') && /[*?[]/.test(name))
  const hit = examples.find((each) =>
    names.some(
      (name) =>
        /[*?[]/.test(name) &&
        (!each.startsWith('.') || name.startsWith('.')) &&
        name.replaceAll(/[*?]/g, '') !== '' &&
        matchesWildcard(name.replaceAll(/\[[^[\]]*\]/g, '?'), each),
    ),
  )
  if (hit !== undefined || wild === '.*') return hit ?? '.*'
  const found = guardedPattern(place)
  if (found === null || !prose.has(found)) return found
  // In a hidden folder it is no prose.
  if (names.slice(0, -1).some((name) => /^\.\w/.test(name))) return found
  return found === '*.key' && place.length > 5 && !place.includes('*') ? found : null
}
