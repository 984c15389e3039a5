/** The Responses wire of OpenAI and Azure. */
import { readProviderError } from '../provider-error.ts'
import { fields, list, text, type Fields } from '../read.ts'
import type { Sightings } from './sightings.ts'

/** Reads one event. `response.done` is what some vendors send for completed, incomplete and failed alike. */
export function readResponses(event: Fields, seen: Sightings): void {
  const type = text(event['type']) ?? ''
  if (type.startsWith('response.refusal')) seen.refusal()
  if (isContent(type)) seen.goOn('response')
  switch (type) {
    case 'response.created':
      seen.begin()
      seen.open('response')
      return
    case 'response.content_part.added':
    case 'response.content_part.done':
      readContent(event['part'], seen)
      return
    case 'response.output_item.added':
    case 'response.output_item.done':
      readItem(fields(event['item']) ?? {}, text(event['output_index']) ?? '', seen)
      if (type.endsWith('done') && !isFinished(fields(event['item']) ?? {})) seen.unfinished()
      return
    case 'response.completed':
    case 'response.incomplete':
    case 'response.failed':
    case 'response.cancelled':
    case 'response.done':
      readEnd(fields(event['response']) ?? {}, type.slice('response.'.length), seen)
      return
    case 'error':
      seen.error(readProviderError(event['error'] ?? event))
      return
    default:
  }
}

/** Items say so by their status, which may be left out; a call has no other good one than `completed`. */
function isFinished(item: Fields): boolean {
  const status = item['status'] ?? 'completed'
  return isCall(item) ? status === 'completed' : status !== 'incomplete'
}

const isCall = ({ type }: Fields): boolean =>
  type === 'function_call' || type === 'custom_tool_call'

/** Parts of the answer: items, their contents, texts and arguments as they grow. */
function isContent(type: string): boolean {
  return /^response\.(output_item|content_part)\.|^response\.\w+\.(delta|done)$/.test(type)
}

function readEnd(response: Fields, ending: string, seen: Sightings): void {
  seen.end('response')
  for (const item of list(response['content_filters'])) {
    const filter = fields(item)
    if (filter?.['blocked'] === true)
      seen.flag('content_filters', text(filter['source_type']) ?? 'blocked')
  }
  if (response['error']) seen.error(readProviderError(response['error']))
  for (const output of list(response['output'])) {
    const item = fields(output) ?? {}
    if (!isFinished(item)) seen.unfinished()
    for (const part of list(item['content'])) readContent(part, seen)
  }
  const detail = fields(response['incomplete_details'])?.['reason']
  if (seen.reason('incomplete_details.reason', detail)) return
  // The status must agree with the event's own name: `completed` twice, or it is not a good ending.
  seen.reason('response.status', response['status'] ?? ending)
  if (ending !== 'done') seen.reason('response.type', ending)
}

function readItem(item: Fields, key: string, seen: Sightings): void {
  if (isCall(item))
    seen.calls.start(text(item['id']) ?? key, text(item['name']) ?? '', text(item['call_id']))
  for (const part of list(item['content'])) readContent(part, seen)
}

function readContent(part: unknown, seen: Sightings): void {
  if (fields(part)?.['type'] === 'refusal') seen.refusal()
}
