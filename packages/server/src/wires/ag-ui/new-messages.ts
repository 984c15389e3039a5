/**
 * What of a client's messages is input. The client sends all of the conversation each time; the thread has it already.
 *
 * N1 A message is input once: whatever its run has come to, and while that run waits for its turn.
 * N2 What an assistant said and what a tool answered is never taken from a client.
 */
import { factSchemas, limits, partWords, type UserMessage } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import type { Api, Identified } from '../../http/api.ts'
import { fromBase64, fromDataUrl, type SentFile } from '../../http/brought-files.ts'
import { each } from '../langgraph/each.ts'
import type { Context, RunAgentInput, SentMessage } from './run-input.ts'

/** Begins the ids of messages that say what a client's `context` holds. */
const contextPrefix = 'ctx_'

/** A message that the create of a run takes. */
export interface NewMessage {
  readonly id: string
  readonly role: 'user' | 'system'
  readonly content: string
}

/** What is new, and what of it cannot be used. */
export interface NewMessages {
  readonly messages: readonly NewMessage[]
  /** Ids of messages that are neither known nor usable. */
  readonly ignoredMessages: readonly string[]
  /** Types of parts that cannot be used. */
  readonly ignoredParts: readonly string[]
  /** The files of the messages that are taken. */
  readonly files: readonly TypedFile[]
}

/** A file, and the type of the part that it is. */
interface TypedFile extends SentFile {
  readonly type: string
}

/** The messages of the thread that clients sent, those included whose runs wait for their turn. */
export async function knownMessages(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  threadId: string,
): Promise<readonly UserMessage[]> {
  const created = await saidOn(api, { tenantId, threadId })
  const queued = await api.read.runs(tenantId, {
    threadId,
    status: 'queued',
    limit: limits.queuedPerThreadMax,
  })
  const firsts = await each(queued, ({ runId }) =>
    api.read.runEvents(tenantId, runId, { after: 0, limit: limits.pageMax }),
  )
  return [...created, ...firsts.flat()].flatMap(messagesIn)
}

/** The events of the conversation in which clients said something, oldest first. */
async function saidOn(
  api: Pick<Api, 'read'>,
  { tenantId, threadId }: { readonly tenantId: string; readonly threadId: string },
): Promise<readonly StoredEvent[]> {
  const said: StoredEvent[] = []
  for (;;) {
    const after = said.at(-1)
    const page = await api.read.threadEvents(tenantId, threadId, {
      types: ['run.created', 'input.injected'],
      limit: limits.pageMax,
      ...(after ? { after } : {}),
    })
    said.push(...page)
    if (page.length < limits.pageMax) return said
  }
}

/** The run that began with a message of the conversation; null if none did. */
export async function runBegunBy(
  api: Pick<Api, 'read'>,
  { tenantId }: Identified,
  message: { readonly threadId: string; readonly id: string },
): Promise<RunHead | null> {
  const { threadId, id } = message
  const events = await saidOn(api, { tenantId, threadId })
  const created = events.findLast(
    (event) => event.type === 'run.created' && messagesIn(event).some((said) => said.id === id),
  )
  return created ? api.read.run(tenantId, created.runId, { hidden: true }) : null
}

/** What a client sent with an event; of what was erased, nothing. */
function messagesIn({ type, payload, salt }: StoredEvent): readonly UserMessage[] {
  if (salt === '') return []
  if (type === 'input.injected') return factSchemas[type].parse(payload).messages
  if (type !== 'run.created') return []
  return factSchemas[type].pick({ input: true }).parse(payload).input
}

