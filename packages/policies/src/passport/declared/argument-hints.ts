/** Hints that the name of an argument gives about it, where its tool says nothing. */
import { isHostName, type LooksLike, lookOf } from './looks.ts'

/** Free text: whatever stands in it is for somebody to read, or to be found or replaced. */
const freeText = new Set([
  'answer',
  'body',
  'code',
  'comment',
  'content',
  'contents',
  'context',
  'description',
  'diff',
  'explanation',
  'html',
  'input_text',
  'instructions',
  'keyword',
  'keywords',
  'markdown',
  'message',
  'messages',
  'new_content',
  'new_str',
  'new_string',
  'new_text',
  'note',
  'notes',
  'old_content',
  'old_str',
  'old_string',
  'old_text',
  'patch',
  'prompt',
  'prose',
  'q',
  'query',
  'queries',
  'question',
  'reason',
  'regex',
  'search',
  'source_code',
  'sql',
  'subject',
  'summary',
  'task',
  'text',
  'thought',
  'title',
])

/** Values with slashes and colons that are no paths, by the last word of the name. They must not climb, or begin as one. */
const labels =
  /(?:^|_)(?:accept|base|branch|charset|cron|date|encoding|format|head|id|ids|key|keys|locale|media|mime|model|package|packages|pair|ref|refs|repo|repository|rev|revision|schedule|symbol|tag|tags|time|timezone|type|types|tz|unit|units|version|zone)$/
const isLabel = (text: string): boolean => /^[\w@*#+](?!.*\.\.)[^\s\\~]*$/.test(text)

const hints: readonly (readonly [RegExp, LooksLike])[] = [
  [/(?:^|_)(?:cwd|dir|directory|file|filename|filepath|folder|path)s?$/, 'path'],
  [/(?:^|_)(?:callback|endpoint|href|link|uri|url|webhook)s?$/, 'url'],
  [/(?:^|_)(?:host|hostname|proxy)$/, 'host'],
  [/(?:^|_)(?:bcc|cc|email|phone|recipient|to)s?$/, 'recipient'],
  [/(?:^|_)(?:cmd|command|shell)s?$/, 'command'],
]
const hosting = /(?:^|_)(?:address|domain|host|hostname|origin|proxy|server|site|target|website)$/

/** `outputPath` as `output_path`. */
const snake = (name: string): string =>
  name
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll(/[-. ]/g, '_')
    .toLowerCase()

/** The kind of thing that an argument looks like by its value, and whether only its name says so. */
export interface SeenArgument {
  readonly look: LooksLike
  readonly byName: boolean
}

/** Judges one text by its own name; null if it looks harmless. */
export function seen(name: string, text: string): SeenArgument | null {
  const plain = snake(name)
  if (freeText.has(plain) || text.trim() === '') return null
  const look = lookOf(text)
  if (look === 'url' || look === 'recipient') return { look, byName: false }
  if (look !== null && !(labels.test(plain) && isLabel(text))) return { look, byName: false }
  if (hosting.test(plain) && isHostName(text)) return { look: 'host', byName: false }
  const hint = hints.find(([pattern]) => pattern.test(plain))?.[1]
  return hint === undefined ? null : { look: hint, byName: true }
}
