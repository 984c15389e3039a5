/**
 * Questions: is this an answer to that? Evidence in (the question, what a person said), verdict out: the words for the model, or the field that
 * is wrong.
 */
import { z } from 'zod'
import { limits } from '../limits.ts'
import type { QuestionField, QuestionForm, QuestionKind } from './spec.ts'

/** The value of a field of a form. */
export const FormValue = z.union([z.string(), z.number(), z.boolean(), z.null()])
export type FormValue = z.infer<typeof FormValue>

/** What a person says: words, one of the options, values of the fields, or that they give no answer. Exactly one of them. */
export const GivenAnswer = z.strictObject({
  /** To a question in words. */
  text: z.string().trim().min(1).max(limits.answerCharsMax).optional(),
  /** One of the options. */
  option: z.string().optional(),
  /** The values of a form, by the names of its fields. */
  values: z.record(z.string(), FormValue).optional(),
  /** They saw the question, and do not answer it. */
  declined: z.literal(true).optional(),
})
export type GivenAnswer = z.infer<typeof GivenAnswer>

/** The parts of a question that an answer is checked against. */
interface Asked {
  readonly kind: QuestionKind
  readonly options?: readonly string[] | undefined
  readonly form?: QuestionForm | undefined
}

/** The answer as the model reads it, or the field that is wrong. */
export type CheckedAnswer =
  | { readonly ok: true; readonly words: string }
  /** `field`: a path into the answer, e.g. `values.amount`. */
  | { readonly ok: false; readonly field: string; readonly message: string }

const wrong = (field: string, message: string): CheckedAnswer => ({ ok: false, field, message })

const fieldOf = { text: 'text', choice: 'option', form: 'values' } as const

const declinedText =
  'The user did not want to answer. Go on without, and say in your answer what you assumed.'

/** Checks an answer; the words are the result of the call. */
export function checkAnswer(asked: Asked, answer: GivenAnswer): CheckedAnswer {
  if (answer.declined && Object.keys(answer).length === 1) return { ok: true, words: declinedText }
  const wanted = fieldOf[asked.kind]
  const others = Object.keys(answer).filter((name) => name !== wanted)
  const [other] = others
  if (other !== undefined)
    return wrong(other, `takes nothing for this question: it is answered by \`${wanted}\``)
  switch (asked.kind) {
    case 'text':
      return inWords(answer)
    case 'choice':
      return chosen(asked.options ?? [], answer)
    case 'form':
      return filledIn(asked.form ?? [], answer)
  }
}

const inWords = ({ text }: GivenAnswer): CheckedAnswer =>
  text === undefined
    ? wrong('text', 'takes the answer in words')
    : { ok: true, words: `The user answered: ${text}` }

const chosen = (options: readonly string[], { option }: GivenAnswer): CheckedAnswer =>
  option !== undefined && options.includes(option)
    ? { ok: true, words: `The user chose: ${option}` }
    : wrong('option', `takes one of ${options.map((each) => JSON.stringify(each)).join(', ')}`)

function filledIn(form: QuestionForm, { values }: GivenAnswer): CheckedAnswer {
  if (values === undefined) return wrong('values', 'takes the values of the fields')
  const known = new Set(form.map(({ name }) => name))
  const unknown = Object.keys(values).find((name) => !known.has(name))
  if (unknown !== undefined)
    return wrong(`values.${unknown}`, `is no field: it takes ${[...known].join(', ')}`)
  const given: Record<string, FormValue> = {}
  for (const field of form) {
    const value = Object.hasOwn(values, field.name) ? values[field.name] : undefined
    const fault = faultOf(field, value)
    if (fault !== null) return wrong(`values.${field.name}`, fault)
    if (value !== undefined && value !== null) given[field.name] = value
  }
  return { ok: true, words: `The user filled in the form: ${JSON.stringify(given)}` }
}

/** What is wrong with the value of a field; null: nothing. */
function faultOf(field: QuestionField, value: FormValue | undefined): string | null {
  if (value === undefined || value === null)
    return field.required === false ? null : `takes ${wants(field)}`
  switch (field.type) {
    case 'text': {
      const fits =
        typeof value === 'string' &&
        value.length <= limits.answerFieldCharsMax &&
        (field.required === false || value.trim() !== '')
      return fits ? null : `takes ${wants(field)}`
    }
    case 'number':
      return typeof value === 'number' ? null : `takes ${wants(field)}`
    case 'boolean':
      return typeof value === 'boolean' ? null : `takes ${wants(field)}`
    case 'choice':
      return typeof value === 'string' && (field.options ?? []).includes(value)
        ? null
        : `takes ${wants(field)}`
  }
}

function wants({ type, options = [] }: QuestionField): string {
  switch (type) {
    case 'text':
      return `a text of at most ${limits.answerFieldCharsMax} characters`
    case 'number':
      return 'a number'
    case 'boolean':
      return 'true or false'
    case 'choice':
      return `one of ${options.map((each) => JSON.stringify(each)).join(', ')}`
  }
}
