/**
 * The head of a `SKILL.md` in the open format of Agent Skills, read as YAML 1.2 in which nothing happens.
 *
 * F1 No tags, anchors, aliases or directives: a head is a map of texts, one list and one map of texts. Every scalar is a text, whatever it looks
 *    like, as the reference implementation of the format reads it.
 * F2 What is wrong is said by its field. Nothing is guessed, and nothing is left out.
 */
import { limits, skillName } from '@signalbox/core'
import { CST, Lexer, LineCounter, parseDocument } from 'yaml'
import { nearest } from '../nearest.ts'

/** A head, as the format means it. */
export interface SkillHead {
  readonly name: string
  /** On one line. */
  readonly description: string
  readonly license: string | null
  readonly compatibility: string | null
  readonly metadata: Readonly<Record<string, string>>
  /** As they are written, `Bash(git:*)`; null: it names none. */
  readonly allowedTools: readonly string[] | null
  /** Names of variables that the skill wants in the sandbox, from `metadata.secrets`. */
  readonly secrets: readonly string[]
}

/** A mistake. `field` null: of the whole head. */
export interface HeadFault {
  readonly field: string | null
  readonly message: string
}

export type Read<T> =
  | { readonly ok: true; readonly value: T }
  | ({ readonly ok: false } & HeadFault)

const fault = (field: string | null, message: string) => ({ ok: false, field, message }) as const

const keys = ['name', 'description', 'license', 'compatibility', 'metadata', 'allowed-tools']

/** Reads a head. */
export function readHead(text: string): Read<SkillHead> {
  const parsed = parseHead(text)
  if (!parsed.ok) return parsed
  const head = parsed.value
  for (const key of head.keys()) {
    if (keys.includes(key)) continue
    const near = nearest(key, keys)
    const meant =
      near === undefined ? `The format has: ${keys.join(', ')}.` : `Did you mean "${near}"?`
    return fault(key.slice(0, 64), `there is no such key. ${meant}`)
  }
  try {
    return { ok: true, value: headOf(head) }
  } catch (error) {
    if (error instanceof FieldError) return fault(error.field, error.message)
    throw error
  }
}

/** A field that is not what the format says. */
class FieldError extends Error {
  readonly field: string
  constructor(field: string, message: string) {
    super(message)
    this.field = field
  }
}

const refused: Readonly<Partial<Record<NonNullable<ReturnType<typeof CST.tokenType>>, string>>> = {
  alias: 'an alias (*name)',
  anchor: 'an anchor (&name)',
  tag: 'a tag (!name)',
  'directive-line': 'a directive (%NAME)',
  'doc-start': 'a second document (---)',
  'doc-end': 'the end of a document (...)',
}
const deepest = 4

function parseHead(text: string): Read<ReadonlyMap<string, unknown>> {
  if (Buffer.byteLength(text) > limits.skillHeadBytesMax)
    return fault(null, `has more than ${limits.skillHeadBytesMax} bytes`)
  const strange = strangeIn(text)
  if (strange !== null) return fault(null, strange)
  const lineCounter = new LineCounter()
  try {
    const document = parseDocument(text, {
      version: '1.2',
      schema: 'failsafe',
      merge: false,
      uniqueKeys: true,
      prettyErrors: false,
      lineCounter,
    })
    const [problem] = [...document.errors, ...document.warnings]
    // The mark before it is a line of the file as well.
    if (problem) {
      const { line } = lineCounter.linePos(problem.pos[0])
      const why = problem.message.includes('call stack')
        ? 'it is nested too deeply'
        : problem.message
      return fault(null, `is no YAML: ${why} (line ${line + 1})`)
    }
    const value: unknown = document.toJS({ mapAsMap: true, maxAliasCount: 0 })
    if (value instanceof Map && [...value.keys()].every((key) => typeof key === 'string'))
      return { ok: true, value }
    return fault(null, 'takes fields, "name: value", one in a line')
  } catch {
    return fault(null, 'is no YAML that can be read')
  }
}

/** The first sign of YAML that is not taken; null if there is none. */
function strangeIn(text: string): string | null {
  let depth = 0
  let line = 2
  for (const lexeme of new Lexer().lex(text)) {
    const type = CST.tokenType(lexeme)
    const what = type && refused[type]
    if (what !== undefined && what !== null)
      return `has ${what} in line ${line}, which is not taken`
    if (type === 'flow-map-start' || type === 'flow-seq-start') depth += 1
    if (type === 'flow-map-end' || type === 'flow-seq-end') depth -= 1
    if (depth > deepest) return `is nested too deeply in line ${line}`
    line += lexeme.split('\n').length - 1
  }
  return null
}

