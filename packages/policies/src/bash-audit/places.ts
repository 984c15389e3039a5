/** Where a script works: in the workspace, or where it has changed to by a path from the root or from a home. */
import { type Command, isPlain, type Word } from '../shell/script.ts'
import type { Actions } from './actions.ts'

/** The place that the shell of a command has changed to; null: none that is known. */
export function placeOf({ scope }: Command, { places }: Actions): string | null {
  for (let shell = scope ?? null; shell !== null; shell = shell.parent) {
    const place = places.get(shell)
    if (place !== undefined) return place
  }
  return null
}

/** `cd`, `pushd`: without a word home; behind what is not known, nothing is known. */
export function changePlace(words: readonly Word[], command: Command, actions: Actions): void {
  const { scope } = command
  if (scope === undefined) return
  const word = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  const base = placeOf(command, actions)
  if (word === undefined) return void actions.places.set(scope, '~')
  const isHome = /^\$HOME(?:\/|$)/.test(word.text) && !word.text.includes('$', 1)
  if (!isPlain(word) && !isHome) return void actions.places.set(scope, null)
  if (word.text === '-') return void actions.places.set(scope, null)
  const place = /^[/~$]/.test(word.text) ? word.text : base === null ? null : `${base}/${word.text}`
  actions.places.set(scope, place === null ? null : place.replace(/\/+$/, ''))
}

/** Is a word the name of something below the place at hand? */
export const isRelative = ({ text }: Word): boolean => text !== '' && !/^[-/~$&0-9]/.test(text)

/** What a relative word names from a place. */
export const below = (place: string, word: Word): Word => ({
  ...word,
  text: `${place}/${word.text}`,
  exact: `${place}/${word.exact}`,
})
