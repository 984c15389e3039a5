/**
 * A prompt as the provider packages take it.
 *
 * M1 All results of a turn stand in one tool message: Gemini would make a user turn of each (I24).
 * M2 Provider metadata goes back to the provider it came from and to no other.
 * M3 No part is empty: providers refuse empty and blank text.
 * M4 An image stands where its part stands. Where a wire takes none in results, or the result reports an error, a line stands in the result and the
 *    image in one message of the user behind all results of the turn (I24).
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
  ImagePart,
  JsonObject,
  Prompt,
  TextPart,
  ToolResult,
} from '@signalbox/core'
import { imageWords } from '@signalbox/core'
import { isJsonObject } from '../json.ts'
import { wireCallId, wireToolName } from './call-ids.ts'
import { noImages, type SeenImages } from './images.ts'
import { markPrompt, type PromptMarks } from './mark-prompt.ts'

type Assistant = Extract<LanguageModelV4Message, { role: 'assistant' }>
type AssistantContent = Assistant['content'][number]
type User = Extract<LanguageModelV4Message, { role: 'user' }>
type UserContent = User['content'][number]

/**
 * Maps a prompt. `metaKeys` are the keys of provider metadata that the provider reads, `marks` what it is to cache, `images` those that it is
 * shown.
 */
export function toProviderPrompt(
  prompt: Prompt,
  metaKeys: readonly string[],
  {
    marks = null,
    images = noImages,
  }: { readonly marks?: PromptMarks | null; readonly images?: SeenImages } = {},
): LanguageModelV4Prompt {
  const messages: LanguageModelV4Prompt = []
  for (const message of prompt) {
    switch (message.role) {
      case 'system':
        messages.push(systemMessage(message.text, messages))
        break
      case 'user':
        addWords(messages, userContent(message.parts, images))
        break
      case 'assistant': {
        const content = message.parts.flatMap((part) => assistantContent(part, metaKeys))
        if (content.length > 0) messages.push({ role: 'assistant', content })
        break
      }
      case 'tool':
        addResults(messages, message.results, images)
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

function userContent(parts: readonly ContentPart[], images: SeenImages): UserContent[] {
  const content = parts.flatMap((part): UserContent[] => {
    if (part.type !== 'image') return textPart(plainText(part))
    const seen = images.of(part)
    if ('words' in seen) return textPart(seen.words)
    return [...textPart(`[${imageWords(part)}]`), filePart(part, seen.base64)]
  })
  return content.length > 0 ? content : textPart('(no content)')
}

const textPart = (text: string) => (text.trim() === '' ? [] : [{ type: 'text' as const, text }])

const filePart = ({ mime }: ImagePart, data: string) => ({
  type: 'file' as const,
  mediaType: mime,
  data: { type: 'data' as const, data },
})

/** Words right behind the images of results stand in the same message: some models want strict alternation. */
function addWords(messages: LanguageModelV4Prompt, content: UserContent[]): void {
  const last = messages.at(-1)
  if (last?.role === 'user' && messages.at(-2)?.role === 'tool') last.content.push(...content)
  else messages.push({ role: 'user', content })
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

function addResults(
  messages: LanguageModelV4Prompt,
  results: readonly ToolResult[],
  images: SeenImages,
): void {
  const last = messages.at(-1)
  const content = results.map((result) => toolResult(result, images))
  if (last?.role === 'tool') last.content.push(...content)
  else if (content.length > 0) messages.push({ role: 'tool', content })
  const behind = results.flatMap((result) => imagesBehind(result, images))
  if (behind.length > 0) messages.push({ role: 'user', content: behind })
}

/** Does the result hold its images? An error is text on every wire. */
const holdsImages = ({ output }: ToolResult, { inResults }: SeenImages): boolean =>
  inResults && !output.isError

function toolResult(result: ToolResult, images: SeenImages): LanguageModelV4ToolResultPart {
  const { callId, toolName, output } = result
  const isWithin = holdsImages(result, images)
  const files = isWithin ? output.content.flatMap((part) => filesOf(part, images)) : []
  const text = output.content
    .map((part) => (part.type === 'image' ? lineOf(part, { images, isWithin }) : plainText(part)))
    .filter((it) => it.trim() !== '')
    .join('\n')
  const structured = output.structured === undefined ? '' : JSON.stringify(output.structured)
  const value = text || structured || '(no output)'
  const about = {
    type: 'tool-result' as const,
    toolCallId: wireCallId(callId),
    toolName: wireToolName(toolName),
  }
  if (files.length > 0)
    return {
      ...about,
      output: { type: 'content', value: [{ type: 'text', text: value }, ...files] },
    }
  return { ...about, output: { type: output.isError ? 'error-text' : 'text', value } }
}

function filesOf(part: ContentPart, images: SeenImages) {
  const seen = part.type === 'image' ? images.of(part) : null
  return part.type === 'image' && seen && 'base64' in seen ? [filePart(part, seen.base64)] : []
}

/** The line about an image in the text of its result. */
function lineOf(
  part: ImagePart,
  { images, isWithin }: { readonly images: SeenImages; readonly isWithin: boolean },
): string {
  const seen = images.of(part)
  if ('words' in seen) return seen.words
  return `[${imageWords(part)}${isWithin ? '' : ', shown behind the results'}]`
}

/** The images of a result that do not stand in it, each with a line that says whose it is. */
function imagesBehind(result: ToolResult, images: SeenImages): UserContent[] {
  if (holdsImages(result, images)) return []
  const toolName = wireToolName(result.toolName)
  return result.output.content.flatMap((part) => {
    const files = filesOf(part, images)
    if (part.type !== 'image' || files.length === 0) return []
    return [...textPart(`[${imageWords(part)}, of a result of ${toolName}]`), ...files]
  })
}

function plainText(part: TextPart | BlobPart): string {
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
