/** A message of a user begins a run; the same message again finds it. */
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { createRun } from '../../http/create-run.ts'
import { findRun } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { RunCreate } from '../../http/wire/run-create.ts'
import { aliasOf, threadOf } from './chat-names.ts'
import { editMessage, type Sent } from './edit-message.ts'
import { newestOfMessage } from './versions.ts'

/** Makes the run, or finds it. `isEdit`: the client names the message as one that was sent. @throws Problem */
export async function sendMessage(
  api: Api,
  caller: Identified,
  sent: Sent & { readonly isEdit: boolean },
): Promise<RunHead> {
  const { chat, id, texts, files, isEdit } = sent
  if (isEdit && (await newestOfMessage(api, chat, id)))
    return editMessage(api, caller, { chat, id, texts, files, mayEdit: true })
  const threadId = threadOf(chat)
  const alias = aliasOf(chat, id)
  await refuseWhileAsking(api, { ...caller, threadId, alias })
  const content = texts.map((text) => ({ type: 'text', text }))
  const body = RunCreate.parse({
    assistant_id: chat.agent,
    input: { messages: [{ id, role: 'user', content }] },
    metadata: { chat_id: chat.chatId },
  })
  try {
    const { runId } = await createRun(api, caller, {
      body,
      threadId,
      idempotencyKey: alias,
      brought: files,
    })
    return await findRun(api, caller, { run_id: runId })
  } catch (error) {
    if (isConflict(error))
      return editMessage(api, caller, { chat, id, texts, files, mayEdit: false })
    throw error
  }
}

/** A message that waited behind a question would keep the page from answering it: it waits for the stream of its message. */
export async function refuseWhileAsking(
  api: Pick<Api, 'read'>,
  place: { readonly tenantId: string; readonly threadId: string; readonly alias: string },
): Promise<void> {
  const { tenantId, threadId, alias } = place
  const [waiting] = await api.read.runs(tenantId, { threadId, status: 'waiting', limit: 1 })
  if (!waiting || (await api.read.run(tenantId, alias))) return
  throw new Problem('run_waits', {
    detail: 'The chat waits for a human: answer the approval, or stop the chat, then send this.',
    field: 'messages',
    more: { run_id: waiting.runId },
  })
}

const isConflict = (error: unknown): boolean =>
  error instanceof Problem && error.code === 'idempotency_conflict'
