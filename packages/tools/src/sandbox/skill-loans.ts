/**
 * The parts of loaded skills that a command is lent while it runs: their files, below `skills/`, and the values of their secrets.
 *
 * L1 A secret is a variable of the commands of a run, and only from when its skill is loaded. Its value is read where the command runs, from a
 *    variable that the configuration of the agent names: nothing but a command is ever told it.
 */
import { skillsDirectory } from '@signalbox/core'
import type { ReadOnlyMount } from './sandbox.ts'
import type { LoadedFiles, OpenSkills } from '../skills/open-skills.ts'
import type { NamedBundle, SkillDirectories } from '../skills/skill-directories.ts'

/** The things that a command is lent until they are released. */
export interface SkillLoan {
  readonly ok: true
  readonly mounts: readonly ReadOnlyMount[]
  /** By the name of the variable. */
  readonly secrets: Readonly<Record<string, string>>
  readonly release: () => void
}

/** Why a command cannot be executed. */
export interface NoLoan {
  readonly ok: false
  readonly code: 'skill_gone' | 'secret_missing'
  readonly message: string
}

/** Of a run without skills. */
const nothing: SkillLoan = { ok: true, mounts: [], secrets: {}, release: () => undefined }

/** Where the files of a thread are in a sandbox, and the skills among them. */
const mountPoint = `/workspace/${skillsDirectory}`

/** Lends commands what their skills have. */
export class SkillLoans {
  readonly #directories: SkillDirectories
  readonly #env: Readonly<Record<string, string | undefined>>

  /** `env` holds the values of secrets. */
  constructor(directories: SkillDirectories, env: Readonly<Record<string, string | undefined>>) {
    this.#directories = directories
    this.#env = env
  }

  async lend(skills: OpenSkills): Promise<SkillLoan | NoLoan> {
    const loaded = await skills.loaded()
    if (!loaded) return nothing
    const bundles: NamedBundle[] = []
    for (const { skill, bundle } of loaded) {
      if (!bundle) return noFiles(skill.name)
      bundles.push({ name: skill.name, bundle })
    }
    const secrets: Record<string, string> = {}
    for (const [name, variable] of loaded.flatMap(secretsOf)) {
      const value = this.#env[variable]
      if (value === undefined || value === '') return noSecret(name)
      secrets[name] = value
    }
    const { path, release } = await this.#directories.open(bundles)
    return { ok: true, mounts: [{ at: mountPoint, directory: path }], secrets, release }
  }
}

const secretsOf = ({ skill }: LoadedFiles): readonly (readonly [string, string])[] =>
  Object.entries(skill.secrets ?? {})

const noFiles = (name: string): NoLoan => ({
  ok: false,
  code: 'skill_gone',
  message: `The files of the skill "${name}" are not there any more.`,
})

/** Names the variable of the skill, not that of the worker. */
const noSecret = (name: string): NoLoan => ({
  ok: false,
  code: 'secret_missing',
  message: `The secret ${name} of a loaded skill is not there. Nothing was executed.`,
})
