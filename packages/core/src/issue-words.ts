/**
 * Mistakes in values that people write, in plain words: what a place takes, and which kind of value stands there. Zod's own
 * messages speak of types. A text that was written may be a secret, so no message repeats one.
 */
import type { z } from 'zod'

const nouns: Readonly<Record<string, string>> = {
  string: 'a text',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'a list',
  object: 'an object',
  record: 'an object',
  function: 'a function',
  null: 'null',
}

const nounOf = (expected: string): string => nouns[expected] ?? `a value of the kind ${expected}`

/** Which kind of value it is; numbers and words of the language as they are. */
function kindOf(value: unknown): string {
  if (value === null || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  if (Array.isArray(value)) return 'a list'
  if (value instanceof Promise) return 'a promise'
  return typeof value === 'undefined' ? 'nothing' : nounOf(typeof value)
}

const isNumeric = (value: unknown): boolean =>
  typeof value === 'string' && value.trim() !== '' && Number.isFinite(Number(value))

const listed = (values: readonly unknown[]): string =>
  values.map((value) => JSON.stringify(value) ?? String(value)).join(', ')

const sizeOf = (value: unknown): number =>
  typeof value === 'string' || Array.isArray(value) ? value.length : 0

/** What is wrong, ready to follow the name of a field; undefined where the schema has words of its own. For `safeParse`. */
export function issueWords(issue: z.core.$ZodRawIssue): string | undefined {
  switch (issue.code) {
    case 'invalid_type':
      return typeWords(nounOf(issue.expected), issue.expected, issue.input)
    case 'too_small':
      return boundWords({ ...issue, bound: issue.minimum, side: 'least' })
    case 'too_big':
      return boundWords({ ...issue, bound: issue.maximum, side: 'most' })
    case 'invalid_value':
      return choiceWords(issue.values, issue.input)
    case 'invalid_format':
      return issue.pattern === undefined
        ? `is no ${issue.format}`
        : `does not have the form ${issue.pattern}`
    case 'not_multiple_of':
      return `takes a multiple of ${issue.divisor}, not ${kindOf(issue.input)}`
    case 'unrecognized_keys':
      return `has ${issue.keys.length === 1 ? 'an unknown key' : 'unknown keys'}: ${listed(issue.keys)}`
    case 'invalid_union':
      return 'options' in issue && Array.isArray(issue.options)
        ? choiceWords(issue.options, chosen(issue))
        : unionWords(issue.errors, issue.input)
    case 'custom':
      return 'takes another kind of value'
    default:
      return undefined
  }
}

/** The word that says which form of an object is meant. */
function chosen({ input, discriminator }: z.core.$ZodRawIssue): unknown {
  const isObject = typeof input === 'object' && input !== null
  return isObject && typeof discriminator === 'string' ? Reflect.get(input, discriminator) : null
}

function typeWords(noun: string, expected: string, input: unknown): string {
  if (input === undefined) return `is missing; it takes ${noun}`
  const isNumber = expected === 'number' || expected === 'int'
  if (isNumber && isNumeric(input))
    return `takes ${noun}, not a text: leave the quotation marks out`
  return `takes ${noun}, not ${kindOf(input)}`
}

function choiceWords(values: readonly unknown[], input: unknown): string {
  const takes = values.length === 1 ? listed(values) : `one of ${listed(values)}`
  return input === undefined ? `is missing; it takes ${takes}` : `takes ${takes}`
}

function boundWords(issue: {
  readonly origin: string
  readonly bound: number | bigint
  readonly side: 'least' | 'most'
  readonly inclusive?: boolean | undefined
  readonly input: unknown
}): string {
  const { origin, bound, side, inclusive, input } = issue
  if (origin === 'string' || origin === 'array') {
    if (side === 'least' && bound === 1) return 'must not be empty'
    const unit = origin === 'string' ? 'characters' : 'entries'
    return `takes at ${side} ${bound} ${unit}, not ${sizeOf(input)}`
  }
  const edge = side === 'least' ? ['from', 'above'] : ['up to', 'below']
  return `takes a number ${inclusive === false ? edge[1] : edge[0]} ${bound}, not ${kindOf(input)}`
}

/** A value that met none of several forms. Where all of them are kinds of value, the kinds; else what each form says. */
function unionWords(ways: readonly (readonly z.core.$ZodIssue[])[], input: unknown): string {
  const firsts = ways.flatMap(([first]) => (first ? [first] : []))
  const nounsOf = firsts.map((issue) =>
    issue.code === 'invalid_type' && issue.path.length === 0 ? nounOf(issue.expected) : null,
  )
  if (firsts.length > 0 && nounsOf.every((noun) => noun !== null))
    return `takes ${[...new Set(nounsOf)].join(' or ')}, not ${kindOf(input)}`
  const said = new Set(firsts.map(({ message }) => message))
  return said.size === 0 ? 'takes another kind of value' : [...said].join('; or ')
}
