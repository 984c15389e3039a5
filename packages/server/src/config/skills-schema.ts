/** Skills of an agent as users write them: folders, and what is made of what they say. */
import { limits } from '@signalbox/core'
import { z } from 'zod'
import { EnvName } from './references.ts'

/** `./skills/pdf`, or `./skills/*` for every folder in one. */
const SkillFolder = z
  .string()
  .regex(
    /^(?:\.{1,2}\/|\/)[^#*]{0,900}(?:\*|[^#*/])$/,
    'takes the folder of a skill, ./skills/pdf, or each folder of one, ./skills/*, relative to the folder of the configuration',
  )

const SkillFolders = z.array(SkillFolder).max(limits.skillsMax)

/** The skills that an agent may load. */
export const SkillsConfig = z.union([
  SkillFolders,
  z.strictObject({
    /** Folders, as in the short form. */
    from: SkillFolders.min(1),
    /**
     * The use that is made of the tools that skills name. `ignore`: none. `restrict`: once a skill is loaded that names tools, no others may be
     * called. Neither allows anything.
     */
    allowedTools: z.enum(['ignore', 'restrict']).default('ignore'),
    /** By the name of a variable that skills want in `bash` (`metadata.secrets`): the variable of the worker that holds its value. */
    secrets: z.record(EnvName, z.strictObject({ env: EnvName })).default({}),
  }),
])
type SkillsConfig = z.output<typeof SkillsConfig>

/** The long form. */
export type AgentSkills = Exclude<SkillsConfig, readonly unknown[]>

/** Both forms as the long one. */
export const skillsOf = ({ skills }: { readonly skills: SkillsConfig }): AgentSkills =>
  Array.isArray(skills) ? { from: skills, allowedTools: 'ignore', secrets: {} } : skills

/** Has the agent skills? */
export const hasSkills = (agent: { readonly skills: SkillsConfig }): boolean =>
  skillsOf(agent).from.length > 0
