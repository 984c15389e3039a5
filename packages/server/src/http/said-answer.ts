/** Answers to questions of models in the forms that wires have, as ours. */
import { checkAnswer, type QuestionForm } from '@signalbox/core'
import { z } from 'zod'
import { Problem } from './problem.ts'
import { type AskedInput, InputAnswer } from './wire/input-view.ts'

const Ours = z.strictObject({
  text: z.unknown().optional(),
  option: z.unknown().optional(),
  values: z.unknown().optional(),
  declined: z.unknown().optional(),
})

/**
 * The value of a wire as an answer to the question: a text is the words or the option, an object of ours is taken as it is, any other one holds
 * the values of a form. It is checked as the engine will check it, so that nothing of a request is recorded where one part is none.
 * @param at - where in the request the value stands
 * @throws Problem `invalid_answer`, naming the field
 */
export function saidAnswer(asked: AskedInput, value: unknown, at: string): InputAnswer {
  const read = InputAnswer.safeParse(formOf(asked, value))
  if (!read.success) {
    const [issue] = read.error.issues
    throw misfit([at, ...(issue?.path ?? [])].join('.'), issue?.message ?? 'takes an answer')
  }
  const checked = checkAnswer(
    {
      kind: asked.kind,
      ...(asked.options ? { options: asked.options } : {}),
      ...(asked.form ? { form: fieldsOf(asked.form) } : {}),
    },
    read.data,
  )
  if (!checked.ok) throw misfit(`${at}.${checked.field}`, checked.message)
  return read.data
}

const fieldsOf = (form: NonNullable<AskedInput['form']>): QuestionForm =>
  form.map(({ name, type, options, required }) => ({
    name,
    type,
    required,
    ...(options ? { options } : {}),
  }))

function formOf(asked: AskedInput, value: unknown): unknown {
  if (typeof value === 'string')
    return asked.kind === 'choice' ? { option: value } : { text: value }
  const isOurs = Ours.safeParse(value)
  const isObject = typeof value === 'object' && value !== null && !Array.isArray(value)
  return isObject && !isOurs.success && asked.kind === 'form' ? { values: value } : value
}

const misfit = (field: string, takes: string): Problem =>
  new Problem('invalid_answer', { detail: `${field}: ${takes}`, field })
