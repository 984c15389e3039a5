/**
 * How many tokens fit, by the words of a provider that refused a request as too long.
 *
 * N1 Nothing is guessed: words that name no window, or one that cannot be true, say nothing.
 * N2 A limit of tokens per minute is no window, although it may refuse the same request for good.
 */
import { limits } from '@signalbox/core'
import type { ProviderError } from '../provider-error.ts'

/** The words that tell stand at the beginning of a message; what follows may be a quotation of any length. */
const messageCharsMax = 4096

/**
 * Words that stand before the number, or behind it. They are those of Anthropic (two messages, also through Bedrock), OpenAI with Azure and
 * most servers that speak its interface, Gemini (two), xAI, Kimi, Alibaba, Mistral, vLLM, Cohere, LM Studio and llama.cpp.
 */
const wordings: readonly RegExp[] = [
  /prompt is too long: [\d,]+ tokens > ([\d,]+) maximum/i,
  /exceeds? context limit: [\d,]+ \+ [\d,]+ > ([\d,]+)/i,
  /maximum context length (?:is|of) ([\d,]+)/i,
  /exceeds the maximum number of tokens allowed \(([\d,]+)\)/i,
  /model only supports up to ([\d,]+)/i,
  /maximum prompt length is ([\d,]+)/i,
  /exceeded model token limit: ([\d,]+)/i,
  /range of input length should be \[\d+, ?([\d,]+)\]/i,
  /too large for model with ([\d,]+) maximum context length/i,
  /longer than the maximum model length of ([\d,]+)/i,
  /tokens in prompt cannot exceed ([\d,]+)/i,
  /context length of (?:only )?([\d,]+)/i,
  /available context size \(([\d,]+) tokens\)/i,
]

/** The window that an error names, in tokens; undefined if it names none. */
export function namedWindow({ message, window }: ProviderError): number | undefined {
  const said = message.slice(0, messageCharsMax)
  const found = wordings.map((words) => words.exec(said)?.[1]).find((it) => it !== undefined)
  const tokens = found === undefined ? window : Number(found.replaceAll(',', ''))
  const isPossible =
    tokens !== undefined &&
    Number.isSafeInteger(tokens) &&
    tokens >= limits.contextWindowMin &&
    tokens <= limits.contextWindowMax
  return isPossible ? tokens : undefined
}
