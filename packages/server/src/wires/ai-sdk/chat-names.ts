/** How the words of a client become ours: a chat is a thread, a message that was sent is the alias of a run. */
import { canonical, uuidOf } from '@signalbox/engine'

/** What an address says of a chat. Chats of two agents are two, whatever the clients call them. */
export interface ChatName {
  readonly tenantId: string
  /** The name of the agent. */
  readonly agent: string
  readonly chatId: string
}

/** A chat as it is now. */
export interface Chat extends ChatName {
  /** How often its first message was edited. Each time it began anew, on a thread of its own: see `edit-message.ts`. */
  readonly generation: number
}

/** The thread of a chat: the same for the same words, for ever. */
export function threadOf({ tenantId, agent, chatId, generation }: Chat): string {
  const name = ['signalbox.chat', tenantId, agent, chatId]
  return uuidOf(canonical(generation === 0 ? name : [...name, generation]))
}

/** The alias of the run that answers anew, in the place of this answer. */
export const regeneratedAs = ({ agent, chatId }: ChatName, messageId: string): string =>
  `chat:${uuidOf(canonical(['signalbox.chat.message', agent, chatId, 'regenerate-message', messageId]))}`

/** The alias of the run that a message begins; whoever sends the message again gets that run. */
export const aliasOf = ({ agent, chatId }: ChatName, messageId: string): string =>
  `chat:${uuidOf(canonical(['signalbox.chat.message', agent, chatId, 'submit-message', messageId]))}`

/** The same of a version of the message: 0 is the message as it was sent first, 1 its first edit. */
export const versionAs = (chat: ChatName, messageId: string, version: number): string =>
  version === 0
    ? aliasOf(chat, messageId)
    : `chat:${uuidOf(canonical(['signalbox.chat.message', chat.agent, chat.chatId, 'edit-message', messageId, version]))}`
