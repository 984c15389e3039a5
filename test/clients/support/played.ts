/**
 * Which versions of a client a run of the tests plays: all but one, which the tree of the commit decides, so that each is played
 * by two commits of three. `SIGNALBOX_FULL=1` plays all, as `.ci/run --full` does.
 */
import { treeNumber } from '../../../scripts/ci/tree-number.ts'

/** Of three versions two; fewer stay as they are. */
export function played<const T>(versions: readonly T[]): readonly T[] {
  if (process.env['SIGNALBOX_FULL'] === '1' || versions.length < 3) return versions
  const left = treeNumber(import.meta.dirname).number % versions.length
  return versions.filter((_, n) => n !== left)
}
