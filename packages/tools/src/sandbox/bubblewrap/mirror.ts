/**
 * The files of a thread as a directory that a sandbox is given, and what a command changed there.
 *
 * M1 The directory belongs to one slot: while a command runs nobody else uses it, and afterwards no process of it lives.
 * M2 A file is unchanged if it is the same file with the same time of change, which no program can set. Where a file
 *    system does not keep that time for all writes (tmpfs and writes through a mapping), contents are compared instead.
 * M3 Links, pipes, sockets and devices are not kept; names that no workspace takes are refused. Second names of a file are
 *    files: all of them are in here, since no link leads over a mount.
 * M4 It is kept for the next call of the same thread if it is large, and brought up to date then. After anything but a
 *    command that exited and whose files were looked at, it is made anew.
 */
import { createHash } from 'node:crypto'
import { constants } from 'node:fs'
import { chmod, lstat, mkdir, open, readdir, rmdir, statfs, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@signalbox/core'
import type { FileDraft } from '@signalbox/engine'
import type { FileOfSet, FileSet } from '../../workspace/file-set.ts'
import { noFollow } from '../../workspace/open-directory.ts'
import { parsePath } from '../../workspace/path.ts'
import { refuse, type WorkspaceRefusal, type WorkspaceResult } from '../../workspace/refusal.ts'
import { inBatches, removeTree } from './disk.ts'

/** A tree of more files than this is kept between calls. */
const keptFrom = 50
/** Times of change have the grain of the kernel's clock, on old kernels. Milliseconds. */
const grainMs = 12
/** `statfs` types of ext4, xfs, btrfs and overlayfs, which keep the time of change for all writes. */
const exactTimes: ReadonlySet<number> = new Set([0xef53, 0x58465342, 0x9123683e, 0x794c7630])

interface Stamp {
  readonly ino: bigint
  readonly ctimeNs: bigint
  readonly size: bigint
  readonly mode: bigint
}

/** A file as it was written out. */
interface Written {
  readonly state: string
  readonly executable: boolean
  readonly digest: string
  readonly stamp: Stamp
}

/** The directory of one slot. */
export class Mirror {
  readonly directory: string
  readonly #uid: number | null
  #written = new Map<string, Written>()
  /** Whose files are there; null: nothing that may be used again. */
  #owner: string | null = null
  #isExact = false
  #fresh: ReadonlySet<string> = new Set()

  constructor(directory: string, uid: number | null) {
    this.directory = directory
    this.#uid = uid
  }

  /** Whose files it holds, for who chooses among several. */
  get owner(): string | null {
    return this.#owner
  }

  /** Makes the directory hold the files and nothing else. `owner` names tenant and thread. */
  async prepare(files: FileSet, owner: string): Promise<void> {
    const list = await files.list()
    if (this.#owner !== owner) await this.#startAnew()
    this.#owner = null
    const wanted = new Map(list.map((file) => [file.path, file]))
    for (const [path, { state, executable }] of this.#written) {
      const file = wanted.get(path)
      if (file?.state === state && file.executable === executable) wanted.delete(path)
      else {
        await unlink(join(this.directory, path))
        this.#written.delete(path)
      }
    }
    await this.#removeEmpty(this.directory)
    await this.#directoriesFor(wanted.keys())
    await inBatches([...wanted.values()], (file) => this.#write(files, file))
    // What was written within the grain of the clock could be changed within it: few are compared by content, for many we wait.
    this.#fresh = wanted.size > keptFrom ? new Set() : new Set(wanted.keys())
    if (wanted.size > keptFrom) await sleep(grainMs)
    this.#owner = owner
  }

  /** After a command that exited: what it left. The directory may be used again afterwards, if it is worth it. */
  async changes(): Promise<WorkspaceResult<readonly FileDraft[]>> {
    const owner = this.#owner
    this.#owner = null
    const drafts: FileDraft[] = []
    const gone = new Set(this.#written.keys())
    const left: Left = { drafts, gone, entries: 0, bytes: 0 }
    await chmod(this.directory, 0o755)
    const problem = await this.#scan('', left)
    if (problem) return problem
    for (const path of gone) {
      drafts.push({ path, bytes: null, executable: false })
      this.#written.delete(path)
    }
    if (this.#written.size > keptFrom) this.#owner = owner
    return { ok: true, value: drafts }
  }

  /** Forgets what is there: a command was stopped in the middle. */
  async discard(): Promise<void> {
    this.#owner = null
    this.#written.clear()
    await removeTree(this.directory)
  }

  async #startAnew(): Promise<void> {
    await this.discard()
    await mkdir(this.directory, { mode: 0o755 })
    await this.#own(this.directory)
    this.#isExact = exactTimes.has((await statfs(this.directory)).type)
  }

  async #own(path: string): Promise<void> {
    if (this.#uid === null) return
    const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | noFollow)
    try {
      await handle.chown(this.#uid, this.#uid)
    } finally {
      await handle.close()
    }
  }

  /** Directories above the files, each made once, in order. */
  async #directoriesFor(paths: Iterable<string>): Promise<void> {
    const directories = new Set<string>()
    for (const path of paths)
      for (let at = dirname(path); at !== '.'; at = dirname(at)) directories.add(at)
    for (const path of [...directories].toSorted()) {
      const at = join(this.directory, path)
      const made = await mkdir(at, { mode: 0o755 }).then(
        () => true,
        (error: unknown) => {
          if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false
          throw error
        },
      )
      if (made) await this.#own(at)
    }
  }

  async #write(files: FileSet, { path, state, executable }: FileOfSet): Promise<void> {
    if (!parsePath(path).ok) throw new Error('a tree with a path that is none')
    const bytes = await files.read(path)
    if (!bytes) return
    const flags = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | noFollow
    const handle = await open(join(this.directory, path), flags, executable ? 0o755 : 0o644)
    try {
      await handle.writeFile(bytes)
      if (this.#uid !== null) await handle.chown(this.#uid, this.#uid)
      const stamp = await handle.stat({ bigint: true })
      this.#written.set(path, { state, executable, digest: digestOf(bytes), stamp })
    } finally {
      await handle.close()
    }
  }

  /** Directories that hold no file any more are none. Answers whether this one is empty. */
  async #removeEmpty(at: string): Promise<boolean> {
    const entries = await readdir(at, { withFileTypes: true })
    let isEmpty = true
    for (const entry of entries) {
      const below = join(at, entry.name)
      if (entry.isDirectory() && (await this.#removeEmpty(below))) await rmdir(below)
      else isEmpty = false
    }
    return isEmpty
  }

  async #scan(above: string, left: Left): Promise<WorkspaceRefusal | null> {
    const at = join(this.directory, above)
    const names = await readdir(at, { encoding: 'buffer' })
    left.entries += names.length
    if (left.entries > limits.sandboxEntriesMax)
      return refuse('full', `The command left more than ${limits.sandboxEntriesMax} files.`)
    const directories: string[] = []
    const problems: WorkspaceRefusal[] = []
    await inBatches(names, async (raw) => {
      const name = raw.toString('utf8')
      const path = above === '' ? name : `${above}/${name}`
      const stat = Buffer.from(name, 'utf8').equals(raw)
        ? await lstat(join(this.directory, path), { bigint: true })
        : null
      const parsed = parsePath(path)
      if (stat && !stat.isFile() && !stat.isDirectory()) await unlink(join(this.directory, path))
      else if (!stat || !parsed.ok)
        problems.push(refuse('bad_path', `${shown(path)}: ${parsed.ok ? notText : parsed.message}`))
      else if (stat.isDirectory()) directories.push(path)
      else {
        const problem = await this.#look(path, stat, left)
        if (problem) problems.push(problem)
      }
    })
    for (const path of directories.toSorted()) {
      if (problems.length > 0) break
      // Whoever may not enter it cannot look: it is ours, or we are root.
      await chmod(join(this.directory, path), 0o755)
      const problem = await this.#scan(path, left)
      if (problem) problems.push(problem)
    }
    return problems[0] ?? null
  }

  async #look(path: string, stat: Stamp, left: Left): Promise<WorkspaceRefusal | null> {
    const { drafts, gone } = left
    const at = join(this.directory, path)
    const before = this.#written.get(path)
    if (before && this.#isExact && !this.#fresh.has(path) && isSame(before.stamp, stat)) {
      gone.delete(path)
      return null
    }
    if (stat.size > BigInt(limits.toolResultBytesMax))
      return refuse('too_large', `${shown(path)}: The file is too large to be kept.`)
    // Before any of it is read: files with holes take no room on a disk, and all of theirs in memory.
    left.bytes += Number(stat.size)
    if (left.bytes > limits.filesBytesMax)
      return refuse('full', `The command changed more than ${limits.filesBytesMax} bytes.`)
    if ((stat.mode & 0o400n) === 0n) await chmod(at, Number(stat.mode & 0o777n) | 0o400)
    const bytes = await readWhole(at)
    const executable = (stat.mode & 0o100n) !== 0n
    gone.delete(path)
    if (before?.digest === digestOf(bytes) && before.executable === executable) {
      // Touched, but not changed: the next call compares with what is there now.
      const now = await lstat(at, { bigint: true })
      this.#written.set(path, { ...before, stamp: now })
      return null
    }
    this.#written.delete(path)
    drafts.push({ path, bytes, executable })
    // The next call finds it in the register, under a state that nobody knows yet.
    await unlink(at)
    return null
  }
}

interface Left {
  readonly drafts: FileDraft[]
  readonly gone: Set<string>
  entries: number
  /** Of the files that have to be read. */
  bytes: number
}

const notText = 'The name is not UTF-8 text.'

const shown = (path: string): string => JSON.stringify(path.slice(0, 200).toWellFormed())

const digestOf = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex')

const isSame = (a: Stamp, b: Stamp): boolean =>
  a.ino === b.ino && a.ctimeNs === b.ctimeNs && a.size === b.size && a.mode === b.mode

async function readWhole(path: string): Promise<Uint8Array> {
  const handle = await open(path, constants.O_RDONLY | noFollow)
  try {
    return await handle.readFile()
  } finally {
    await handle.close()
  }
}
