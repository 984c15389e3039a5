import { closest, distance } from 'fastest-levenshtein'

/** The candidate that was probably meant: within a third of the name's length, two edits at least. */
function nearest(name: string, candidates: readonly string[]): string | null {
  if (candidates.length === 0) return null
  const best = closest(name, candidates)
  return distance(name, best) <= Math.max(2, Math.floor(name.length / 3)) ? best : null
}

/** ` Did you mean "x"?`, or nothing. Ready to follow a sentence that lists the candidates. */
export function meant(name: string, candidates: readonly string[]): string {
  const near = nearest(name, candidates)
  return near === null ? '' : ` Did you mean "${near}"?`
}

/** ` Did you mean "x"?`, or the candidates if none is near. Ready to follow a sentence. */
export function suggestion(name: string, candidates: readonly string[]): string {
  const near = meant(name, candidates)
  if (near !== '' || candidates.length === 0) return near
  const shown = candidates.slice(0, 12).join(', ')
  return ` Known: ${shown}${candidates.length > 12 ? ', …' : ''}.`
}
