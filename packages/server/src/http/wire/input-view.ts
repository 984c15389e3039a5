/** A question of a model as the wire shows it. */
import { z } from '@hono/zod-openapi'
import { FormValue, limits, QuestionField, questionKinds } from '@signalbox/core'
import type { InputRequest } from '@signalbox/postgres'
import { iso } from './iso.ts'

const Field = z
  .object({
    name: z.string(),
    /** What a person reads beside the field; its name where it has none. */
    label: z.string(),
    type: QuestionField.shape.type,
    /** The values of a `choice` to choose from; null for other types. */
    options: z.array(z.string()).nullable(),
    required: z.boolean(),
  })
  .openapi('QuestionField')

const asked = {
  call_id: z.string(),
  question: z.string(),
  /** Why the model asks; null where it does not say. */
  why: z.string().nullable(),
  /** How it is answered: in words (`text`), by one of `options` (`choice`), or by the values of `form`. */
  kind: z.enum(questionKinds),
  options: z.array(z.string()).nullable(),
  form: z.array(Field).nullable(),
  requested_at: z.string(),
  /** Then the run goes on without an answer. */
  expires_at: z.string(),
}

/** A question that waits for a person. */
export const AskedInput = z.object({
  for: z.literal('input'),
  ...asked,
  /** Where a run below asks: that run, and its thread. */
  run_id: z.string().optional(),
  thread_id: z.string().optional(),
})
export type AskedInput = z.infer<typeof AskedInput>

/** One row of a listing. `position` of the last one is where the next page begins. */
export const ListedInput = AskedInput.extend({
  run_id: z.string(),
  thread_id: z.string(),
  assistant_id: z.string(),
  /** The run at the top of its tree, which nobody started, and its thread. */
  root_run_id: z.string(),
  root_thread_id: z.string(),
  position: z.string(),
}).openapi('ListedInput')
export type ListedInput = z.infer<typeof ListedInput>

/** The parts of a question that an event, or a row about it, has. */
type Asked = Pick<InputRequest, 'callId' | 'question' | 'kind' | 'expiresAt'> & {
  readonly why?: string | null | undefined
  readonly options?: readonly string[] | null | undefined
  readonly form?: InputRequest['form'] | undefined
}

/** @param at - when it was asked, milliseconds since the epoch */
export const askedInput = (request: Asked, at: number): AskedInput => ({
  for: 'input',
  call_id: request.callId,
  question: request.question,
  why: request.why ?? null,
  kind: request.kind,
  options: request.options ? [...request.options] : null,
  form:
    request.form?.map(({ name, label = name, type, options, required = true }) => ({
      name,
      label,
      type,
      options: options ? [...options] : null,
      required,
    })) ?? null,
  requested_at: iso(at),
  expires_at: iso(request.expiresAt),
})

/** What a run waits for. */
export const waitsForInput = (request: InputRequest): AskedInput =>
  askedInput(request, request.requestedAt)

/** What a run below waits for. */
export const waitsBelowForInput = (request: InputRequest): AskedInput => ({
  ...waitsForInput(request),
  run_id: request.runId,
  thread_id: request.threadId,
})

export const listedInput = (request: InputRequest): ListedInput => ({
  ...waitsForInput(request),
  run_id: request.runId,
  thread_id: request.threadId,
  assistant_id: request.agent,
  root_run_id: request.rootRunId,
  root_thread_id: request.rootThreadId,
  position: request.position,
})

/** An answer: exactly one of them. The `kind` of the question says which. */
export const InputAnswer = z
  .object({
    /** To a question of the kind `text`. */
    text: z.string().trim().min(1).max(limits.answerCharsMax).optional(),
    /** To one of the kind `choice`: one of its options. */
    option: z.string().max(limits.questionOptionCharsMax).optional(),
    /** To one of the kind `form`: a value for each field, by its name. */
    values: z.record(z.string(), FormValue).optional(),
    /** To any: the person saw the question, and does not answer it. */
    declined: z.literal(true).optional(),
  })
  .refine(
    (said) => Object.values(said).filter((each) => each !== undefined).length === 1,
    'takes one of `text`, `option` and `values`, as the `kind` of the question says, or `declined`',
  )
  .openapi('InputAnswer')
export type InputAnswer = z.output<typeof InputAnswer>
