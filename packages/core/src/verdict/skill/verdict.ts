/**
 * Skills: may a call be made while these skills are loaded? Evidence in (the agent, the skills, the tool), verdict out.
 *
 * K1 A skill never allows anything: lists, passports, policies and people have judged the call before, and what they refuse is refused.
 * K2 Where the agent says `restrict`, a call passes if a loaded skill names its tool. Skills that name no tools add none, and restrict nothing.
 * K3 Tools by which a model loads a skill, reads, plans and asks are never taken away: it could not go on without them.
 */
import type { AgentDefinition } from '../../definition.ts'
import type { PolicyReason } from '../../policy-answer.ts'
import { loadSkillToolName, type PinnedSkill } from '../../skill/pinned.ts'
import { todoToolName } from '../../todo/spec.ts'

/** Skills that are loaded in a run, as positions in the list of its agent, in that order. */
export type SkillPositions = readonly number[]

const always: ReadonlySet<string> = new Set([
  loadSkillToolName,
  'read_file',
  'read_result',
  todoToolName,
  'ask_clarification',
])

/** The skills at these positions. */
export const skillsAt = (
  { skills }: Pick<AgentDefinition, 'skills'>,
  loaded: SkillPositions,
): readonly PinnedSkill[] =>
  loaded.flatMap((at) => {
    const skill = skills[at]
    return skill && 'digest' in skill ? [skill] : []
  })

/** Why no call of this tool may be made; null if one may. */
export function skillObjection(
  agent: Pick<AgentDefinition, 'skills' | 'skillTools'>,
  loaded: SkillPositions,
  tool: string,
): PolicyReason | null {
  if (agent.skillTools !== 'restrict' || loaded.length === 0 || always.has(tool)) return null
  const naming = skillsAt(agent, loaded).filter(({ tools }) => tools !== null)
  const named = new Set(naming.flatMap(({ tools }) => tools ?? []))
  if (naming.length === 0 || named.has(tool)) return null
  const which = naming.map(({ name }) => name).join(', ')
  const rest = [...named].toSorted().join(', ')
  return {
    code: 'skill.tool_not_allowed',
    message: `The skills that are loaded (${which}) do not name the tool ${tool}. They name: ${rest}.`,
  }
}
