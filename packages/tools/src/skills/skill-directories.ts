/**
 * The files of skills as directories of this machine, for sandboxes that mount them.
 *
 * D1 A directory holds the skills of one set, each below its name, and never changes: it is found again by their digests.
 * D2 It is private to this process, and readable for the users that commands run as. Nothing in it is a secret.
 * D3 One that is mounted stays. Of the others some are kept; all are removed when the process ends, and what a crash leaves, later.
 * D4 One that is a day old is written anew before it is used again: systems remove old files, and so does another process of ours, which
 *    cannot know whether a process that wrote nothing for a week still lives.
 */
import { chmod, mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { type SkillBundle } from '@signalbox/engine'
import { sweepOld } from '../workspace/sweep-old.ts'

const prefix = 'signalbox-skills-'
/** Directories that nobody uses, and that are kept for the next call. */
const idleMax = 16
const freshMs = 24 * 3_600_000

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
  /** Milliseconds since the epoch. */
  readonly madeAt: number
  uses: number
}

/** The directories of one process, below `base`. */
export class SkillDirectories {
  readonly #base: string
  readonly #now: () => number
  readonly #kept = new Map<string, Kept>()
  #home: Promise<string> | null = null
  #count = 0

  constructor(base: string, now: () => number = Date.now) {
    this.#base = base
    this.#now = now
  }

  async open(skills: readonly NamedBundle[]): Promise<SkillDirectory> {
    const sorted = skills.toSorted((a, b) => (a.name < b.name ? -1 : 1))
    const key = sorted.map(({ name, bundle: { digest } }) => `${name} ${digest}`).join('\n')
    const kept = this.#fresh(key) ?? { path: this.#write(sorted), madeAt: this.#now(), uses: 0 }
    // The one that was used last stands last.
    this.#kept.delete(key)
    this.#kept.set(key, kept)
    kept.uses += 1
    try {
      const path = await kept.path
      return { path, release: () => this.#release(key, kept) }
    } catch (error) {
      if (this.#kept.get(key) === kept) this.#kept.delete(key)
      throw error
    }
  }

  async close(): Promise<void> {
    const home = await this.#home?.catch(() => null)
    if (home !== undefined && home !== null) await rm(home, { recursive: true, force: true })
  }

  /** The one that is kept; undefined where there is none, or an old one, which goes with the last call that uses it. */
  #fresh(key: string): Kept | undefined {
    const kept = this.#kept.get(key)
    if (!kept || this.#now() - kept.madeAt < freshMs) return kept
    if (kept.uses === 0) remove(kept)
    return undefined
  }

  #release(key: string, kept: Kept): void {
    kept.uses -= 1
    if (kept.uses === 0 && this.#kept.get(key) !== kept) remove(kept)
    const idle = [...this.#kept].filter(([, { uses }]) => uses === 0)
    for (const [name, one] of idle.slice(0, Math.max(0, idle.length - idleMax))) {
      this.#kept.delete(name)
      remove(one)
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

const remove = ({ path }: Kept): void =>
  void path.then((at) => rm(at, { recursive: true, force: true })).catch(() => undefined)

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
