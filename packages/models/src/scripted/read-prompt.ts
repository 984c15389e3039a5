/** The prompt of a chat-completions request, so that a script sees the same whichever way it is played. */
import { createHash } from 'node:crypto'
import {
  type AssistantPart,
  type ContentPart,
  imageHeadOf,
  type ImagePart,
  type Prompt,
  type PromptMessage,
  type ToolResult,
} from '@signalbox/core'
import { isStorableObject } from '../json.ts'
import { type Fields, fields, list, parseJson, text } from '../read.ts'

/** What was lost on the wire stays lost: ids of messages are positions, results do not say whether they are errors. */
export function promptOfBody(body: Fields): Prompt {
  const messages: PromptMessage[] = []
  const names = new Map<string, string>()
  for (const item of list(body['messages'])) {
    const message = fields(item) ?? {}
    switch (message['role']) {
      case 'system':
      case 'developer':
        messages.push({ role: 'system', text: contentText(message['content']) })
        break
      case 'assistant': {
        const parts = assistantParts(message)
        for (const part of parts) if (part.type === 'tool_call') names.set(part.id, part.name)
        messages.push({ role: 'assistant', id: `message_${messages.length}`, parts })
        break
      }
      case 'tool':
        addResult(messages, toolResult(message, names))
        break
      default:
        messages.push({ role: 'user', parts: userParts(message['content']) })
    }
  }
  return messages
}

/** Words in one text, and the images between them where they stand. A script sees of an image what its bytes say. */
function userParts(content: unknown): readonly ContentPart[] {
  const parts = list(content).map((part) => imageIn(fields(fields(part)?.['image_url'])))
  if (!parts.some((part) => part !== null)) return [{ type: 'text', text: contentText(content) }]
  return list(content).flatMap((part, n): ContentPart[] => {
    const image = parts[n]
    return image ? [image] : [{ type: 'text', text: text(fields(part)?.['text']) ?? '' }]
  })
}

/** Null: it is no address of an image with its bytes in it. The key says which image it is. */
function imageIn(address: Fields | undefined): ImagePart | null {
  const [, data] = /^data:image\/[a-z]+;base64,(.+)$/.exec(text(address?.['url']) ?? '') ?? []
  if (data === undefined) return null
  const bytes = Buffer.from(data, 'base64')
  const head = imageHeadOf(bytes)
  if (typeof head === 'string') return null
  const key = createHash('sha256').update(bytes).digest('hex')
  return { type: 'image', key, ...head, bytes: bytes.length }
}

function assistantParts(message: Fields): readonly AssistantPart[] {
  const reasoning = text(message['reasoning_content'])
  const said = contentText(message['content'])
  return [
    ...(reasoning ? [{ type: 'reasoning' as const, text: reasoning }] : []),
    ...(said ? [{ type: 'text' as const, text: said }] : []),
    ...list(message['tool_calls']).map((item) => {
      const call = fields(item) ?? {}
      const called = fields(call['function']) ?? {}
      const parsed = parseJson(text(called['arguments']) ?? '')
      const args = isStorableObject(parsed) ? parsed : {}
      return {
        type: 'tool_call' as const,
        id: text(call['id']) ?? '',
        name: text(called['name']) ?? '',
        args,
        // No script compares calls by it, and nothing stores what a script reads.
        argsHash: '',
      }
    }),
  ]
}

function toolResult(message: Fields, names: ReadonlyMap<string, string>): ToolResult {
  const callId = text(message['tool_call_id']) ?? ''
  return {
    callId,
    toolName: names.get(callId) ?? 'unknown',
    output: {
      content: [{ type: 'text', text: contentText(message['content']) }],
      isError: false,
    },
  }
}

function addResult(messages: PromptMessage[], result: ToolResult): void {
  const last = messages.at(-1)
  if (last?.role !== 'tool') messages.push({ role: 'tool', results: [result] })
  else messages[messages.length - 1] = { role: 'tool', results: [...last.results, result] }
}

function contentText(content: unknown): string {
  if (typeof content === 'string') return content
  return list(content)
    .map((part) => text(fields(part)?.['text']) ?? '')
    .join('\n')
}
