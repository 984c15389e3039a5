/**
 * What a client sends: its whole copy of the chat, of which one message counts.
 *
 * B1 The register says what was said. Of the client's copy only the last message of a user is read, or the answers in the
 *    message that it names; whatever else stands there changes nothing.
 */
import { z } from '@hono/zod-openapi'
import { limits, questionToolName } from '@signalbox/core'
import { type BroughtFile, broughtFiles, fromDataUrl } from '../../http/brought-files.ts'
import { Problem } from '../../http/problem.ts'

const messagesMax = 10_000
const partsMax = 10_000
const messageIdCharsMax = 100
const reasonCharsMax = 2000

const Part = z.looseObject({ type: z.string() })
const Message = z.looseObject({
  id: z.string().min(1).max(messageIdCharsMax),
  role: z.enum(['user', 'assistant', 'system']),
  parts: z.array(Part).max(partsMax),
})
type Message = z.infer<typeof Message>

/** Unknown fields are ignored: clients add their own. */
export const ChatPost = z
  .object({
    /** The client's name for the chat. */
    id: z.string().min(1, 'takes the id of the chat').max(limits.idCharsMax),
    messages: z.array(Message).min(1, 'takes at least one message').max(messagesMax),
    /** `regenerate-message`: another answer to the last message, which was answered before. */
    trigger: z.enum(['submit-message', 'regenerate-message']).default('submit-message'),
    /** Which message is sent, if not the last one; of `regenerate-message`, the answer that is not wanted. */
    messageId: z.string().max(messageIdCharsMax).nullish(),
  })
  .openapi('ChatPost')
export type ChatPost = z.output<typeof ChatPost>

/** What a human said about a call, as it stands in a message. */
export interface AnsweredCall {
  readonly approvalId: string
  readonly toolCallId: string
  readonly approved: boolean
  readonly reason: string | undefined
  /** Where in the request it stands. */
  readonly at: string
}

/** The output that a page gave a question of the model, as it stands in a message. */
export interface AnsweredInput {
  readonly toolCallId: string
  readonly output: unknown
  /** Where in the request it stands. */
  readonly at: string
}

/** What a request asks for. */
export type Wish =
  /** Another answer. `replaced` is the one that is not wanted, if the client says. */
  | { readonly kind: 'again'; readonly id: string; readonly replaced: string | null }
  | {
      readonly kind: 'message'
      readonly id: string
      readonly texts: readonly string[]
      readonly files: readonly BroughtFile[]
      /** Does the client name it as one that was sent? */
      readonly isEdit: boolean
    }
  | {
      readonly kind: 'answers'
      /** The message they stand in. */
      readonly id: string
      /** None if the client only asks how the message goes on. */
      readonly answers: readonly AnsweredCall[]
      /** Of questions that were answered before, too. */
      readonly inputs: readonly AnsweredInput[]
      /** How many steps of the message the client has begun. */
      readonly steps: number
    }

/** Reads the message that counts. @throws Problem if there is nothing in it to do */
export function wishOf({ messages, messageId, trigger }: ChatPost): Wish {
  if (trigger === 'regenerate-message') return again(messages, messageId ?? null)
  const named = messages.findLastIndex(({ id }) => id === messageId)
  const index = named === -1 ? messages.length - 1 : named
  const message = messages[index]
  const at = `messages[${index}]`
  if (message?.role === 'assistant') return answersIn(message, at)
  if (message?.role !== 'user') throw misfit('takes a message of the role "user"', `${at}.role`)
  if (index < messages.length - 1)
    throw misfit('takes the last message; what was sent before it stays as it is', 'messageId')
  const { id } = message
  const said = { texts: textsIn(message, at), files: filesIn(message, at) }
  return { kind: 'message', id, ...said, isEdit: id === messageId }
}

/** The client has taken the answer out of its copy: what is to be answered stands last. */
function again(messages: readonly Message[], replaced: string | null): Wish {
  const last = messages.at(-1)
  if (last?.role !== 'user')
    throw misfit('takes a message of the role "user"', `messages[${messages.length - 1}].role`)
  return { kind: 'again', id: last.id, replaced: replaced === last.id ? null : replaced }
}

const TextPart = z.looseObject({ type: z.literal('text'), text: z.string() })

function textsIn({ parts }: Message, at: string): readonly string[] {
  const texts = parts.flatMap((part, n) => {
    const where = `${at}.parts[${n}]`
    if (part.type !== 'text') return []
    const read = TextPart.safeParse(part)
    if (!read.success) throw misfit('takes a text', `${where}.text`)
    return read.data.text.trim() === '' ? [] : [read.data.text]
  })
  if (texts.length === 0)
    throw misfit('takes text that is not blank, beside files as well', `${at}.parts`)
  return texts
}

const SentFilePart = z.looseObject({
  url: z.string(),
  filename: z.string().optional(),
})

/** The files of a message. @throws Problem for one whose content is not in it */
const filesIn = ({ parts }: Message, at: string): readonly BroughtFile[] =>
  broughtFiles(
    parts.flatMap((part, n) => {
      if (part.type !== 'file') return []
      const where = `${at}.parts[${n}]`
      const read = SentFilePart.safeParse(part)
      const bytes = read.success ? fromDataUrl(read.data.url) : null
      if (read.success && bytes) return [{ filename: read.data.filename, bytes, at: where }]
      throw new Problem('not_available', {
        detail: `${where}.url: takes a data: address with what is in the file; nothing is fetched here`,
        field: `${where}.url`,
      })
    }),
  )

const Responded = z.looseObject({
  toolCallId: z.string(),
  approval: z.looseObject({
    id: z.string().min(1).max(limits.idCharsMax),
    approved: z.boolean(),
    reason: z.string().max(reasonCharsMax).optional(),
  }),
})

const GivenOutput = z.looseObject({
  type: z.string(),
  toolName: z.string().optional(),
  toolCallId: z.string(),
  state: z.literal('output-available'),
  output: z.unknown(),
})

const isQuestion = ({ type, toolName }: z.infer<typeof GivenOutput>): boolean =>
  type === `tool-${questionToolName}` || (type === 'dynamic-tool' && toolName === questionToolName)

function answersIn({ id, parts }: Message, at: string): Wish {
  const answers = parts.flatMap((part, n): readonly AnsweredCall[] => {
    if (part['state'] !== 'approval-responded') return []
    const where = `${at}.parts[${n}]`
    const read = Responded.safeParse(part)
    if (!read.success) {
      const path = [where, ...(read.error.issues[0]?.path ?? [])].join('.')
      throw misfit('takes an answer as addToolApprovalResponse makes it', path)
    }
    const { toolCallId, approval } = read.data
    const { id: approvalId, approved, reason } = approval
    return [{ approvalId, toolCallId, approved, reason, at: `${where}.approval.id` }]
  })
  const inputs = parts.flatMap((part, n): readonly AnsweredInput[] => {
    const read = GivenOutput.safeParse(part)
    if (!read.success || !isQuestion(read.data)) return []
    const { toolCallId, output } = read.data
    return [{ toolCallId, output, at: `${at}.parts[${n}].output` }]
  })
  const steps = parts.filter(({ type }) => type === 'step-start').length
  return { kind: 'answers', id, answers, inputs, steps }
}

const misfit = (takes: string, field: string): Problem =>
  new Problem('invalid_request', { detail: `${field}: ${takes}`, field })
