/** Edits of a text as a model asks for them: finding the one place, or saying why there is none. */
import { placeOf, type TextEdit } from '@signalbox/engine'
import { refuse, type WorkspaceResult } from './refusal.ts'

/** Replaces the one occurrence; `line` is where it stood, from 1. Refuses when there is none or more than one. */
export function applyEdit(
  text: string,
  { oldText, newText }: TextEdit,
): WorkspaceResult<{ readonly text: string; readonly line: number }> {
  if (oldText === '') return refuse('no_match', 'The text to replace is empty.')
  const index = placeOf(text, oldText)
  if (index === 'none') return refuse('no_match', 'The text to replace does not occur in the file.')
  if (index === 'several')
    return refuse('ambiguous', 'The text to replace occurs more than once; give more of it.')
  const head = text.slice(0, index)
  const changed = head + newText + text.slice(index + oldText.length)
  return { ok: true, value: { text: changed, line: head.split('\n').length } }
}
