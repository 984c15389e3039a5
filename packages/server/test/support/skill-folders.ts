/** Skills in folders for tests: the sample, and others that are written. */
import { cp, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const samples = fileURLToPath(new URL('../fixtures/skills', import.meta.url))

/** A folder for skills, which is to be removed. */
export interface SkillFolders {
  readonly path: string
  /** Puts the sample `invoices` into it, and answers its folder. */
  sample(): Promise<string>
  /** Writes a skill, and answers its folder. `files`: by path, over a `SKILL.md` with this description. */
  write(name: string, skill?: WrittenSkill): Promise<string>
  remove(): Promise<void>
}

export interface WrittenSkill {
  readonly description?: string
  /** Further lines of the head. */
  readonly head?: readonly string[]
  readonly body?: string
  readonly files?: Readonly<Record<string, string | Uint8Array>>
}

export async function skillFolders(): Promise<SkillFolders> {
  const path = await realpath(await mkdtemp(join(tmpdir(), 'signalbox-test-skills-')))
  return {
    path,
    async sample() {
      await cp(join(samples, 'invoices'), join(path, 'invoices'), { recursive: true })
      return join(path, 'invoices')
    },
    async write(
      name,
      { description = `Does ${name}.`, head = [], body = 'Do it.', files = {} } = {},
    ) {
      const text = ['---', `name: ${name}`, `description: ${description}`, ...head, '---', body]
      const all = { 'SKILL.md': `${text.join('\n')}\n`, ...files }
      for (const [file, content] of Object.entries(all)) {
        await mkdir(dirname(join(path, name, file)), { recursive: true })
        await writeFile(join(path, name, file), content)
      }
      return join(path, name)
    },
    remove: () => rm(path, { recursive: true, force: true }),
  }
}
