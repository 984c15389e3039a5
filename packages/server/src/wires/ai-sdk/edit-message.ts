/**
 * An edit of a message that was sent: another version of it, said from before the message. What was said after that place is no
 * part of the chat any more, and stays in the log.
 *
 * V1 Versions of a message are counted, and each is the alias of a run: of two edits at once, one comes after the other. The
 *    same edit again is the version that says so.
 * V2 An edit ends what goes on in the chat: nobody wants that answer any more.
 * V3 Before the first message of a chat there is nothing to go on from: the chat begins anew, on a thread of its own.
 */
import { factSchemas, partWords } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { type BroughtFile, keysOf } from '../../http/brought-files.ts'
import { createRun } from '../../http/create-run.ts'
import { findRun } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { RunCreate } from '../../http/wire/run-create.ts'
import { threadEvents } from '../langgraph/state.ts'
import { stepHeads } from '../langgraph/state-steps.ts'
import { type Chat, threadOf, versionAs } from './chat-names.ts'
import { stopChat } from './open-runs.ts'
import { beginAnew, newestOfMessage, type Version } from './versions.ts'

/** What is sent under the id of a message. */
export interface Sent {
  readonly chat: Chat
  readonly id: string
  readonly texts: readonly string[]
  readonly files: readonly BroughtFile[]
}

/** Edits that may be sent at once, each with another text. */
const racesMax = 5

/** Makes a version that says so, or finds it. @throws Problem unless `mayEdit` and the message is one of the chat as it is now */
export async function editMessage(
  api: Api,
  caller: Identified,
  { mayEdit, ...sent }: Sent & { readonly mayEdit: boolean },
): Promise<RunHead> {
  const { chat, id } = sent
  for (let tries = 0; tries < racesMax; tries++) {
    const newest = await newestOfMessage(api, chat, id)
    if (!newest) break
    const said = await saidBy(api, newest.head)
    if (said.userId !== caller.user?.id) break
    const { threadId } = newest.head
    const keys = await keysOf(api, caller, { threadId, files: sent.files })
    if (isSame(said.texts, sent.texts) && isSame(said.keys, keys))
      return found(api, chat, newest.head)
    if (!mayEdit) break
    const made = await makeVersion(api, caller, { sent, newest })
    if (made) return made
  }
  throw new Problem('idempotency_conflict', {
    detail: `The chat has a message "${id}" already, with other text or files, or of somebody else. To edit it, name it in messageId; else send a new one.`,
    field: 'messages',
  })
}

const isSame = (one: readonly string[], other: readonly string[]): boolean =>
  JSON.stringify(one) === JSON.stringify(other)

/** The texts that a run was asked, the keys of the files that it was given, and its user. */
async function saidBy(api: Pick<Api, 'read'>, { tenantId, runId }: RunHead) {
  const [created] = await api.read.runEvents(tenantId, runId, { after: 0, limit: 1 })
  const fact = factSchemas['run.created'].pick({ input: true, user: true, files: true })
  const { input, user, files } = created?.salt
    ? fact.parse(created.payload)
    : { input: [], user: undefined, files: undefined }
  const parts = input.flatMap((message) => message.parts)
  const texts = parts.map(partWords)
  const keys = Array.isArray(files) ? files.map(({ key }) => key ?? '') : []
  return { texts, keys, userId: user?.id }
}

/** Sent again. If the chat began anew with it, and that was not kept, it is now. */
async function found(api: Api, chat: Chat, head: RunHead): Promise<RunHead> {
  const next = { ...chat, generation: chat.generation + 1 }
  if (head.threadId === threadOf(next)) await beginAnew(api, next)
  return head
}

/** The next version. Null: somebody else has made it, with another text. */
async function makeVersion(
  api: Api,
  caller: Identified,
  { sent, newest }: { readonly sent: Sent; readonly newest: Version },
): Promise<RunHead | null> {
  const { chat, id, texts, files } = sent
  if (newest.head.threadId !== threadOf(chat))
    throw new Problem('invalid_request', {
      detail: `messageId: the chat has begun anew since, and "${id}" is no part of it. Load it again.`,
      field: 'messageId',
    })
  const before = await placeBefore(api, newest.head)
  const next = before === null ? { ...chat, generation: chat.generation + 1 } : chat
  const body = RunCreate.parse({
    assistant_id: chat.agent,
    input: {
      messages: [{ id, role: 'user', content: texts.map((text) => ({ type: 'text', text })) }],
    },
    metadata: { chat_id: chat.chatId },
    multitask_strategy: 'interrupt',
    ...(before === null ? {} : { checkpoint_id: before }),
  })
  const alias = versionAs(chat, id, newest.version + 1)
  const request = { body, threadId: threadOf(next), idempotencyKey: alias, brought: files }
  const made = await createRun(api, caller, request).catch((error: unknown) => {
    if (error instanceof Problem && error.code === 'idempotency_conflict') return null
    throw error
  })
  if (!made) return null
  if (before === null) {
    await beginAnew(api, next)
    await stopChat(api, caller, chat)
  }
  return findRun(api, caller, { run_id: made.runId })
}

/** The checkpoint that the words of a run stand behind. Null: they are the first of their thread. */
async function placeBefore(api: Pick<Api, 'read'>, head: RunHead): Promise<string | null> {
  const { runId } = head
  const events = await threadEvents(api.read, head, { runId, seq: Number.POSITIVE_INFINITY })
  const first = stepHeads(events).find((step) => step.runId === runId)
  if (first) return first.parentId
  throw new Problem('thread_busy', {
    detail: 'The message waits for its turn. Edit it once it is answered, or stop the chat before.',
    field: 'messageId',
  })
}
