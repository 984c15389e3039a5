/**
 * The skills of a run whose instructions stand before a moment of the conversation, and would be gone with what is before it. Folded from facts.
 *
 * L1 They are those of the newest run that was asked something: one that only sums up, or edits, has none, and leaves those of the run before.
 */
import type { FactPayload } from '../event/fact.ts'
import { type FoldableEvent, readFact } from '../event/upcast.ts'
import type { Moment } from '../room-measure.ts'

/** A skill, and the parts of a message that show it, where a user named it. */
export type SkillBefore = Pick<
  NonNullable<FactPayload<'run.created'>['skills']>[number],
  'name' | 'digest'
> & { readonly body?: NonNullable<FactPayload<'run.created'>['skills']>[number]['body'] }

/** In the order in which they were loaded. `events`: the conversation, at least since that run began. */
export function skillsBefore(
  events: readonly FoldableEvent[],
  { runId, seq }: Moment,
): readonly SkillBefore[] {
  const end = events.findLastIndex((event) => event.runId === runId && event.seq <= seq) + 1
  const loaded = new Map<string, SkillBefore>()
  const take = (skill: SkillBefore, at: number): void => {
    if (at < end && !loaded.has(skill.name)) loaded.set(skill.name, skill)
  }
  for (const [at, event] of events.entries()) {
    if (event.type !== 'run.created' && event.type !== 'tool.completed') continue
    const fact = readFact(event)
    if (fact?.type === 'tool.completed' && fact.payload.skill) take(fact.payload.skill, at)
    if (fact?.type !== 'run.created' || fact.payload.edit || fact.payload.compact) continue
    loaded.clear()
    for (const skill of fact.payload.skills ?? []) take(skill, at)
  }
  return [...loaded.values()]
}
