/** How the words of a client become ours: a chat is a thread, a message that was sent is the alias of a run. */
import { canonical, uuidOf } from '@signalbox/engine'

/** A chat, as its address names it. Chats of two agents are two, whatever the clients call them. */
export interface Chat {
  readonly tenantId: string
  /** The name of the agent. */
  readonly agent: string
  readonly chatId: string
}

/** The thread of a chat: the same for the same words, for ever. */
export const threadOf = ({ tenantId, agent, chatId }: Chat): string =>
  uuidOf(canonical(['signalbox.chat', tenantId, agent, chatId]))

/** The alias of the run that answers anew, in the place of this answer. */
export const regeneratedAs = ({ agent, chatId }: Chat, messageId: string): string =>
  `chat:${uuidOf(canonical(['signalbox.chat.message', agent, chatId, 'regenerate-message', messageId]))}`

/** The alias of the run that a message begins; whoever sends the message again gets that run. */
export const aliasOf = ({ agent, chatId }: Chat, messageId: string): string =>
  `chat:${uuidOf(canonical(['signalbox.chat.message', agent, chatId, 'submit-message', messageId]))}`
