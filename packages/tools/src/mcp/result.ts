/** The result of an MCP call as a `ToolOutput`. Errors the server reports stay results: the model reads and reacts. */
import type { CallToolResult, ContentBlock } from '@modelcontextprotocol/client'
import type { ToolOutput } from '@signalbox/core'
import type { ImageDraft } from '@signalbox/engine'
import { assembleOutput } from '../output.ts'

/** An output, and the images in it, for a model that sees them. */
export interface McpOutput {
  readonly output: ToolOutput
  readonly images: readonly ImageDraft[]
}

/**
 * Text stays text; what a text model cannot read becomes a note that says what it was. An image is one as well where it stands in the result
 * itself: what is elsewhere is named, and not fetched.
 */
export function resultOutput(result: CallToolResult): McpOutput {
  const blocks = result.content ?? []
  const texts = blocks.map(blockText)
  const output = assembleOutput({
    texts,
    isError: result.isError ?? false,
    ...(result.structuredContent === undefined ? {} : { structured: result.structuredContent }),
  })
  const images = blocks.flatMap((block, at): readonly ImageDraft[] => {
    const part = output.content[at]
    // A result that was too large ends with a note of ours.
    const isThere = part?.type === 'text' && part.text === texts[at]
    const image = isThere ? imageOf(block) : null
    return image ? [{ at, ...image }] : []
  })
  return { output, images }
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

/** The image that a block is, whatever its bytes will turn out to be; null: it says that it is something else. */
function imageOf(block: ContentBlock): Omit<ImageDraft, 'at'> | null {
  if (block.type === 'image') return { bytes: bytesOf(block.data), mime: block.mimeType }
  if (block.type !== 'resource' || !('blob' in block.resource)) return null
  const { blob, mimeType = '', uri } = block.resource
  if (!/^image\//i.test(mimeType)) return null
  const name = /([^/?#]+)(?:[?#].*)?$/.exec(uri)?.[1]
  return { bytes: bytesOf(blob), mime: mimeType, ...(name === undefined ? {} : { name }) }
}

/** What is no base64 at all has no bytes, and so is no image. */
const bytesOf = (data: string): Uint8Array =>
  /^[\w+/\s-]*=*\s*$/.test(data) ? Buffer.from(data, 'base64') : Buffer.alloc(0)

function base64Bytes(data: string): number {
  const padding = data.endsWith('==') ? 2 : data.endsWith('=') ? 1 : 0
  return Math.max(0, Math.floor((data.length * 3) / 4) - padding)
}
