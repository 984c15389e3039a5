/**
 * The part of a `command.resume` that answers questions of the model. LangGraph's clients send the bare value where one interrupt waits, and a
 * value by interrupt id where several do.
 */
import { z } from '@hono/zod-openapi'
import { Problem } from '../../http/problem.ts'
import { saidAnswer } from '../../http/said-answer.ts'
import type { AskedInput, InputAnswer } from '../../http/wire/input-view.ts'

/** An answer to one question. */
export interface QuestionAnswer {
  readonly asked: AskedInput
  readonly said: InputAnswer
  /** Where in the request it stands. */
  readonly at: string
}

interface Split {
  readonly answers: readonly QuestionAnswer[]
  /** The values that are left for the approvals; undefined: none. */
  readonly rest: unknown
}

const ById = z.record(z.string(), z.unknown())

const answered = (asked: AskedInput, one: unknown, at: string): QuestionAnswer => ({
  asked,
  said: saidAnswer(asked, one, at),
  at,
})

/**
 * Takes the answers to questions out of a value.
 * @param alone - does nothing else wait?
 * @throws Problem `invalid_answer`, `invalid_request`
 */
export function questionAnswers(
  questions: readonly AskedInput[],
  {
    value,
    alone,
    field,
  }: { readonly value: unknown; readonly alone: boolean; readonly field: string },
): Split {
  if (questions.length === 0) return { answers: [], rest: value }
  const [only, ...others] = questions
  const named = ById.safeParse(value).data ?? {}
  const keys = Object.keys(named)
  const isOf = (key: string): AskedInput | undefined =>
    questions.find(({ call_id: id }) => id === key)
  if (!keys.some(isOf)) {
    if (only && others.length === 0 && alone)
      return { answers: [answered(only, value, field)], rest: undefined }
    if (alone && Array.isArray(value) && value.length === questions.length) {
      const list = z.array(z.unknown()).parse(value)
      const answers = questions.map((asked, n) => answered(asked, list[n], `${field}[${n}]`))
      return { answers, rest: undefined }
    }
    if (!alone) return { answers: [], rest: value }
    throw new Problem('invalid_request', {
      detail: `${field}: takes ${questions.length} answers, in a list or by interrupt id: as many questions wait`,
      field,
    })
  }
  const rest = Object.fromEntries(Object.entries(named).filter(([key]) => !isOf(key)))
  const [stranger] = Object.keys(rest)
  if (alone && stranger !== undefined)
    throw new Problem('invalid_request', {
      detail: `${field}.${stranger}: is no interrupt that waits`,
      field: `${field}.${stranger}`,
    })
  return {
    answers: keys.flatMap((key) => {
      const asked = isOf(key)
      return asked ? [answered(asked, named[key], `${field}.${key}`)] : []
    }),
    rest: stranger === undefined ? undefined : rest,
  }
}
