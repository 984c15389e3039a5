/** What A2A's clients send, in ProtoJSON. Unknown fields are ignored; a value that cannot be used is refused by name. */
import { limits } from '@signalbox/core'
import { z } from 'zod'
import { fieldPath } from '../../config/config-error.ts'
import { isId } from '../../http/wire/ids.ts'
import { A2aError } from './errors.ts'
import { taskStates } from './states.ts'

const partsMax = 1000
const idMessage = `takes 1 to ${limits.idCharsMax} of A-Z a-z 0-9 . _ : -`

/** ProtoJSON leaves out what is empty; some writers do not. */
const Id = z
  .string()
  .transform((id) => (id === '' ? undefined : id))
  .refine((id) => id === undefined || isId(id), idMessage)
  .optional()

/** ProtoJSON leaves out what is empty; some writers do not. */
const Filled = z
  .string()
  .transform((text) => (text === '' ? undefined : text))
  .optional()

const Part = z.looseObject({
  text: z.string().optional(),
  data: z.unknown().optional(),
  /** The content of a file, base64. */
  raw: z.string().optional(),
  /** Where the content of a file is. */
  url: Filled,
  filename: Filled,
})
export type Part = z.output<typeof Part>

export const SendMessage = z.looseObject({
  message: z.looseObject({
    messageId: z.string().min(1, 'takes an id of your own').max(1000),
    contextId: Id,
    taskId: Id,
    role: z.union([z.literal('ROLE_USER'), z.literal(1)], 'takes "ROLE_USER"').default('ROLE_USER'),
    parts: z.array(Part).min(1, 'takes at least one part').max(partsMax),
    metadata: z.record(z.string(), z.unknown()).optional(),
  }),
  configuration: z
    .looseObject({
      returnImmediately: z.boolean().default(false),
      historyLength: z.number().int().min(0).optional(),
      taskPushNotificationConfig: z.unknown().optional(),
    })
    .nullish(),
})
export type SendMessage = z.output<typeof SendMessage>

const WholeNumber = z.coerce.number().int().min(0).max(1_000_000)

export const TaskName = z.looseObject({
  id: z.string().min(1, 'takes the id of a task').max(limits.idCharsMax),
  historyLength: WholeNumber.optional(),
})
export type TaskName = z.output<typeof TaskName>

/** Tasks of one page. */
const pageDefault = 50
const pageMax = 100

export const ListTasks = z.looseObject({
  contextId: Id,
  status: z
    .union([z.enum(taskStates), z.literal('TASK_STATE_UNSPECIFIED').transform(() => undefined)])
    .optional(),
  pageSize: z.coerce.number().int().min(1).max(pageMax).default(pageDefault),
  pageToken: z
    .string()
    .regex(/^\d{0,9}$/, 'takes the nextPageToken of a page')
    .default(''),
  historyLength: WholeNumber.optional(),
  includeArtifacts: z
    .union([z.boolean(), z.enum(['true', 'false']).transform((text) => text === 'true')])
    .default(false),
})
export type ListTasks = z.output<typeof ListTasks>

/** Reads a request. @throws A2aError that names the first field that is wrong */
export function readRequest<Schema extends z.ZodType>(
  schema: Schema,
  value: unknown,
): z.output<Schema> {
  const parsed = schema.safeParse(value)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = fieldPath(issue?.path ?? [])
  throw new A2aError('INVALID_PARAMS', `${field || 'params'}: ${issue?.message ?? ''}`, field)
}
