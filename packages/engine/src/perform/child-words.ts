/** The words about a run that was started, for the model of the run that started it. Paths are data that others chose: one line each, escaped. */
import { escaped, limits, type NetChange, type Outcome } from '@signalbox/core'

/** Changes of others that a change met. */
export type Met = 'changed' | 'deleted' | 'merged' | 'misfit' | 'overwritten'

/** A change, and how it is told. */
export interface ToldChange {
  readonly path: string
  readonly how: 'written' | 'edited' | 'deleted'
  readonly met: Met | null
}

export const toldOf = ({ path, file, edits }: NetChange, met: Met | null): ToldChange => ({
  path,
  how: file ? (edits ? 'edited' : 'written') : 'deleted',
  met,
})

const meanwhile: Readonly<Record<Met, string>> = {
  changed: 'although another call changed it meanwhile',
  deleted: 'another call deleted it meanwhile: it is there again, as this run left it',
  merged: 'another call changed it meanwhile: both changes are in it',
  misfit:
    'another call changed it meanwhile, and the edits do not fit into that: it is as this run left it, and the other change is gone',
  overwritten:
    'another call changed it meanwhile: it is as this run left it, and the other change is gone',
}

/** What became of the files of a run that has ended. */
export type FilesFate =
  | { readonly is: 'taken' }
  /** They stay with it. */
  | { readonly is: 'kept' }
  /** They would have been taken over, but for this. */
  | { readonly is: 'refused'; readonly because: string }

/** The list of the changes; null if there are none. */
export function filesWords(told: readonly ToldChange[], fate: FilesFate): string | null {
  if (told.length === 0) return null
  // What met others comes first: of many, the list is cut.
  const sorted = told.toSorted((a, b) => Number(b.met !== null) - Number(a.met !== null))
  const shown = sorted.slice(0, limits.childFilesToldMax).map((each) => `- ${lineOf(each, fate)}`)
  const more = told.length - shown.length
  return [headOf(fate), ...shown, ...(more > 0 ? [`- and ${more} more`] : [])].join('\n')
}

function headOf(fate: FilesFate): string {
  switch (fate.is) {
    case 'taken':
      return 'Files that it changed. They are changed here, too:'
    case 'kept':
      return 'Files that it changed. They stay with it, and nothing is changed here:'
    case 'refused':
      return `Files that it changed. Nothing is changed here, because ${fate.because}:`
  }
}

const lineOf = ({ path, how, met }: ToldChange, { is }: FilesFate): string =>
  `${inert(path)} (${how}${met && is === 'taken' ? `; ${meanwhile[met]}` : ''})`

const inert = (text: string): string => escaped(text.replaceAll(/[\p{Cc}\p{Zl}\p{Zp}]/gu, ' '))

/** Outcomes of runs that were stopped on their way: what they said and did until then is of use. */
const stoppedOnTheWay: ReadonlySet<Outcome> = new Set<Outcome>([
  'budget_exhausted',
  'loop_stopped',
  'length_stopped',
  'timed_out',
])

/** Was the run stopped on its way? */
export const isPartial = (outcome: Outcome): boolean => stoppedOnTheWay.has(outcome)

/** What became of a run that did not come to its end. `why`: the words in the place of its answer. */
export const partialNote = (agent: string, outcome: Outcome, why: string | null): string =>
  `The run of ${agent} ended as ${outcome}, before it was done.${why === null ? '' : ` ${why}`} What follows is partial: the last words that it said.`
