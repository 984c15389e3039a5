/**
 * Cache marks on the messages of a prompt.
 *
 * C1 A mark stands on a message of the user or of tools. Behind it is nothing but what the model said itself, which may end in reasoning,
 *    and that takes no mark.
 * C2 A provider looks for what it has kept from a mark backwards, some twenty blocks far. Where a turn has more, with many calls at once,
 *    the place of the mark before it is marked as well: else the whole conversation would be written anew.
 */
import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Options of the messages that are marked; null: none is. */
export interface PromptMarks {
  /** Of the last message of the user or of tools. */
  readonly last: SharedV4ProviderOptions | null
  /** Of the last one of the turn before, where it is too far away. */
  readonly earlier: SharedV4ProviderOptions | null
}

/** Blocks between two marks that are certainly not too many. */
const blocksMax = 18

/** Sets the marks. */
export function markPrompt(messages: LanguageModelV4Prompt, { last, earlier }: PromptMarks): void {
  const end = placeBefore(messages, messages.length)
  const answer = messages.findLastIndex(({ role }, n) => role === 'assistant' && n < end)
  const before = placeBefore(messages, answer)
  const blocks = messages
    .slice(before + 1, end + 1)
    .reduce((sum, { content }) => sum + (typeof content === 'string' ? 1 : content.length), 0)
  setOptions(messages[end], last)
  if (blocks > blocksMax) setOptions(messages[before], earlier)
}

/** The place of the last message of the user or of tools before an index, -1 if there is none. */
const placeBefore = (messages: LanguageModelV4Prompt, end: number): number =>
  messages.findLastIndex(({ role }, n) => n < end && (role === 'user' || role === 'tool'))

function setOptions(
  message: LanguageModelV4Prompt[number] | undefined,
  options: SharedV4ProviderOptions | null,
): void {
  if (message && options !== null) message.providerOptions = options
}
