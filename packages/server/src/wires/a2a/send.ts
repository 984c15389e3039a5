/**
 * `SendMessage`: a message begins a task, or answers what a task asks.
 *
 * S1 Only a data part decides about a call. No text does: whatever wrote it may be a model. A text answers a question, if it is all that is asked.
 * S2 Every answer is looked at before the first is recorded.
 * S3 The same message again is the same task.
 * S4 The files of a message are given to its task, and to no other.
 */
import { uuidOf } from '@signalbox/engine'
import type { RunHead } from '@signalbox/engine'
import { z } from 'zod'
import { answerApproval, ApprovalDecision } from '../../http/answer-approval.ts'
import { answerInput } from '../../http/answer-input.ts'
import type { Api, Identified } from '../../http/api.ts'
import { humansAsked } from '../../http/humans-asked.ts'
import { contradiction, contradicts, type SaidOfCall } from '../../http/contradiction.ts'
import {
  type BroughtFile,
  broughtFiles,
  fromBase64,
  fromDataUrl,
} from '../../http/brought-files.ts'
import { createRun } from '../../http/create-run.ts'
import { findRun } from '../../http/find.ts'
import { saidAnswer } from '../../http/said-answer.ts'
import { RunCreate } from '../../http/wire/run-create.ts'
import { type Waiting, waitingId } from '../../http/wire/run-view.ts'
import { A2aError } from './errors.ts'
import type { Part, SendMessage } from './requests.ts'

/** The task that a message began, or goes on with it. @throws A2aError, Problem */
export async function send(
  api: Api,
  caller: Identified,
  { agent, request }: { readonly agent: string; readonly request: SendMessage },
): Promise<RunHead> {
  const { message, configuration } = request
  const push = configuration?.taskPushNotificationConfig
  if (push !== undefined && push !== null)
    throw new A2aError('PUSH_NOTIFICATION_NOT_SUPPORTED', 'Follow the task, or get it again.')
  if (message.taskId === undefined) return begin(api, caller, { agent, message })
  const head = await taskNamed(api, caller, { agent, id: message.taskId })
  if (message.contextId !== undefined && message.contextId !== head.threadId)
    throw new A2aError(
      'INVALID_PARAMS',
      `message.contextId: the task ${head.runId} is one of the context ${head.threadId}`,
      'message.contextId',
    )
  await answer(api, caller, { head, parts: message.parts })
  return findRun(api, caller, { run_id: head.runId })
}

/** A task of this agent; that of another one is not there. */
export async function taskNamed(
  api: Pick<Api, 'read'>,
  caller: Identified,
  { agent, id }: { readonly agent: string; readonly id: string },
): Promise<RunHead> {
  const head = await api.read.run(caller.tenantId, id)
  if (head?.agent === agent) return head
  throw new A2aError('TASK_NOT_FOUND', `There is no task ${id} of the agent "${agent}".`, 'id')
}

type Message = SendMessage['message']

async function begin(
  api: Api,
  caller: Identified,
  { agent, message }: { readonly agent: string; readonly message: Message },
): Promise<RunHead> {
  const { contextId, messageId } = message
  const brought = filesOf(message.parts)
  const text = message.parts.flatMap(textOf).join('\n')
  if (text.trim() === '')
    throw new A2aError(
      'INVALID_PARAMS',
      'message.parts: takes text that is not blank, beside files as well',
      'message.parts',
    )
  const body = RunCreate.parse({
    assistant_id: agent,
    input: { messages: [{ role: 'user', content: text, ...idOf(messageId) }] },
    metadata: { a2a: { message_id: messageId } },
  })
  const key = uuidOf(`a2a message\n${caller.tenantId}\n${agent}\n${contextId ?? ''}\n${messageId}`)
  const threadId = contextId ?? null
  const { runId } = await createRun(api, caller, {
    body,
    threadId,
    idempotencyKey: key,
    brought,
  })
  return findRun(api, caller, { run_id: runId })
}

/** Longer ids than a message of ours may have are left to the metadata of the run. */
const idOf = (id: string) => (id.length <= 100 ? { id } : {})

/** Null: it is a file. */
function wordsOf({ text, data }: Part): string | null {
  if (text !== undefined && text !== '') return text
  if (data !== undefined) return JSON.stringify(data)
  return text ?? null
}

const isFile = ({ text, data, raw, url }: Part): boolean =>
  (text ?? '') === '' && data === undefined && (raw !== undefined || url !== undefined)

const textOf = (part: Part): readonly string[] => (isFile(part) ? [] : [wordsOf(part) ?? ''])

/** The files among the parts. @throws A2aError for one that is not here, and for a part that is nothing; Problem */
const filesOf = (parts: readonly Part[]): readonly BroughtFile[] =>
  broughtFiles(
    parts.flatMap((part, n) => {
      const at = `message.parts[${n}]`
      if (!isFile(part)) {
        if (wordsOf(part) !== null) return []
        throw new A2aError('INVALID_PARAMS', `${at}: takes "text", "data", "raw" or "url"`, at)
      }
      return [{ filename: part.filename, bytes: contentOf(part, at), at }]
    }),
  )

function contentOf({ raw, url = '' }: Part, at: string): Uint8Array {
  const bytes = raw === undefined ? fromDataUrl(url) : fromBase64(raw)
  if (bytes) return bytes
  if (raw !== undefined)
    throw new A2aError('INVALID_PARAMS', `${at}.raw: takes base64`, `${at}.raw`)
  throw new A2aError(
    'CONTENT_TYPE_NOT_SUPPORTED',
    `${at}.url: nothing is fetched here. Send what is in the file, as "raw".`,
    `${at}.url`,
  )
}

