/**
 * A prompt as the provider packages take it.
 *
 * M1 All results of a turn stand in one tool message: Gemini would make a user turn of each (I24).
 * M2 Provider metadata goes back to the provider it came from and to no other.
 * M3 No part is empty: providers refuse empty and blank text.
 */
import type {
  LanguageModelV4Message,
  LanguageModelV4Prompt,
  LanguageModelV4ToolResultPart,
  SharedV4ProviderOptions,
} from '@ai-sdk/provider'
import type {
  AssistantPart,
  BlobPart,
  ContentPart,
  JsonObject,
  Prompt,
  ToolResult,
} from '@signalbox/core'
import { isJsonObject } from '../json.ts'
import { wireCallId, wireToolName } from './call-ids.ts'
import { markPrompt, type PromptMarks } from './mark-prompt.ts'

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
type AssistantContent = Assistant['content'][number]

/** Maps a prompt. `metaKeys` are the keys of provider metadata that the provider reads, `marks` what it is to cache. */
export function toProviderPrompt(
  prompt: Prompt,
  metaKeys: readonly string[],
  marks: PromptMarks | null = null,
): LanguageModelV4Prompt {
  const messages: LanguageModelV4Prompt = []
  for (const message of prompt) {
    switch (message.role) {
      case 'system':
        messages.push(systemMessage(message.text, messages))
        break
      case 'user':
        messages.push({ role: 'user', content: userContent(message.parts) })
        break
      case 'assistant': {
        const content = message.parts.flatMap((part) => assistantContent(part, metaKeys))
        if (content.length > 0) messages.push({ role: 'assistant', content })
        break
      }
      case 'tool':
        addResults(messages, message.results)
    }
  }
  if (marks !== null) markPrompt(messages, marks)
  return messages
}

/** Most providers take a system message only at the start: a later one is said in the user's role. */
function systemMessage(text: string, before: LanguageModelV4Prompt): LanguageModelV4Message {
  return before.every(({ role }) => role === 'system')
    ? { role: 'system', content: text }
    : { role: 'user', content: [{ type: 'text', text }] }
}

function userContent(parts: readonly ContentPart[]) {
  const texts = parts.map(plainText).filter((text) => text.trim() !== '')
  return (texts.length > 0 ? texts : ['(no content)']).map((text) => ({
    type: 'text' as const,
    text,
  }))
}

function assistantContent(part: AssistantPart, metaKeys: readonly string[]): AssistantContent[] {
  switch (part.type) {
    case 'text':
    case 'reasoning': {
      const options = optionsFor(part.meta, metaKeys)
      // Without text, only what the provider wants back is worth a part: a redacted thought, a signature.
      if (part.text.trim() === '' && !options.providerOptions) return []
      return [{ type: part.type, text: part.text, ...options }]
    }
    case 'blob':
      return [{ type: 'text', text: blobText(part) }]
    case 'tool_call':
      return [
        {
          type: 'tool-call',
          toolCallId: wireCallId(part.id),
          toolName: wireToolName(part.name),
          input: part.args,
          ...optionsFor(part.meta, metaKeys),
        },
      ]
    case 'provider_tool': {
      const options = optionsFor(part.meta, metaKeys)
      return options.providerOptions && part.result
        ? providerTool(part.id, part.name, { call: part.call, result: part.result, options })
        : []
    }
  }
}

/** What the provider ran itself: call and result side by side in the assistant's message. */
function providerTool(
  id: string,
  toolName: string,
  {
    call,
    result,
    options,
  }: {
    call: JsonObject
    result: JsonObject
    options: { providerOptions?: SharedV4ProviderOptions }
  },
): AssistantContent[] {
  const value = result['value'] ?? result
  return [
    {
      type: 'tool-call',
      toolCallId: id,
      toolName,
      input: call,
      providerExecuted: true,
      ...options,
    },
    {
      type: 'tool-result',
      toolCallId: id,
      toolName,
      output: { type: 'json', value: value },
      ...options,
    },
  ]
}

function addResults(messages: LanguageModelV4Prompt, results: readonly ToolResult[]): void {
  const last = messages.at(-1)
  const content = results.map(toolResult)
  if (last?.role === 'tool') last.content.push(...content)
  else if (content.length > 0) messages.push({ role: 'tool', content })
}

function toolResult({ callId, toolName, output }: ToolResult): LanguageModelV4ToolResultPart {
  const text = output.content
    .map(plainText)
    .filter((it) => it.trim() !== '')
    .join('\n')
  const structured = output.structured === undefined ? '' : JSON.stringify(output.structured)
  return {
    type: 'tool-result',
    toolCallId: wireCallId(callId),
    toolName: wireToolName(toolName),
    output: {
      type: output.isError ? 'error-text' : 'text',
      value: text || structured || '(no output)',
    },
  }
}

function plainText(part: ContentPart): string {
  return part.type === 'text' ? part.text : blobText(part)
}

/** The preview is head and tail of the content; the model is told that it is not all. */
function blobText({ preview, bytes, mime, key }: BlobPart): string {
  return `${preview}\n[${bytes} bytes of ${mime}, shortened; the whole content is stored as ${key}]`
}

function optionsFor(
  meta: JsonObject | undefined,
  metaKeys: readonly string[],
): { providerOptions?: SharedV4ProviderOptions } {
  const own: SharedV4ProviderOptions = {}
  for (const key of metaKeys) {
    const value = meta?.[key]
    if (isJsonObject(value)) own[key] = value
  }
  return Object.keys(own).length > 0 ? { providerOptions: own } : {}
}
