/**
 * The skills of a run as one call finds them: their files below `skills/`, read-only, beside the files of the thread.
 *
 * S1 Of a skill that is not loaded, `SKILL.md` alone can be read: whoever reads it has loaded it.
 * S2 Nothing is written below `skills/`, by no tool. Files of the thread that stand there are not to be seen while its agent has skills.
 * S3 The sandbox has the skills that were loaded when the call was judged, and the secrets of these.
 */
import {
  directoryOfSkill,
  limits,
  type PinnedSkill,
  skillFile,
  skillsDirectory,
} from '@signalbox/core'
import { type CallSkills, decodeText, type SkillBundle } from '@signalbox/engine'
import type { CallFileSet } from '../workspace/file-set.ts'
import { parsePath } from '../workspace/path.ts'
import { refuse, type WorkspaceResult } from '../workspace/refusal.ts'
import type { Workspace, WorkspaceEntry, WorkspaceListing } from '../workspace/workspace.ts'

/** The skills of one call. */
export interface OpenSkills {
  /** The same workspace, with the files of skills in it. */
  over(workspace: Workspace): Workspace
  /** The same set, without what stands where skills are. */
  beside(files: CallFileSet): CallFileSet
  /** The skill whose instructions the call has read by their file; null: of none. */
  readonly read: string | null
  /** The skills that were loaded, with their files. Null for a run without skills. */
  loaded(): Promise<readonly LoadedFiles[] | null>
}

/** A skill that was loaded, and its files; null: they are not there any more. */
export interface LoadedFiles {
  readonly skill: PinnedSkill
  readonly bundle: SkillBundle | null
}

/** Of a run without skills. */
const noSkills: OpenSkills = {
  over: (workspace) => workspace,
  beside: (files) => files,
  read: null,
  loaded: async () => null,
}

export function openSkills(skills: CallSkills | undefined): OpenSkills {
  return skills && skills.pinned.length > 0 ? new SkillsOfCall(skills) : noSkills
}

/** The names of a path below `skills/`; null: it leads elsewhere, or nowhere. */
function belowSkills(path: string): readonly string[] | null {
  const parsed = parsePath(path)
  const [first, ...rest] = parsed.ok ? parsed.value : []
  return first === skillsDirectory ? rest : null
}

const noFile = refuse('not_found', 'There is no such file or directory.')
const isDirectory = refuse('not_a_file', 'That is a directory.')
const readOnly = refuse('read_only', `What stands below ${skillsDirectory}/ cannot be changed.`)
const gone = refuse('gone', 'The files of the skill are not there any more.')

class SkillsOfCall implements OpenSkills {
  readonly #skills: CallSkills
  read: string | null = null

  constructor(skills: CallSkills) {
    this.#skills = skills
  }

  over(workspace: Workspace): Workspace {
    return {
      ...workspace,
      ls: async (path) => {
        const names = belowSkills(path)
        if (names) return this.#list(names)
        const listed = await workspace.ls(path)
        const parsed = parsePath(path)
        return parsed.ok && parsed.value.length === 0 ? withSkills(listed) : listed
      },
      readFile: (path) => {
        const names = belowSkills(path)
        return names ? this.#readFile(names) : workspace.readFile(path)
      },
      writeFile: async (path, text) =>
        belowSkills(path) ? readOnly : workspace.writeFile(path, text),
      replace: async (path, oldText, newText) =>
        belowSkills(path) ? readOnly : workspace.replace(path, oldText, newText),
    }
  }

  beside(files: CallFileSet): CallFileSet {
    return {
      list: async () => (await files.list()).filter(({ path }) => !isOfSkills(path)),
      read: (path) => files.read(path),
      kept: (key) => files.kept(key),
      take: async (drafts) =>
        drafts.some(({ path }) => isOfSkills(path)) ? readOnly : files.take(drafts),
    }
  }

  loaded(): Promise<readonly LoadedFiles[]> {
    const { pinned, bundle } = this.#skills
    const loaded = pinned.filter(({ name }) => this.#isLoaded(name))
    return Promise.all(loaded.map(async (skill) => ({ skill, bundle: await bundle(skill) })))
  }

  #isLoaded(name: string): boolean {
    return this.#skills.loaded.includes(name)
  }

  async #list([name, ...rest]: readonly string[]): Promise<WorkspaceResult<WorkspaceListing>> {
    const { pinned } = this.#skills
    if (name === undefined) return listing(pinned.map((skill) => directory(skill.name)))
    const files = await this.#filesOf(name)
    if (!files.ok) return files
    const prefix = rest.map((each) => `${each}/`).join('')
    const found = new Map<string, WorkspaceEntry>()
    for (const { path, bytes } of files.value) {
      if (`${path}/` === prefix) return refuse('not_a_directory', 'That is a file.')
      if (!path.startsWith(prefix)) continue
      const [first = '', ...below] = path.slice(prefix.length).split('/')
      const isFile = below.length === 0
      found.set(
        first,
        isFile ? { name: first, kind: 'file', bytes: bytes.length } : directory(first),
      )
    }
    return found.size === 0 ? noFile : listing([...found.values()])
  }

  async #readFile([name, ...rest]: readonly string[]): Promise<WorkspaceResult<string>> {
    if (name === undefined) return isDirectory
    const path = rest.join('/')
    const files = await this.#filesOf(name)
    if (!files.ok) return files
    const file = files.value.find((each) => each.path === path)
    if (!file) return this.#absent(name, path, files.value)
    const text = decodeText(file.bytes)
    if (text === null) return refuse('not_text', 'The file is not UTF-8 text.')
    if (path === skillFile) this.read = name
    return { ok: true, value: text }
  }

  #absent(name: string, path: string, files: SkillBundle['files']): WorkspaceResult<never> {
    if (path === '' || files.some((each) => each.path.startsWith(`${path}/`))) return isDirectory
    if (this.#isLoaded(name)) return noFile
    const first = `${directoryOfSkill(name)}/${skillFile}`
    return refuse('not_loaded', `The skill "${name}" is not loaded: load it, or read ${first}.`)
  }

  /** Those that the call may see. */
  async #filesOf(name: string): Promise<WorkspaceResult<SkillBundle['files']>> {
    const skill = this.#skills.pinned.find((each) => each.name === name)
    if (!skill) return noFile
    const bundle = await this.#skills.bundle(skill)
    if (!bundle) return gone
    const { files } = bundle
    const seen = this.#isLoaded(name) ? files : files.filter(({ path }) => path === skillFile)
    return { ok: true, value: seen }
  }
}

const isOfSkills = (path: string): boolean =>
  path === skillsDirectory || path.startsWith(`${skillsDirectory}/`)

const directory = (name: string): WorkspaceEntry => ({ name, kind: 'directory', bytes: 0 })

const sorted = (entries: readonly WorkspaceEntry[]): readonly WorkspaceEntry[] =>
  entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))

const listing = (entries: readonly WorkspaceEntry[]): WorkspaceResult<WorkspaceListing> => ({
  ok: true,
  value: { entries: sorted(entries), more: 0 },
})

/** The listing of the workspace itself. */
function withSkills(listed: WorkspaceResult<WorkspaceListing>): WorkspaceResult<WorkspaceListing> {
  if (!listed.ok) return listed
  const { entries, more } = listed.value
  const others = entries.filter(({ name }) => name !== skillsDirectory)
  const all = sorted([...others, directory(skillsDirectory)])
  const shown = all.slice(0, limits.pageMax)
  return { ok: true, value: { entries: shown, more: more + all.length - shown.length } }
}
