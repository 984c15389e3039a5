/** Edits of a text: finding the one place, and the form in which edits are stored. */
import { z } from 'zod'
import { refuse, type WorkspaceResult } from './refusal.ts'

/** A text to find, and what stands there afterwards. */
export interface TextEdit {
  readonly oldText: string
  readonly newText: string
}

/** Replaces the one occurrence; `line` is where it stood, from 1. Refuses when there is none or more than one. */
export function applyEdit(
  text: string,
  { oldText, newText }: TextEdit,
): WorkspaceResult<{ readonly text: string; readonly line: number }> {
  if (oldText === '') return refuse('no_match', 'The text to replace is empty.')
  const index = text.indexOf(oldText)
  if (index === -1) return refuse('no_match', 'The text to replace does not occur in the file.')
  if (text.indexOf(oldText, index + 1) !== -1)
    return refuse('ambiguous', 'The text to replace occurs more than once; give more of it.')
  const head = text.slice(0, index)
  const changed = head + newText + text.slice(index + oldText.length)
  return { ok: true, value: { text: changed, line: head.split('\n').length } }
}

/** The text of a file; null if it is not UTF-8. A byte order mark is a part of it. */
export function decodeText(bytes: Uint8Array): string | null {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return null
  }
}

/** Edits as they are stored, to be made again in what somebody else left. */
export const encodeEdits = (edits: readonly TextEdit[]): Uint8Array =>
  Buffer.from(JSON.stringify(edits.map(({ oldText, newText }) => [oldText, newText])))

const Stored = z.array(z.tuple([z.string(), z.string()]))

/** Makes stored edits in another content. Null where one of them does not fit. */
export function reapply(bytes: Uint8Array, stored: Uint8Array): Uint8Array | null {
  let text = decodeText(bytes)
  for (const [oldText, newText] of Stored.parse(JSON.parse(Buffer.from(stored).toString('utf8')))) {
    const edited = text === null ? null : applyEdit(text, { oldText, newText })
    text = edited?.ok ? edited.value.text : null
  }
  return text === null ? null : Buffer.from(text, 'utf8')
}
