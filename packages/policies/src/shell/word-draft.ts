/** A word while it is read. */
import { expansionEnd, expansionStart, type ShellScript } from './script.ts'

/** Grows piece by piece. */
export interface WordDraft {
  text: string
  exact: string
  quoted: boolean
  expands: boolean
  splits: boolean
  globs: boolean
  braces: boolean
  substitutions: ShellScript[]
  /** Index in `text` of the `=` of `NAME=`, if the word so far can be an assignment. */
  equals: number
}

/** Nothing read yet. */
export const emptyWord = (): WordDraft => ({
  text: '',
  exact: '',
  quoted: false,
  expands: false,
  splits: false,
  globs: false,
  braces: false,
  substitutions: [],
  equals: -1,
})

/** Text that stands for itself. */
export function addText(draft: WordDraft, text: string): void {
  draft.text += text
  draft.exact += text
}

/** An expansion: as it is shown, and the name by which its value is looked up. */
export function addExpansion(
  draft: WordDraft,
  {
    shown,
    name,
    splits,
  }: { readonly shown: string; readonly name: string; readonly splits: boolean },
): void {
  draft.text += shown
  draft.exact += `${expansionStart}${name}${expansionEnd}`
  draft.expands = true
  draft.splits ||= splits
}
