/** Skills that a run loads: by the words it began with, or by a call that answered one. */
import type { AgentDefinition } from '../../definition.ts'
import type { FactPayload } from '../../event/fact.ts'
import { skillActivated, type LoadedBy } from '../../verdict/skill/event.ts'
import type { RunContext } from '../context.ts'
import { quiet, type Taken } from './step.ts'

type Skill = NonNullable<FactPayload<'tool.completed'>['skill']>

/** Remembers skills, and records each the first time. What the agent does not have is none of its skills. */
export function activateSkills(
  context: RunContext,
  agent: AgentDefinition,
  { skills, ...by }: LoadedBy & { readonly skills: readonly Skill[] },
): Taken {
  let taken = quiet(context)
  for (const skill of skills) taken = loadOne(taken, agent, { skill, by })
  return taken
}

function loadOne(
  { context, emission }: Taken,
  agent: AgentDefinition,
  { skill, by }: { readonly skill: Skill; readonly by: LoadedBy },
): Taken {
  const at = agent.skills.findIndex(({ name }) => name === skill.name)
  const pinned = agent.skills[at]
  if (!pinned || !('digest' in pinned) || context.skills.includes(at)) return { context, emission }
  const skills = [...context.skills, at].toSorted((a, b) => a - b)
  const verdicts = [...(emission.verdicts ?? []), skillActivated(pinned, skill.digest, by)]
  return { context: { ...context, skills }, emission: { verdicts } }
}
