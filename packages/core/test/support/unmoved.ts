/** Facts that must change nothing. */
import { expect } from 'vitest'
import type { FactBody, Move } from './facts.ts'
import type { Story } from './story.ts'

/** A move with its payload changed. */
export const changed =
  (move: Move, patch: Readonly<Record<string, unknown>>): Move =>
  (known) => {
    const fact = move(known)
    // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- the patch keeps the payload's shape
    return { ...fact, payload: { ...fact.payload, ...patch } } as FactBody
  }

/** The fact is recorded as ignored, and nothing else becomes of it. */
export function unmoved(story: Story, move: Move): void {
  const after = story.and(move)
  expect(after.state).toEqual(story.state)
  expect(after.decision.verdicts.map((verdict) => verdict.type)).toEqual(['event.ignored'])
  expect(after.decision).toMatchObject({ effects: [], retries: [], timers: [], clearTimers: [] })
}
