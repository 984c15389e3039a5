/** Versions of a message: as it was sent first, and each edit of it. */
import type { RunHead } from '@signalbox/engine'
import type { Api } from '../../http/api.ts'
import { type Chat, type ChatName, threadOf, versionAs } from './chat-names.ts'

/** More than anybody edits one message. */
const versionsMax = 1000

export interface Version {
  /** 0: as it was sent first. */
  readonly version: number
  /** The run that it began. */
  readonly head: RunHead
}

/** What a message says now. Null: it was never sent. */
export async function newestOfMessage(
  api: Pick<Api, 'read'>,
  chat: ChatName,
  messageId: string,
): Promise<Version | null> {
  let newest: Version | null = null
  for (let version = 0; version < versionsMax; version++) {
    const head = await api.read.run(chat.tenantId, versionAs(chat, messageId, version))
    if (!head) break
    newest = { version, head }
  }
  return newest
}

/** Where the first thread of a chat keeps how often the chat began anew. */
const generationKey = 'chat_generation'

/** The chat as it is now. */
export async function currentChat(api: Pick<Api, 'read'>, name: ChatName): Promise<Chat> {
  const first = { ...name, generation: 0 }
  const thread = await api.read.thread(name.tenantId, threadOf(first))
  const kept = thread?.metadata[generationKey]
  const isKept = typeof kept === 'number' && Number.isSafeInteger(kept) && kept > 0
  return isKept ? { ...first, generation: kept } : first
}

/** From now on the chat is of this generation. Again, it changes nothing. */
export async function beginAnew(api: Pick<Api, 'threads'>, chat: Chat): Promise<void> {
  const { tenantId, generation } = chat
  const threadId = threadOf({ ...chat, generation: 0 })
  await api.threads.changeThread(
    { tenantId, threadId },
    { metadata: { [generationKey]: generation } },
  )
}
