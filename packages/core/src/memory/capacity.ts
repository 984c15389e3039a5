/**
 * The room of a memory: what is least likely to hold gives way to what is new.
 *
 * C1 What counts least goes first: its confidence, halved with each `memoryHalfLifeMs` since the user last said it. Of two that count alike, the one
 *    with the smaller id.
 * C2 Items of persons stay, and so do the newest corrections.
 */
import { limits } from '../limits.ts'

/** The fields that tell how much an item counts. */
export interface Weighed {
  readonly id: string
  readonly bytes: number
  readonly kind: string
  readonly confidence: number
  readonly heard: number
  readonly by: 'model' | 'person'
}

/** How much an item counts at a moment. */
export const worthOf = (
  { confidence, heard }: Pick<Weighed, 'confidence' | 'heard'>,
  at: number,
): number => confidence * 2 ** (-Math.max(0, at - heard) / limits.memoryHalfLifeMs)

const fits = (items: readonly Weighed[]): boolean =>
  items.length <= limits.memoryItemsMax &&
  items.reduce((sum, { bytes }) => sum + bytes, 0) <= limits.memoryBytesMax

/** The ids of the items that give way at a moment so that the rest has room; null if too few may. */
export function crowdedOut(items: readonly Weighed[], at: number): readonly string[] | null {
  const kept = protectedIds(items)
  const going = items
    .filter(({ id }) => !kept.has(id))
    .toSorted((a, b) => worthOf(a, at) - worthOf(b, at) || (a.id < b.id ? -1 : 1))
  const gone = new Set<string>()
  const rest = (): readonly Weighed[] => items.filter(({ id }) => !gone.has(id))
  for (const { id } of going) {
    if (fits(rest())) break
    gone.add(id)
  }
  return fits(rest()) ? [...gone] : null
}

function protectedIds(items: readonly Weighed[]): ReadonlySet<string> {
  const corrections = items
    .filter(({ kind }) => kind === 'correction')
    .toSorted((a, b) => b.heard - a.heard || (a.id < b.id ? -1 : 1))
    .slice(0, limits.memoryCorrectionsKept)
  const ofPersons = items.filter(({ by }) => by === 'person')
  return new Set([...corrections, ...ofPersons].map(({ id }) => id))
}
