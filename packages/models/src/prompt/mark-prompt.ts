/**
 * Cache marks on the messages of a prompt. A provider keeps what stands before a mark, and looks for what it has kept from a mark backwards,
 * some twenty blocks far.
 *
 * C1 A mark stands on a message of the user or of tools. Behind it is nothing but what the model said itself, which may end in reasoning,
 *    and that takes no mark.
 * C2 Words behind results may be a reminder, which the next request no longer has: so the results are marked as well.
 * C3 Where a turn has more blocks than a provider looks back, with many calls at once, the place of the mark before it is marked as well:
 *    else the whole conversation would be written anew.
 * C4 Where old results may be cleared, the first message of a user is marked as well: with a summary in it or without, a prune leaves what is up
 *    to it as it was, and only what is behind it is written anew.
 *
 * So there are at most four marks, one of the request included, which is how many Anthropic and Bedrock take.
 */
import type { LanguageModelV4Prompt, SharedV4ProviderOptions } from '@ai-sdk/provider'

/** Options of the messages that are marked; null: none is. */
export interface PromptMarks {
  /** Of the last message of the user or of tools. */
  readonly last: SharedV4ProviderOptions | null
  /** Of those before it that are needed besides. */
  readonly earlier: SharedV4ProviderOptions | null
  /** Of the first message of the user. */
  readonly head: SharedV4ProviderOptions | null
}

/** Blocks between two marks that are certainly not too many. */
const blocksMax = 18

/** Sets the marks. */
export function markPrompt(
  messages: LanguageModelV4Prompt,
  { last, earlier, head }: PromptMarks,
): void {
  const end = placeBefore(messages, messages.length)
  setOptions(messages[end], last)
  if (messages[end]?.role === 'user' && messages[end - 1]?.role === 'tool')
    setOptions(messages[end - 1], earlier)
  const answer = messages.findLastIndex(({ role }, n) => role === 'assistant' && n < end)
  const before = placeBefore(messages, answer)
  if (blocksIn(messages.slice(before + 1, end + 1)) > blocksMax)
    setOptions(messages[before], earlier)
  const first = messages.findIndex(({ role }) => role === 'user')
  // As the last one it has its mark.
  if (first < end) setOptions(messages[first], head)
}

/** The place of the last message of the user or of tools before an index, -1 if there is none. */
const placeBefore = (messages: LanguageModelV4Prompt, end: number): number =>
  messages.findLastIndex(({ role }, n) => n < end && (role === 'user' || role === 'tool'))

const blocksIn = (messages: LanguageModelV4Prompt): number =>
  messages.reduce((sum, { content }) => sum + (typeof content === 'string' ? 1 : content.length), 0)

function setOptions(
  message: LanguageModelV4Prompt[number] | undefined,
  options: SharedV4ProviderOptions | null,
): void {
  if (message && options !== null) message.providerOptions = options
}