/** Picks what is new; `named` makes the id of a message that tells the model of a new context. */
export function newsOf(
  { messages, context }: Pick<RunAgentInput, 'messages' | 'context'>,
  known: readonly UserMessage[],
  named: string,
): NewMessages {
  const ids = new Set(known.map(({ id }) => id))
  const said = new Set(known.filter(({ role }) => role === 'system').map(textOf))
  const read = messages
    .map((message, n) => ({ message, n }))
    .filter(({ message: { id, role } }) => !ids.has(id) && !notInput.has(role))
    .map(({ message, n }) => ({ message, ...contentOf(message, `messages[${n}]`) }))
  const taken = read.flatMap(({ message: { id, role }, text }) => {
    const ours = roles.get(role)
    // Some clients send their instructions under another id each time.
    if (ours === undefined || text.trim() === '' || (ours === 'system' && said.has(text))) return []
    return [{ id, role: ours, content: text }]
  })
  const told = taken.length === 0 ? [] : contextMessage(context, known, named)
  const takenIds = new Set(taken.filter(({ role }) => role === 'user').map(({ id }) => id))
  const isTaken = ({ message }: { readonly message: SentMessage }) => takenIds.has(message.id)
  const left = read.filter((one) => !isTaken(one)).flatMap(({ files }) => files)
  return {
    messages: [...told, ...taken],
    files: read.filter(isTaken).flatMap(({ files }) => files),
    ignoredMessages: read
      .filter(({ message, text }) => !roles.has(message.role) || text.trim() === '')
      .map(({ message }) => message.id),
    ignoredParts: typesOf([
      ...read.flatMap(({ unread }) => unread),
      ...left.map(({ type }) => type),
    ]),
  }
}

/** Messages that tell a client nothing new. */
export const isContext = ({ id }: { readonly id: string }): boolean => id.startsWith(contextPrefix)

const roles = new Map<string, NewMessage['role']>([
  ['user', 'user'],
  ['system', 'system'],
  ['developer', 'system'],
])

/** Of these the thread knows better; a client sends them along as a matter of course. */
const notInput = new Set(['assistant', 'tool', 'reasoning', 'activity'])

/** Each once. */
export const typesOf = (types: readonly string[]): readonly string[] => [...new Set(types)]

/** The content of a file, or its address; `binary` has it beside the type, all others in a source. */
const Source = z.looseObject({
  type: z.string().optional(),
  value: z.string().optional(),
  data: z.string().optional(),
  url: z.string().optional(),
})

const Parts = z.array(
  z.looseObject({
    type: z.string(),
    text: z.string().optional(),
    filename: z.string().optional().catch(undefined),
    source: Source.optional().catch(undefined),
  }),
)
type Part = z.output<typeof Parts>[number]

/** The types of parts that are files. */
const ofFiles = new Set(['image', 'audio', 'video', 'document', 'binary'])

interface SaidContent {
  readonly text: string
  readonly files: readonly TypedFile[]
  /** Types of parts that are neither. */
  readonly unread: readonly string[]
}

function contentOf({ content }: SentMessage, where: string): SaidContent {
  if (typeof content === 'string') return { text: content, files: [], unread: [] }
  const { data: parts = [] } = Parts.safeParse(content)
  const text = parts.flatMap((part) => (part.type === 'text' ? [part.text ?? ''] : [])).join('')
  const read = parts.map((part, n) => {
    const { type, filename } = part
    const bytes = bytesOf(part)
    return { type, filename, bytes, at: `${where}.content[${n}]` }
  })
  const files = read.flatMap(({ bytes, ...file }) => (bytes ? [{ ...file, bytes }] : []))
  const unread = read.filter(({ type, bytes }) => type !== 'text' && !bytes)
  return { text, files, unread: unread.map(({ type }) => type) }
}

/** The bytes of the file that a part is; null if it is none, or if they stand elsewhere: nothing is fetched. */
function bytesOf({ type, source, ...part }: Part): Uint8Array | null {
  if (!ofFiles.has(type)) return null
  const from = source ?? Source.safeParse(part).data
  if (!from) return null
  const base64 = from.type === 'data' ? from.value : from.data
  if (base64 !== undefined) return fromBase64(base64)
  return fromDataUrl(from.url ?? from.value ?? '')
}

const textOf = ({ parts }: UserMessage): string => parts.map(partWords).join('')

/** Only what was told last counts: a model reads the latest. */
function contextMessage(
  context: readonly Context[],
  known: readonly UserMessage[],
  named: string,
): readonly NewMessage[] {
  const lines = context.map(({ description, value }) => `${description}: ${value}`)
  const content = ['What the application says of itself now:', ...lines].join('\n')
  const last = known.findLast(isContext)
  if (context.length === 0 || (last && textOf(last) === content)) return []
  return [{ id: `${contextPrefix}${named}`, role: 'system', content }]
}
