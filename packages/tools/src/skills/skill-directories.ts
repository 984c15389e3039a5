/**
 * The files of skills as directories of this machine, for sandboxes that mount them.
 *
 * D1 A directory holds the skills of one set, each below its name, and never changes: it is found again by their digests.
 * D2 It is private to this process, and readable for the users that commands run as. Nothing in it is a secret.
 * D3 One that is mounted stays. Of the others some are kept; all are removed when the process ends, and what a crash leaves, later.
 */
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type SkillBundle } from '@signalbox/engine'
import { sweepOld } from '../workspace/sweep-old.ts'

const prefix = 'signalbox-skills-'
/** Directories that nobody uses, and that are kept for the next call. */
const idleMax = 16

/** A skill by its name in the directory. */
export interface NamedBundle {
  readonly name: string
  readonly bundle: SkillBundle
}

/** A directory that is in use until it is released. */
export interface SkillDirectory {
  readonly path: string
  readonly release: () => void
}

interface Kept {
  readonly path: Promise<string>
  uses: number
}

/** The directories of one process, below `base`. */
export class SkillDirectories {
  readonly #base: string
  readonly #kept = new Map<string, Kept>()
  #home: Promise<string> | null = null
  #count = 0

  constructor(base: string) {
    this.#base = base
  }

  async open(skills: readonly NamedBundle[]): Promise<SkillDirectory> {
    const sorted = skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const key = sorted.map(({ name, bundle: { digest } }) => `${name} ${digest}`).join('\n')
    const kept = this.#kept.get(key) ?? { path: this.#write(sorted), uses: 0 }
    // The one that was used last stands last.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.uses += 1
    try {
      const path = await kept.path
      return { path, release: () => this.#release(kept) }
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
      throw error
    }
  }

  async close(): Promise<void> {
    const home = await this.#home?.catch(() => null)
    if (home !== undefined && home !== null) await rm(home, { recursive: true, force: true })
  }

  #release(kept: Kept): void {
    kept.uses -= 1
    const idle = [...this.#kept].filter(([, { uses }]) => uses === 0)
    for (const [key, { path }] of idle.slice(0, Math.max(0, idle.length - idleMax))) {
      this.#kept.delete(key)
      void path.then((at) => rm(at, { recursive: true, force: true })).catch(() => undefined)
    }
  }

  async #write(skills: readonly NamedBundle[]): Promise<string> {
    this.#home ??= makeHome(this.#base)
    const at = join(await this.#home, String((this.#count += 1)))
    await makeDirectory(at)
    for (const { name, bundle } of skills) {
      await makeDirectory(join(at, name))
      for (const { path, bytes, executable } of bundle.files) {
        const file = join(at, name, path)
        await makeDirectory(dirname(file))
        await writeFile(file, bytes, { flag: 'wx' })
        // Whatever this process makes files as by default.
        await chmod(file, executable ? 0o755 : 0o644)
      }
    }
    return at
  }
}

async function makeHome(base: string): Promise<string> {
  await sweepOld(base, prefix)
  const home = await mkdtemp(join(await realpath(base), prefix))
  await chmod(home, 0o755)
  return home
}

async function makeDirectory(path: string): Promise<void> {
  const first = await mkdir(path, { recursive: true })
  if (first === undefined) return
  for (let at = path; at.length >= first.length; at = dirname(at)) await chmod(at, 0o755)
}
