/**
 * The skills that a configuration names, read once, at start.
 *
 * L1 A skill that cannot be used ends the start, by its file and field. None is left out.
 * L2 Each is known by the digest of its files: what becomes of its folder afterwards is no matter of the runs that pin it.
 */
import { readdir, stat } from 'node:fs/promises'
import { basename, dirname, join, resolve } from 'node:path'
import { bundleOf, type OwnBundles, type SkillBundle } from '@signalbox/engine'
import { readBundle, readSkill, type SkillFault, type SkillHead } from '@signalbox/tools'
import { noteBytes } from '../edition.ts'
import { fail } from '../fail.ts'
import type { LoadedConfig } from '../load-config.ts'
import { shownFile } from '../place.ts'
import { skillsOf } from '../skills-schema.ts'

/** A skill that was read. */
export interface ConfiguredSkill {
  readonly head: SkillHead
  readonly bundle: SkillBundle
  /** Its `SKILL.md`, as one types it from the folder of the configuration. */
  readonly shown: string
  /** The field of the configuration that names it. */
  readonly field: string
}

/** The skills of a configuration. */
export interface ConfiguredSkills {
  /** By the name of the agent, sorted by name. */
  readonly agents: ReadonlyMap<string, readonly ConfiguredSkill[]>
  readonly bundles: OwnBundles
}

/** Reads them, relative to the folder of the configuration. @throws ConfigError `config_skill` */
export async function loadSkills({
  config,
  dir,
}: Pick<LoadedConfig, 'config' | 'dir'>): Promise<ConfiguredSkills> {
  const read = new Map<string, Promise<ReadSkill>>()
  const agents = new Map<string, readonly ConfiguredSkill[]>()
  const bundles = new Map<string, SkillBundle>()
  for (const [name, agent] of Object.entries(config.agents)) {
    const at = `agents.${name}.skills`
    const { from } = skillsOf(agent)
    const place = Array.isArray(agent.skills) ? at : `${at}.from`
    const skills = await loadAll(from, { dir, place, read })
    for (const { bundle } of skills) bundles.set(bundle.digest, bundle)
    agents.set(name, skills)
  }
  return { agents, bundles: (digest) => bundles.get(digest) ?? null }
}

interface Reading {
  readonly dir: string
  readonly place: string
  /** By folder: each is read once, whoever names it. */
  readonly read: Map<string, Promise<ReadSkill>>
}

type ReadSkill = Pick<ConfiguredSkill, 'head' | 'bundle'> | SkillFault

async function loadAll(
  patterns: readonly string[],
  { dir, place, read }: Reading,
): Promise<readonly ConfiguredSkill[]> {
  const found = new Map<string, ConfiguredSkill>()
  for (const [n, pattern] of patterns.entries()) {
    const field = `${place}[${n}]`
    for (const folder of await foldersOf(resolve(dir, pattern), { pattern, field })) {
      const reading = read.get(folder) ?? readFolder(folder)
      read.set(folder, reading)
      const skill = await reading
      const shown = (file: string): string => shownFile(join(folder, file), dir)
      if ('message' in skill) return refuse(field, shown(skill.file), skill)
      const { name } = skill.head
      const file = shown('SKILL.md')
      const twin = found.get(name)
      if (twin) {
        const message = `${file}: there is a skill of the name "${name}" already, ${twin.shown}; rename either`
        fail('config_skill', field, message)
      }
      found.set(name, { ...skill, field, shown: file })
    }
  }
  return [...found.values()].toSorted((a, b) => (a.head.name < b.head.name ? -1 : 1))
}

function refuse(field: string, file: string, { field: at, message }: SkillFault): never {
  return fail('config_skill', field, `${file}: ${at === null ? '' : `${at} `}${message}`)
}

/** The folders that a pattern means. @throws ConfigError */
async function foldersOf(
  path: string,
  { pattern, field }: { readonly pattern: string; readonly field: string },
): Promise<readonly string[]> {
  if (basename(path) !== '*') {
    if (await isFolder(path)) return [path]
    return fail('config_skill', field, `there is no folder ${pattern}`)
  }
  const above = dirname(path)
  const names = await readdir(above).catch(() => null)
  if (!names) return fail('config_skill', field, `there is no folder ${dirname(pattern)}`)
  const folders: string[] = []
  // As a shell means it: without names that begin with a dot.
  for (const name of names.filter((each) => !each.startsWith('.')).toSorted())
    if (await isFolder(join(above, name))) folders.push(join(above, name))
  if (folders.length > 0) return folders
  return fail('config_skill', field, `there is no folder in ${dirname(pattern)}`)
}

const isFolder = async (path: string): Promise<boolean> =>
  (await stat(path).catch(() => null))?.isDirectory() === true

async function readFolder(folder: string): Promise<ReadSkill> {
  const files = await readBundle(folder)
  if (!files.ok) return files
  // In `dev`, a run that may write there does not change what is read of it.
  const counted = files.value.map((file) => ({
    ...file,
    bytes: noteBytes(join(folder, file.path), file.bytes),
  }))
  const head = readSkill(basename(folder), counted)
  return head.ok ? { head: head.value, bundle: bundleOf(counted) } : head
}
