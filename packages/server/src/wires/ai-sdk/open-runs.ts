/** What is going on in a chat. */
import { limits } from '@signalbox/core'
import type { RunHead } from '@signalbox/engine'
import type { Api, Identified } from '../../http/api.ts'
import { recordCancel } from '../../http/cancel-run.ts'
import { type Chat, threadOf } from './chat-names.ts'
import { newestOfMessage } from './versions.ts'

const isQueued = (run: RunHead): boolean => run.status === 'queued'

/** The runs of a chat that have not ended, oldest first. At most `limits.pageMax`, the oldest of which may be missing. */
async function openRuns(api: Pick<Api, 'read'>, chat: Chat): Promise<readonly RunHead[]> {
  const among = { statuses: ['queued', 'running', 'waiting'] as const, outcomes: [] }
  const filter = { threadId: threadOf(chat), among, limit: limits.pageMax }
  return (await api.read.runs(chat.tenantId, filter)).toReversed()
}

/** The run whose message is being told: the oldest that has not ended. Null: nothing is going on. */
export async function activeRun(api: Pick<Api, 'read'>, chat: Chat): Promise<RunHead | null> {
  const [oldest = null] = await openRuns(api, chat)
  return oldest
}

/** The run of a message as it is now, by the id of the message itself or of the one it answers, whether or not it goes on. */
export async function runOfMessage(
  api: Pick<Api, 'read'>,
  chat: Chat,
  messageId: string,
): Promise<RunHead | null> {
  const { tenantId } = chat
  const sent = await newestOfMessage(api, chat, messageId)
  const head = sent?.head ?? (await api.read.run(tenantId, messageId))
  return head?.threadId === threadOf(chat) ? head : null
}

/** Cancels whatever goes on, or waits to. Answers the ids of these runs: from then on no new effect of them starts. */
export async function stopChat(
  api: Api,
  caller: Identified,
  chat: Chat,
): Promise<readonly string[]> {
  const open = await openRuns(api, chat)
  // What waits first: else the end of the one that runs would start the next.
  const inOrder = [...open.filter(isQueued), ...open.filter((run) => !isQueued(run))]
  const stopped: string[] = []
  for (const run of inOrder) {
    const answer = await recordCancel(api, caller, { run })
    if (answer !== 'ended') stopped.push(run.runId)
  }
  return stopped
}
