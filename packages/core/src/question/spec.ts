/**
 * A question of the model to the person it works for: in words, with options to choose from, or as a form. It is the call of the tool
 * `ask_clarification`, which an agent has where it names `clarification`.
 */
import { z } from 'zod'
import { ToolSpec } from '../definition.ts'
import { JsonObjectSchema } from '../json.ts'
import { limits } from '../limits.ts'
import { bytesAsJson } from '../text/utf8.ts'

const option = z.string().trim().min(1).max(limits.questionOptionCharsMax)
const options = z.array(option).min(1).max(limits.questionOptionsMax)

const areDistinct = (names: readonly string[]): boolean => new Set(names).size === names.length

/** A field of a form. */
export const QuestionField = z
  .strictObject({
    /** Names the value in the answer. */
    name: z
      .string()
      .regex(/^[a-zA-Z][a-zA-Z0-9_]{0,63}$/, 'takes a letter, then letters, digits and _'),
    /** What a person reads beside the field. Default: its name. */
    label: z.string().trim().min(1).max(limits.questionOptionCharsMax).optional(),
    /** Which values it takes. */
    type: z.enum(['text', 'number', 'boolean', 'choice']),
    /** Of a `choice`: the values to choose from. */
    options: options.optional(),
    /** May it be left out? Default: it may not. */
    required: z.boolean().optional(),
  })
  .refine((field) => (field.type === 'choice') === (field.options !== undefined), {
    path: ['options'],
    error: 'takes the values of a field of the type "choice", and no other',
  })
  .refine((field) => areDistinct(field.options ?? []), {
    path: ['options'],
    error: 'takes each value once',
  })
export type QuestionField = z.infer<typeof QuestionField>

/** A form: its fields, in the order in which they are shown. */
export const QuestionForm = z.array(QuestionField).min(1).max(limits.questionFieldsMax)
export type QuestionForm = z.infer<typeof QuestionForm>

/** A question as the model asks it. */
export const QuestionSpec = z
  .strictObject({
    question: z.string().trim().min(1).max(limits.questionCharsMax),
    /** Why it asks. */
    why: z.string().trim().min(1).max(limits.questionCharsMax).optional(),
    /** Answers to choose one of. */
    options: options.optional(),
    /** Fields to fill in. */
    form: QuestionForm.optional(),
  })
  .refine((asked) => asked.options === undefined || asked.form === undefined, {
    path: ['form'],
    error: 'takes no fields beside `options`: ask two questions',
  })
  .refine((asked) => areDistinct(asked.options ?? []), {
    path: ['options'],
    error: 'takes each option once',
  })
  .refine((asked) => areDistinct((asked.form ?? []).map(({ name }) => name)), {
    path: ['form'],
    error: 'takes each name once',
  })
  .refine((asked) => bytesAsJson(asked.form ?? []) <= limits.questionFormBytesMax, {
    path: ['form'],
    error: `takes at most ${limits.questionFormBytesMax} bytes`,
  })
export type QuestionSpec = z.infer<typeof QuestionSpec>

/** How a question is answered: in words, by one of its options, or by the values of its fields. */
export const questionKinds = ['text', 'choice', 'form'] as const
/** How a question is answered: in words, by one of its options, or by the values of its form. */
export type QuestionKind = (typeof questionKinds)[number]

export const kindOf = ({ options: chosen, form }: Pick<QuestionSpec, 'options' | 'form'>) =>
  form ? 'form' : chosen ? 'choice' : 'text'

/** Its name, which is a selector of agents as well. */
export const questionToolName = 'ask_clarification'

const { $schema: _, ...inputSchema } = z.toJSONSchema(QuestionSpec, { io: 'input' })

/** What the model is told of the tool. No worker has it: a person answers its calls. */
export const questionTool: ToolSpec = ToolSpec.parse({
  name: questionToolName,
  version: 'here-1',
  description: [
    'Asks the person you work for, and waits for the answer.',
    'Use it if something is missing that only they know, if their words can be read in more than one way, or before something that they may not want.',
    'Ask one thing in each call. Give `options` if there are a few answers to choose from, or `form` if you need several values.',
    'Do not ask what your other tools can tell you.',
  ].join(' '),
  inputSchema: JsonObjectSchema.parse(inputSchema),
  effect: 'idempotent',
  settles: 'here',
  queue: 'tools',
  timeoutMs: 1_000,
})

/** Reads the arguments of a call: the question, or what is wrong with it. */
export function readQuestionSpec(
  args: unknown,
):
  | { readonly ok: true; readonly question: QuestionSpec }
  | { readonly ok: false; readonly message: string } {
  const read = QuestionSpec.safeParse(args)
  return read.success
    ? { ok: true, question: read.data }
    : { ok: false, message: z.prettifyError(read.error) }
}