function headOf(head: ReadonlyMap<string, unknown>): SkillHead {
  const metadata = textsIn(head.get('metadata'))
  return {
    name: nameIn(head.get('name')),
    description: descriptionIn(head.get('description')),
    license: textIn('license', head.get('license'), limits.skillDescriptionCharsMax),
    compatibility: textIn(
      'compatibility',
      head.get('compatibility'),
      limits.skillCompatibilityCharsMax,
    ),
    metadata,
    allowedTools: toolsIn(head.get('allowed-tools')),
    secrets: secretsIn(metadata['secrets']),
  }
}

function nameIn(value: unknown): string {
  const name = required('name', value)
  if (name.length > limits.skillNameCharsMax)
    throw new FieldError('name', `has more than ${limits.skillNameCharsMax} characters`)
  if (skillName.test(name)) return name
  throw new FieldError('name', `takes a-z, 0-9 and single hyphens between them, not ${shown(name)}`)
}

/** Controls, marks that turn the direction of the text around them, and characters that nobody sees: words could be hidden in them. */
const unseen =
  // oxlint-disable-next-line no-control-regex -- control characters are what this is about
  /[\u0000-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F\u061C\u200B\u200E\u200F\u202A-\u202E\u2060-\u2069\uFEFF\u{E0000}-\u{E007F}]/u

function descriptionIn(value: unknown): string {
  const text = required('description', value)
  if (text.length > limits.skillDescriptionCharsMax)
    throw new FieldError(
      'description',
      `has ${text.length} characters; it takes ${limits.skillDescriptionCharsMax} at most`,
    )
  if (unseen.test(text)) throw new FieldError('description', 'has characters that nobody sees')
  return text.replaceAll(/\s+/g, ' ')
}

function required(field: string, value: unknown): string {
  if (value === undefined) throw new FieldError(field, 'is missing')
  const text = isText(field, value).trim()
  if (text === '') throw new FieldError(field, 'is empty')
  return text
}

function isText(field: string, value: unknown): string {
  if (typeof value === 'string') return value
  throw new FieldError(field, 'takes a text')
}

function textIn(field: string, value: unknown, charsMax: number): string | null {
  if (value === undefined) return null
  const text = required(field, value)
  if (text.length <= charsMax) return text
  throw new FieldError(field, `has ${text.length} characters; it takes ${charsMax} at most`)
}

function textsIn(value: unknown): Readonly<Record<string, string>> {
  if (value === undefined) return {}
  if (!(value instanceof Map)) throw new FieldError('metadata', 'takes a map of texts')
  const entries = [...value.entries()].map(([key, text]: [unknown, unknown]) => {
    const name = isText('metadata', key)
    return [name, isText(`metadata.${name.slice(0, 64)}`, text)] as const
  })
  return Object.fromEntries(entries)
}

/** A text of names between blanks or commas, or a list of names. Blanks in brackets belong to a name. */
function toolsIn(value: unknown): readonly string[] | null {
  const field = 'allowed-tools'
  if (value === undefined) return null
  const texts = Array.isArray(value)
    ? value.map((each) => isText(field, each))
    : [isText(field, value)]
  const names = texts.flatMap((text) => text.match(/(?:[^\s,(]|\([^)]*\)|\()+/g) ?? [])
  if (names.length > limits.skillToolsMax)
    throw new FieldError(field, `names more than ${limits.skillToolsMax} tools`)
  return names
}

const variable = /^[A-Za-z_][A-Za-z0-9_]{0,63}$/
/** Every command has these, and none of them is a secret. */
const taken = new Set(['PATH', 'HOME', 'LANG', 'TERM'])

function secretsIn(text: string | undefined): readonly string[] {
  const field = 'metadata.secrets'
  const names = [...new Set((text ?? '').split(/[\s,]+/).filter((name) => name !== ''))]
  const bad = names.find((name) => !variable.test(name) || taken.has(name))
  if (bad !== undefined)
    throw new FieldError(field, `takes names of variables, such as ERP_TOKEN, not ${shown(bad)}`)
  if (names.length > limits.skillSecretsMax)
    throw new FieldError(field, `names more than ${limits.skillSecretsMax} secrets`)
  return names
}

const shown = (text: string): string => JSON.stringify(text.slice(0, 64).toWellFormed())
