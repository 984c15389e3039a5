/** Skills: the files of each, as processes have them and as calls of tools are given them. */
import type { PinnedSkill } from '@signalbox/core'

/** A file of a skill. */
export interface BundleFile {
  /** Relative to the directory of the skill, `/` between names. */
  readonly path: string
  readonly bytes: Uint8Array
  readonly executable: boolean
}

/** The files of a skill, sorted by path. */
export interface SkillBundle {
  /** Of the list of the files and their contents: see `bundleOf`. */
  readonly digest: string
  readonly files: readonly BundleFile[]
}

/** The skills that a process has read from its configuration; null for a digest that it has not. */
export type OwnBundles = (digest: string) => SkillBundle | null

/** The skills of the run that a call belongs to. */
export interface CallSkills {
  /** Those of its agent, as the run pins them. */
  readonly pinned: readonly PinnedSkill[]
  /** Names of those that were loaded when the call was judged. */
  readonly loaded: readonly string[]
  /** The files of one, as the run pins them; null if they are not there any more. */
  readonly bundle: (skill: Pick<PinnedSkill, 'digest'>) => Promise<SkillBundle | null>
}
