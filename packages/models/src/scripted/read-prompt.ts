/** The prompt of a chat-completions request, so that a script sees the same whichever way it is played. */
import type { AssistantPart, Prompt, PromptMessage, ToolResult } from '@signalbox/core'
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
        messages.push({
          role: 'user',
          parts: [{ type: 'text', text: contentText(message['content']) }],
        })
    }
  }
  return messages
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
