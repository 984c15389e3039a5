/**
 * Tokens as the raw chunks count them, for a turn whose stream ended before the package could say it: one that broke, or
 * that a guardrail cut. A stream may count in every chunk, and not all count upwards: the largest one counts.
 */
import { limits, type Usage } from '@signalbox/core'
import { type Fields, fields } from '../read.ts'
import type { Wire } from './wires.ts'

/** What a chunk says about tokens; nothing for most chunks. */
export function readUsage(wire: Wire, chunk: Fields): Usage {
  switch (wire) {
    case 'chat': {
      const usage = fields(chunk['usage'])
      return usage ? openAiUsage(usage, 'prompt', 'completion') : {}
    }
    case 'responses': {
      const usage = fields(fields(chunk['response'])?.['usage'])
      return usage ? openAiUsage(usage, 'input', 'output') : {}
    }
    case 'messages':
      return anthropicUsage(fields(chunk['usage']) ?? fields(fields(chunk['message'])?.['usage']))
    case 'gemini':
      return geminiUsage(fields(chunk['usageMetadata']))
    case 'converse':
      return converseUsage(fields(fields(chunk['metadata'])?.['usage']))
  }
}

/** Of each count the larger one. */
export function largerUsage(one: Usage, other: Usage): Usage {
  const larger = new Map<string, number>()
  for (const [name, count] of [one, other].flatMap((usage) => Object.entries(usage)))
    if (typeof count === 'number') larger.set(name, Math.max(count, larger.get(name) ?? 0))
  return counted(Object.fromEntries(larger))
}

/** Tokens that were read from or written to the cache are among the input tokens. */
function openAiUsage(usage: Fields, input: string, output: string): Usage {
  const details = fields(usage[`${input}_tokens_details`])
  return counted({
    inputTokens: usage[`${input}_tokens`],
    outputTokens: usage[`${output}_tokens`],
    cachedInputTokens: details?.['cached_tokens'],
    cacheWriteTokens: details?.['cache_write_tokens'] || undefined,
    reasoningTokens: fields(usage[`${output}_tokens_details`])?.['reasoning_tokens'],
  })
}

/** Tokens that were read from or written to the cache come beside the input tokens, not in them. */
function anthropicUsage(usage: Fields | undefined): Usage {
  if (!usage) return {}
  return counted({
    inputTokens: sum(
      usage['input_tokens'],
      usage['cache_read_input_tokens'],
      usage['cache_creation_input_tokens'],
    ),
    outputTokens: usage['output_tokens'],
    cachedInputTokens: usage['cache_read_input_tokens'],
    cacheWriteTokens: usage['cache_creation_input_tokens'] || undefined,
  })
}

function geminiUsage(usage: Fields | undefined): Usage {
  if (!usage) return {}
  return counted({
    inputTokens: usage['promptTokenCount'],
    outputTokens: sum(usage['candidatesTokenCount'] ?? 0, usage['thoughtsTokenCount']),
    cachedInputTokens: usage['cachedContentTokenCount'],
    reasoningTokens: usage['thoughtsTokenCount'],
  })
}

function converseUsage(usage: Fields | undefined): Usage {
  if (!usage) return {}
  return counted({
    inputTokens: sum(
      usage['inputTokens'],
      usage['cacheReadInputTokens'],
      usage['cacheWriteInputTokens'],
    ),
    outputTokens: usage['outputTokens'],
    cachedInputTokens: usage['cacheReadInputTokens'],
    cacheWriteTokens: usage['cacheWriteInputTokens'] || undefined,
  })
}

/** The sum of the counts that are there, undefined if the first is not. */
function sum(first: unknown, ...more: readonly unknown[]): unknown {
  if (tokenCount(first) === undefined) return undefined
  return [first, ...more].reduce<number>((total, each) => total + (tokenCount(each) ?? 0), 0)
}

function counted(counts: Readonly<Record<string, unknown>>): Usage {
  return Object.fromEntries(
    Object.entries(counts).flatMap(([name, count]) => {
      const tokens = tokenCount(count)
      return tokens === undefined ? [] : [[name, tokens]]
    }),
  )
}

/** A count of tokens: rounded up, at most `limits.usageTokensMax`. Undefined for what is no count: text, null, less than nothing. */
export function tokenCount(value: unknown): number | undefined {
  if (typeof value !== 'number' || !(value >= 0)) return undefined
  return Math.min(Math.ceil(value), limits.usageTokensMax)
}
