/**
 * `regenerate`: another answer to a message that was answered. It is a run that goes on from where the message stands in the
 * thread and says nothing itself; what was said after that place is no part of it, and stays in the log.
 */
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { createRun } from '../../http/create-run.ts'
import { findRun } from '../../http/find.ts'
import { Problem } from '../../http/problem.ts'
import { RunCreate } from '../../http/wire/run-create.ts'
import { inputCheckpoint } from '../langgraph/moments.ts'
import { type Chat, regeneratedAs, threadOf } from './chat-names.ts'
import { runOfMessage } from './open-runs.ts'
import { refuseWhileAsking } from './send-message.ts'

/** Makes the run. With `replaced`, the id of the answer that is not wanted, the same request finds it again. @throws Problem */
export async function answerAgain(
  api: Api,
  caller: Identified,
  asked: { readonly chat: Chat; readonly id: string; readonly replaced: string | null },
): Promise<RunHead> {
  const { chat, id, replaced } = asked
  const threadId = threadOf(chat)
  const alias = replaced === null ? undefined : regeneratedAs(chat, replaced)
  await refuseWhileAsking(api, { ...caller, threadId, alias: alias ?? '' })
  const answered = await runOfMessage(api, chat, id)
  const place = answered && (await inputCheckpoint(api.read, answered))
  if (!place)
    throw new Problem('invalid_request', {
      detail: `messages: takes a message of this chat that was answered; "${id}" was not.`,
      field: 'messages',
    })
  const body = RunCreate.parse({
    assistant_id: chat.agent,
    checkpoint_id: place,
    metadata: { chat_id: chat.chatId },
  })
  const { runId } = await createRun(api, caller, { body, threadId, idempotencyKey: alias })
  return findRun(api, caller, { run_id: runId })
}
