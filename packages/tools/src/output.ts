/**
 * What a tool returns becomes the one result the model will read (core `ToolOutput`).
 *
 * O1 All text together is at most `limits.toolResultBytesMax` bytes; a note says how much was dropped.
 * O2 `structured` is at most `limits.inlineBytesMax` bytes, because it stands in the event itself, unlike text, which
 *    the engine moves to a blob. A longer one is given as text only.
 */
import { limits, type Json, type JsonObject, type ToolOutput } from '@signalbox/core'
import { z } from 'zod'
import { sanitise } from './sanitise.ts'
import { cleanText, cutText, textBytes } from './text.ts'

const partsMax = 256
/** Room for the note about what was dropped. */
const noteBytesMax = 200

/** The shape a tool may return to say more than a text: several texts, an error, a structured result. */
const OutputLike = z.strictObject({
  content: z.union([
    z.string(),
    z.array(z.strictObject({ type: z.literal('text'), text: z.string() })).max(partsMax),
  ]),
  isError: z.boolean().optional(),
  structured: z.unknown().optional(),
})

/** The output of a tool, made of whatever it returned: a text, JSON, something like a `ToolOutput`, or nothing. */
export function toOutput(returned: unknown): ToolOutput {
  if (typeof returned === 'string') return assembleOutput({ texts: [returned] })
  if (returned === undefined) return assembleOutput({ texts: [] })
  const like = readOutputLike(returned)
  if (like !== null) {
    const texts =
      typeof like.content === 'string' ? [like.content] : like.content.map((part) => part.text)
    return assembleOutput({ texts, isError: like.isError ?? false, structured: like.structured })
  }
  return assembleOutput({ texts: [], structured: returned })
}

/** Puts an output together within the limits. A structured value without any text is given as text, too. */
export function assembleOutput(parts: {
  readonly texts: readonly string[]
  readonly isError?: boolean
  readonly structured?: unknown
}): ToolOutput {
  const budget = limits.toolResultBytesMax - noteBytesMax
  const clean = parts.structured === undefined ? null : sanitise(parts.structured, budget)
  const structured = clean === null ? null : keepStructured(clean.value, clean.dropped > 0)
  const texts = [...parts.texts]
  const asText = clean !== null && texts.length === 0
  if (asText) texts.push(JSON.stringify(clean.value))
  const cut = cutAll(texts, budget)
  const dropped = cut.dropped + (asText ? clean.dropped : 0)
  if (dropped > 0 || (asText && clean.more)) {
    cut.texts.push(droppedNote(dropped, asText && clean.more))
  }
  if (clean !== null && structured === null && !asText) {
    cut.texts.push('[A structured result that was too large, or no object, is left out.]')
  }
  return {
    content: cut.texts.map((text) => ({ type: 'text', text })),
    isError: parts.isError ?? false,
    ...(structured === null ? {} : { structured }),
  }
}

function readOutputLike(value: unknown): z.infer<typeof OutputLike> | null {
  try {
    const parsed = OutputLike.safeParse(value)
    return parsed.success ? parsed.data : null
  } catch {
    // A hostile getter or proxy. The sanitiser copes with those.
    return null
  }
}

function keepStructured(value: Json, wasCut: boolean): JsonObject | null {
  if (wasCut || !isObject(value)) return null
  return textBytes(JSON.stringify(value)) <= limits.inlineBytesMax ? value : null
}

function isObject(value: Json): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function cutAll(
  texts: readonly string[],
  bytesMax: number,
): { readonly texts: string[]; readonly dropped: number } {
  const kept: string[] = []
  let left = bytesMax
  let dropped = 0
  for (const text of texts) {
    if (left <= 0 || kept.length >= partsMax) {
      dropped += textBytes(text)
      continue
    }
    const cut = cutText(text, left)
    left -= textBytes(cut.text)
    if (cut.dropped > 0) left = 0
    dropped += cut.dropped
    kept.push(cleanText(cut.text))
  }
  return { texts: kept, dropped }
}

function droppedNote(dropped: number, more: boolean): string {
  const count = more ? `more than ${dropped} bytes` : `${dropped} bytes`
  return `[The result was larger than ${limits.toolResultBytesMax} bytes: ${count} were dropped here.]`
}
