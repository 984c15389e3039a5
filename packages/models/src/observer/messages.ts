/** The messages wire of Anthropic. */
import { readProviderError } from '../provider-error.ts'
import { fields, text, type Fields } from '../read.ts'
import type { Sightings } from './sightings.ts'

/** Reads one event. The answer has ended with `message_stop`, its reason came before it in `message_delta`. */
export function readMessages(event: Fields, seen: Sightings): void {
  switch (event['type']) {
    case 'message_start':
      seen.begin()
      seen.open('message')
      readStop(fields(event['message']) ?? {}, seen)
      return
    case 'content_block_delta':
    case 'content_block_stop':
      seen.goOn('message', 'reason')
      return
    case 'content_block_start':
      seen.goOn('message', 'reason')
      readBlock(fields(event['content_block']) ?? {}, text(event['index']) ?? '', seen)
      return
    case 'message_delta':
      readStop(fields(event['delta']) ?? {}, seen)
      return
    case 'message_stop':
      seen.end('message')
      return
    case 'error':
      seen.error(readProviderError(event['error'] ?? event))
      return
    default:
  }
}

/** Server tools (`server_tool_use`, `mcp_tool_use`) are the provider's, not ours. */
function readBlock(block: Fields, key: string, seen: Sightings): void {
  if (block['type'] === 'tool_use')
    seen.calls.start(key, text(block['name']) ?? '', text(block['id']))
}

function readStop(message: Fields, seen: Sightings): void {
  if (!seen.reason('stop_reason', message['stop_reason'])) return
  // Its `message_stop` is still to come.
  seen.goOn('message')
  seen.end('reason')
  // Beside whatever reason: a sign of a refusal is one.
  const details = fields(message['stop_details'])
  const category = text(details?.['category'])
  if (category) seen.flag('stop_details.category', category)
  else if (details?.['type'] === 'refusal') seen.hint('stop_details.type', 'refusal')
}
