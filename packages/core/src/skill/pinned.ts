/**
 * A skill as a run pins it: its name, what it says of itself, and the digest of its files. Nothing of a skill is read from a folder again
 * once there is a run: whoever needs its files finds them by the digest.
 */
import { z } from 'zod'
import { limits } from '../limits.ts'

/** The form of a name: letters, digits and single hyphens between them. */
export const skillName = /^[a-z0-9]+(?:-[a-z0-9]+)*$/

/** Of an agent. */
export const PinnedSkill = z.object({
  name: z.string().max(limits.skillNameCharsMax).regex(skillName),
  /** In the words of whoever wrote the skill: data, wherever it is shown. */
  description: z.string().max(limits.skillDescriptionCharsMax),
  /** `sha256:` and the hex digest of the list of its files. */
  digest: z.string().max(limits.idCharsMax),
  /** The tools of the agent that the skill names as those that it uses; null: it names none. */
  tools: z.array(z.string()).max(limits.skillToolsMax).nullable(),
  /** Variables that the skill wants in the sandbox, and under which name the worker has each. Never a value (I20). Absent: none. */
  secrets: z.record(z.string(), z.string()).optional(),
})
export type PinnedSkill = z.infer<typeof PinnedSkill>

/** As definitions of older builds named skills: a file somewhere, for the words of a guardrail alone. */
export const NamedSkill = z.object({ name: z.string(), path: z.string() })
export type NamedSkill = z.infer<typeof NamedSkill>

/** The tool by which a model loads a skill. */
export const loadSkillToolName = 'load_skill'

/** The directory of the files of skills, as tools see it. */
export const skillsDirectory = 'skills'

/** The directory of the files of one skill. */
export const directoryOfSkill = (name: string): string => `${skillsDirectory}/${name}`

/** The file of a skill with its instructions. */
export const skillFile = 'SKILL.md'

type Skills = readonly (PinnedSkill | NamedSkill)[]

const none: readonly PinnedSkill[] = []

/** The skills of an agent that can be loaded. */
export const pinnedSkills = ({ skills }: { readonly skills: Skills }): readonly PinnedSkill[] =>
  skills.length === 0 ? none : skills.filter((skill) => 'digest' in skill)

/** The skills of an agent by name, and the file to read of each. */
export const namedSkills = ({ skills }: { readonly skills: Skills }): readonly NamedSkill[] =>
  skills.map((skill) =>
    'digest' in skill
      ? { name: skill.name, path: `${directoryOfSkill(skill.name)}/${skillFile}` }
      : skill,
  )