const Named = z.looseObject({
  approval_id: z.string().optional(),
  call_id: z.string().optional(),
  effect_id: z.string().optional(),
})
const Resolution = z.object({
  resolution: z.enum(
    ['happened', 'not_happened', 'retry'],
    'takes "happened", "not_happened" or "retry"',
  ),
  note: z.string().max(2000).optional(),
})

async function answer(
  api: Api,
  caller: Identified,
  { head, parts }: { readonly head: RunHead; readonly parts: readonly Part[] },
): Promise<void> {
  const asked = await humansAsked(api.read, head)
  if (asked.length === 0) {
    const how = head.outcome === null ? 'works' : 'has ended'
    throw new A2aError(
      'UNSUPPORTED_OPERATION',
      `The task ${how}, and takes no message. Send one without taskId to the context ${head.threadId}.`,
      'message.taskId',
    )
  }
  const file = parts.findIndex(isFile)
  if (file >= 0)
    throw new A2aError(
      'CONTENT_TYPE_NOT_SUPPORTED',
      `message.parts[${file}]: a file comes with the message that begins a task; this one answers what a task asks`,
      `message.parts[${file}]`,
    )
  const [only, ...more] = asked
  const isQuestion = only?.for === 'input' && more.length === 0
  const given = parts.flatMap(({ data, text = '' }, n) => {
    if (data !== undefined) return [{ data, n }]
    return isQuestion && text.trim() !== '' ? [{ data: text, n }] : []
  })
  if (given.length === 0)
    throw new A2aError(
      'INVALID_PARAMS',
      isQuestion
        ? 'message.parts: takes the answer, as a text or as a data part { "text" | "option" | "values": … }'
        : 'message.parts: takes a data part { "decision": "approve" | "reject" | "edit" }. No text decides.',
      'message.parts',
    )
  const records = given.map(({ data, n }) => {
    const at = `message.parts[${n}].data`
    return recordOf(api, caller, { head, data, at, waiting: meant(asked, data, at) })
  })
  const other = contradiction(records)
  if (other) throw new A2aError('INVALID_PARAMS', `${other.at}: ${contradicts}`, other.at)
  // Edits first: only they can still be refused for what they say.
  for (const { record } of records.toSorted((a, b) => Number(b.isEdit) - Number(a.isEdit)))
    await record()
}

/** What an answer is about: what it names, with each of its ids, or all there is. */
function meant(asked: readonly Waiting[], data: unknown, at: string): Waiting {
  const names = Named.safeParse(data).data ?? {}
  const ids = [names.approval_id, names.call_id, names.effect_id].filter((id) => id !== undefined)
  const found = asked.find((each) => {
    return ids.length > 0 && ids.every((id) => [waitingId(each), each.call_id].includes(id))
  })
  const only = ids.length === 0 && asked.length === 1 ? asked[0] : undefined
  const waiting = found ?? only
  if (waiting) return waiting
  const field = `${at}.approval_id`
  throw new A2aError('INVALID_PARAMS', `${field}: takes the id of a call that waits`, field)
}

/** An answer that can be recorded. */
interface Answer extends SaidOfCall {
  readonly at: string
  readonly isEdit: boolean
  readonly record: () => Promise<unknown>
}

function recordOf(
  api: Api,
  caller: Identified,
  given: {
    readonly head: RunHead
    readonly data: unknown
    readonly at: string
    readonly waiting: Waiting
  },
): Answer {
  const { head, data, at, waiting } = given
  const { runId } = head
  if (waiting.for === 'approval') {
    const said = parse(ApprovalDecision, data, at)
    const id = waiting.approval_id
    const named = { id, field: at }
    const call = { runId, callId: waiting.call_id }
    const record = () => answerApproval(api, caller, { call, named, said })
    return { id, said, at, isEdit: said.decision === 'edit', record }
  }
  if (waiting.for === 'input') {
    const id = waiting.call_id
    const said = saidAnswer(waiting, withoutName(data), at)
    const question = { runId, callId: id, field: at, at }
    return {
      id,
      said,
      at,
      isEdit: false,
      record: () => answerInput(api, caller, { question, said }),
    }
  }
  const said = parse(Resolution, data, at)
  const effectId = waiting.effect_id
  const record = async () => {
    const code = await api.commands.resolveUnknown({
      ...caller,
      runId,
      effectId,
      ...resolutionOf(said),
    })
    if (code !== 'accepted' && code !== 'already')
      throw new A2aError('UNSUPPORTED_OPERATION', 'The call was resolved otherwise meanwhile.', at)
  }
  return { id: effectId, said, at, isEdit: false, record }
}

/** What names the question is no part of the answer. */
function withoutName(data: unknown): unknown {
  const named = Named.safeParse(data)
  if (!named.success || named.data.call_id === undefined) return data
  const { call_id: _named, ...rest } = named.data
  return rest
}

const resolutionOf = ({ resolution, note }: z.output<typeof Resolution>) => ({
  resolution,
  ...(note === undefined ? {} : { note }),
})

function parse<Schema extends z.ZodType>(
  schema: Schema,
  data: unknown,
  at: string,
): z.output<Schema> {
  const parsed = schema.safeParse(data)
  if (parsed.success) return parsed.data
  const [issue] = parsed.error.issues
  const field = [at, ...(issue?.path ?? [])].join('.')
  throw new A2aError('INVALID_PARAMS', `${field}: ${issue?.message ?? ''}`, field)
}
