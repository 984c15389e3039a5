/**
 * The clean run that finds the failpoints: which role passes which point, in which wave, how often. It ends early where
 * it is not clean.
 */
import { isOfBacklog, lostQueue, none } from './faults.ts'
import type { Lane } from './lane.ts'
import type { Played } from './schedule.ts'
import { roles } from './stack.ts'
import { type Wave, waves } from './workload.ts'

export interface Recording {
  /** Hits of every point, by wave. */
  readonly hits: Readonly<Record<Wave, ReadonlyMap<string, number>>>
  readonly played: readonly Played[]
}

/** Every point that was met, of any wave. */
export const pointsOf = ({ hits }: Recording): readonly string[] =>
  waves.flatMap((wave) => [...hits[wave].keys()])

export async function record(lane: Lane, seed: number): Promise<Recording> {
  const stack = await lane.stack()
  const hits = {
    work: new Map<string, number>(),
    family: new Map<string, number>(),
    stall: new Map<string, number>(),
  }
  const played: Played[] = []
  // What a start passes belongs to no wave.
  await Promise.all(roles.map((role) => stack.child(role).counts()))
  for (const wave of waves) {
    played.push(...(await lane.play(none(wave), seed)))
    // Whoever fails when nothing goes wrong need not be killed.
    if (played.some(({ violations }) => violations.length > 0)) break
    for (const role of roles)
      for (const [point, n] of Object.entries(await stack.child(role).counts()))
        hits[wave].set(point, n)
  }
  const isClean = played.every(({ violations }) => violations.length === 0)
  if (isClean) {
    played.push(...(await lane.play(lostQueue(), seed)))
    // What else is met more often in this one is met less often where nothing is lost.
    for (const role of roles)
      for (const [point, n] of Object.entries(await stack.child(role).counts()))
        if (isOfBacklog(point)) hits.work.set(point, n)
  }
  return { hits, played }
}
