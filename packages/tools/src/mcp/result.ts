/** The result of an MCP call as a `ToolOutput`. Errors the server reports stay results: the model reads and reacts. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { ToolOutput } from '@signalbox/core'
import { assembleOutput } from '../output.ts'

/** Text stays text; what a text model cannot read becomes a note that says what it was. */
export function resultOutput(result: CallToolResult): ToolOutput {
  return assembleOutput({
    texts: (result.content ?? []).map(blockText),
    isError: result.isError ?? false,
    ...(result.structuredContent === undefined ? {} : { structured: result.structuredContent }),
  })
}

function blockText(block: ContentBlock): string {
  switch (block.type) {
    case 'text':
      return block.text
    case 'image':
    case 'audio':
      return `[${block.type} ${block.mimeType}, ${base64Bytes(block.data)} bytes, not shown]`
    case 'resource':
      return 'text' in block.resource
        ? `[resource ${block.resource.uri}]\n${block.resource.text}`
        : `[resource ${block.resource.uri}, ${base64Bytes(block.resource.blob)} bytes, not shown]`
    case 'resource_link':
      return `[resource link ${block.uri} "${block.name}"]`
  }
}

function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding)
}
