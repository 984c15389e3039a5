/** Where a script works: in the workspace, or where it has changed to. */
import { type Command, isPlain, type Word } from '../shell/script.ts'
import type { Actions } from './actions.ts'
import { isElsewhere } from './outside.ts'

/** Where a script begins. */
export const startPlace = '.'

/** The place outside of the workspace, or in a hidden folder of it, that the shell of a command has changed to; null: none that is known. */
export function placeOf(command: Command, actions: Actions): string | null {
  const place = standing(command, actions)
  return isElsewhere(place) ? place : null
}

/** The place of the shell of a command: from the root, from a home, or from where the script began; null where it is not known. */
export function standing({ scope }: Command, { places }: Actions): string | null {
  for (let shell = scope ?? null; shell !== null; shell = shell.parent) {
    const place = places.get(shell)
    if (place !== undefined) return place
  }
  return startPlace
}

/** `cd`, `pushd`: without a word home; behind what is not known, nothing is known. */
export function changePlace(words: readonly Word[], command: Command, actions: Actions): void {
  const { scope } = command
  if (scope === undefined) return
  const word = words.slice(1).find(({ text }) => !/^-[LPe@]+$|^--$/.test(text))
  const place = word === undefined ? '~' : changed(standing(command, actions), word)
  actions.places.set(scope, place)
}

/** `popd`: back, and nobody keeps where that was. */
export function leavePlace({ scope }: Command, { places }: Actions): void {
  if (scope !== undefined) places.set(scope, null)
}

function changed(base: string | null, word: Word): string | null {
  const { text } = word
  const isHome = /^\$HOME(?:\/|$)/.test(text) && !text.includes('$', 1)
  if ((!isPlain(word) && !isHome) || text === '-') return null
  if (/^[/~$]/.test(text)) return text.replace(/(?<=.)\/+$/, '')
  return base === null ? null : joined(base, text)
}

/** Is a word the name of something below the place at hand? */
export const isRelative = ({ text }: Word): boolean => text !== '' && !/^[-/~$&0-9]/.test(text)

/** The path that a relative word names from a place. */
export const below = (place: string, word: Word): Word => ({
  ...word,
  text: joined(place, word.text),
  exact: joined(place, word.exact),
})

/** No path has more names; a place that is as deep as this stays where it is. */
const namesMax = 64

/** A relative path from a place. Above the root is the root; what a home lies in is left to whoever reads the path. */
function joined(place: string, path: string): string {
  const names = place === startPlace ? [] : place.replace(/\/+$/, '').split('/')
  for (const name of path.split('/')) {
    const last = names.at(-1)
    if (name === '' || name === '.') continue
    const isBelow = last !== undefined && last !== '..' && !/^[~$]/.test(last)
    if (name === '..' && isBelow) {
      if (last !== '') names.pop()
    } else if (names.length < namesMax) names.push(name)
  }
  return names.length === 0 ? startPlace : names.join('/') || '/'
}
