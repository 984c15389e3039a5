/** The generateContent wire of Gemini and Vertex. */
import { readProviderError } from '../provider-error.ts'
import { fields, list, text, type Fields } from '../read.ts'
import type { Sightings } from './sightings.ts'

/** Reads one chunk. A blocked prompt has no candidates, its `promptFeedback` is the terminal. */
export function readGemini(chunk: Fields, seen: Sightings): void {
  seen.belongsTo(text(chunk['responseId']))
  if (chunk['error']) seen.error(readProviderError(chunk['error']))
  const blockReason = text(fields(chunk['promptFeedback'])?.['blockReason'])
  if (blockReason) {
    seen.flag('promptFeedback.blockReason', blockReason)
    seen.end('prompt')
  }
  const candidates = list(chunk['candidates'])
  for (const [position, item] of candidates.entries()) {
    const candidate = fields(item)
    if (candidate) readCandidate(candidate, text(candidate['index']) ?? String(position), seen)
  }
  if (candidates.some(beginsNameless)) seen.calls.chunk(JSON.stringify(chunk))
}

/** Does a call begin that has no id? It cannot be told from the same one, sent again, but by the chunk. */
function beginsNameless(candidate: unknown): boolean {
  return list(fields(fields(candidate)?.['content'])?.['parts']).some((part) => {
    const call = fields(fields(part)?.['functionCall'])
    return text(call?.['name']) !== undefined && text(call?.['id']) === undefined
  })
}

function readCandidate(candidate: Fields, key: string, seen: Sightings): void {
  seen.answer(key)
  const parts = list(fields(candidate['content'])?.['parts']).map((part) => fields(part) ?? {})
  if (parts.some((part) => text(part['text']) !== undefined || fields(part['functionCall'])))
    seen.goOn(key)
  // The same chunk may bring the last content and the reason.
  if (seen.reason('finishReason', candidate['finishReason'])) seen.end(key)
  for (const item of list(candidate['safetyRatings'])) {
    const rating = fields(item)
    if (rating?.['blocked'] === true)
      seen.flag(`safetyRatings.${text(rating['category']) ?? 'unknown'}`, 'blocked')
  }
  for (const part of parts) {
    const call = fields(part['functionCall'])
    const name = text(call?.['name'])
    // A call has no key of its own here, and its name comes once, in its first piece.
    if (name) seen.calls.start(`${key}/${seen.calls.size}`, name, text(call?.['id']))
  }
}
