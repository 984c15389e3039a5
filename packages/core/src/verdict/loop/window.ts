/**
 * The window: the last sets that were asked for, newest last, as one short text. Thirteen characters each: eight of the
 * set's digest, four of what its results came to, one for the warnings given about it and for the news it brought.
 *
 * W1 The newest entry of a set carries the warnings about the set: they last as long as it is in the window.
 */

/** A set that was asked for. */
export interface WindowEntry {
  readonly set: string
  /** `----` until all results are there. */
  readonly results: string
  /** Was the model told that it repeats this set? */
  readonly identical: boolean
  /** Was it told that it goes back and forth between this set and another? */
  readonly cycle: boolean
  readonly news: News
}

/**
 * The news that a set brought: `results` that no other set of the window gave, or `work`, a write as it was asked for by none before
 * that gave what others gave, too.
 */
export type News = 'none' | 'work' | 'results'

/** By news: neither warning was given, the first, the second, both. */
const marks: Readonly<Record<News, string>> = { none: '.icb', work: 'wxyz', results: 'nICB' }

/** Results that are not there yet. */
export const noResults = '----'

/** Stands where an earlier asking was, once the same set had other results: it is like no set. */
export const blank: WindowEntry = {
  set: '--------',
  results: noResults,
  identical: false,
  cycle: false,
  news: 'none',
}

/** The part of a set's digest (hex) that the window keeps: enough to tell 40 sets apart. */
const entryKey = (set: string): string => set.slice(0, 8).padEnd(8, '0')

/** The window's entries, oldest first. */
export function readWindow(window: string): readonly WindowEntry[] {
  const entries: WindowEntry[] = []
  for (let at = 0; at < window.length; at += 13)
    entries.push({
      set: window.slice(at, at + 8),
      results: window.slice(at + 8, at + 12),
      ...readMark(window[at + 12] ?? '.'),
    })
  return entries
}

/** The text of these entries. */
export const writeWindow = (entries: readonly WindowEntry[]): string =>
  entries.map((entry) => `${entry.set}${entry.results}${markOf(entry)}`).join('')

const markOf = ({ identical, cycle, news }: WindowEntry): string =>
  marks[news][(identical ? 1 : 0) + (cycle ? 2 : 0)] ?? '.'

function readMark(mark: string): Pick<WindowEntry, 'identical' | 'cycle' | 'news'> {
  for (const news of ['none', 'work', 'results'] as const) {
    const told = marks[news].indexOf(mark)
    if (told >= 0) return { identical: told % 2 === 1, cycle: told >= 2, news }
  }
  return { identical: false, cycle: false, news: 'none' }
}

/** The window with this set as its newest, which takes over the warnings about the set that are still in it. */
export function withSet(
  entries: readonly WindowEntry[],
  set: string,
  windowSize: number,
): readonly WindowEntry[] {
  const earlier = entries.slice(Math.max(0, entries.length - windowSize + 1))
  const key = entryKey(set)
  const last = earlier.findLast((entry) => entry.set === key)
  return [
    ...earlier,
    {
      set: key,
      results: noResults,
      identical: last?.identical ?? false,
      cycle: last?.cycle ?? false,
      news: 'none',
    },
  ]
}
