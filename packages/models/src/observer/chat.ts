/** The chat-completions wire: OpenAI, Azure, and every vendor that speaks it. */
import { readProviderError } from '../provider-error.ts'
import { fields, list, text, type Fields } from '../read.ts'
import type { Sightings } from './sightings.ts'

/** Reads one `chat.completion.chunk`. */
export function readChat(chunk: Fields, seen: Sightings): void {
  seen.belongsTo(text(chunk['id']))
  if (isError(chunk)) seen.error(readProviderError(chunk['error'] ? chunk['error'] : chunk))
  for (const result of list(chunk['prompt_filter_results']))
    readFilterResults('prompt_filter_results', fields(result)?.['content_filter_results'], seen)
  for (const entry of list(chunk['contentFilter'])) readGlmFilter(fields(entry) ?? {}, seen)
  readMiniMax(chunk, seen)
  if (chunk['need_clear_history'] === true) seen.flag('need_clear_history', 'true')
  for (const [position, item] of list(chunk['choices']).entries()) {
    const choice = fields(item)
    if (choice) readChoice(choice, text(choice['index']) ?? String(position), seen)
  }
}

/** An error with its fields in the chunk itself comes from DashScope (code and message) and vLLM (`object`). */
function isError(chunk: Fields): boolean {
  if (chunk['error']) return true
  if (chunk['choices'] !== undefined) return false
  const named = text(chunk['code']) !== undefined && text(chunk['message']) !== undefined
  return named || chunk['object'] === 'error'
}

function readChoice(choice: Fields, key: string, seen: Sightings): void {
  seen.answer(key)
  readFilterResults('content_filter_results', choice['content_filter_results'], seen)
  seen.vendorReason('native_finish_reason', choice['native_finish_reason'])
  if (hasContent(choice)) seen.goOn(key)
  // The same chunk may bring the last content and the reason.
  if (seen.reason('finish_reason', choice['finish_reason'])) seen.end(key)
  if (choice['error']) seen.error(readProviderError(choice['error']))
  // Some servers close with a whole `message` where a delta is expected.
  for (const body of [fields(choice['delta']), fields(choice['message'])]) {
    if (!body) continue
    if (text(body['refusal'])) seen.refusal()
    for (const item of list(body['tool_calls'])) readCall(fields(item) ?? {}, key, seen)
    const legacy = text(fields(body['function_call'])?.['name'])
    if (legacy) seen.calls.start(`${key}/function_call`, legacy)
  }
}

function readCall(call: Fields, choice: string, seen: Sightings): void {
  const called = fields(call['function'])
  const index = text(call['index'])
  seen.calls.piece({
    place: `${choice}/${index ?? ''}/`,
    id: word(call['id']),
    name: text(called?.['name']),
    args: text(called?.['arguments']) ?? '',
    isIndexed: index !== undefined,
  })
}

/** A text that does not only look like one: some servers send an id of blanks. */
function word(value: unknown): string | undefined {
  return text(value)?.trim() === '' ? undefined : text(value)
}

/** MiniMax says beside a good reason that a filter acted: by a code, and by a flag for each side. */
function readMiniMax(chunk: Fields, seen: Sightings): void {
  for (const field of ['input_sensitive', 'output_sensitive'])
    if (chunk[field] === true) seen.flag(field, 'true')
  const answer = fields(chunk['base_resp'])
  const code = text(answer?.['status_code'])
  if (code === '1026' || code === '1027') seen.flag('base_resp.status_code', code)
  else if (code !== undefined && code !== '0')
    seen.error(readProviderError({ code, message: text(answer?.['status_msg']) }))
}

/** Empty texts and lists come after the reason too, beside usage. */
function hasContent(choice: Fields): boolean {
  return [fields(choice['delta']), fields(choice['message'])].some(
    (body) =>
      body !== undefined &&
      (contentFields.some((field) => text(body[field]) !== undefined) ||
        list(body['content']).length > 0 ||
        list(body['tool_calls']).length > 0 ||
        fields(body['function_call']) !== undefined),
  )
}

const contentFields = ['content', 'reasoning', 'reasoning_content', 'refusal']

/** Azure: `{"hate": {"filtered": true, "severity": "high"}}`, and `{"jailbreak": {"detected": true}}` with it. */
function readFilterResults(field: string, results: unknown, seen: Sightings): void {
  for (const [category, item] of Object.entries(fields(results) ?? {})) {
    const result = fields(item)
    if (result?.['filtered'] === true)
      seen.flag(`${field}.${category}`, text(result['severity']) ?? 'filtered')
  }
}

/** GLM reports levels from 0, the gravest, to 3. Only 0 is a stop; a level that cannot be read is taken for one. */
function readGlmFilter(entry: Fields, seen: Sightings): void {
  const level = text(entry['level'])
  if (level !== undefined && /^[1-9]\d*$/.test(level)) return
  seen.flag(`contentFilter.${text(entry['role']) ?? 'unknown'}`, level ?? 'no level')
}
