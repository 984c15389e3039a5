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
 * M5 Names and times are looked at on the event loop, in slices: a look takes 5 µs, and several times as long if a thread is asked
 *    for it. Contents are read and written by threads.
 */
import { createHash } from 'node:crypto'
import {
  chmodSync,
  closeSync,
  constants,
  fchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  opendirSync,
  rmdirSync,
  statfsSync,
  unlinkSync,
} from 'node:fs'
import { chmod, lstat, open, unlink } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@signalbox/core'
import type { FileDraft } from '@signalbox/engine'
import type { FileOfSet, FileSet } from '../../workspace/file-set.ts'
import { noFollow } from '../../workspace/open-directory.ts'
import { parsePath } from '../../workspace/path.ts'
import { refuse, type WorkspaceRefusal, type WorkspaceResult } from '../../workspace/refusal.ts'
import { inBatches, removeTree } from './disk.ts'
import { Slices } from './slices.ts'

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
  /** May there be a directory without files? */
  #mayHaveEmpty = false
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
        this.#mayHaveEmpty = true
      }
    }
    const slices = new Slices()
    if (this.#mayHaveEmpty) await this.#removeEmpty(this.directory, slices)
    this.#mayHaveEmpty = false
    await this.#directoriesFor(wanted.keys(), slices)
    await inBatches([...wanted.values()], (file) => this.#write(files, file))
    // A file that was written within the grain of the clock could be changed within it: few are compared by content, for many we wait.
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
    const left: Left = { drafts, gone, entries: 0, bytes: 0, slices: new Slices() }
    // A worker that may not enter it cannot look: the directory is its own, or the worker is root.
    chmodSync(this.directory, 0o755)
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
    this.#owner = null
    this.#written.clear()
    if (!removedEmpty(this.directory)) await this.discard()
    mkdirSync(this.directory, { mode: 0o755 })
    this.#mayHaveEmpty = false
    this.#own(this.directory)
    this.#isExact = exactTimes.has(statfsSync(this.directory).type)
  }

  #own(path: string): void {
    if (this.#uid === null) return
    const fd = openSync(path, constants.O_RDONLY | constants.O_DIRECTORY | noFollow)
    try {
      fchownSync(fd, this.#uid, this.#uid)
    } finally {
      closeSync(fd)
    }
  }

  /** Directories above the files, each made once, in order. */
  async #directoriesFor(paths: Iterable<string>, slices: Slices): Promise<void> {
    const directories = new Set<string>()
    for (const path of paths)
      for (let at = dirname(path); at !== '.'; at = dirname(at)) directories.add(at)
    for (const path of [...directories].toSorted()) {
      await slices.next()
      const at = join(this.directory, path)
      if (isMade(at)) this.#own(at)
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
  async #removeEmpty(at: string, slices: Slices): Promise<boolean> {
    let isEmpty = true
    const directories: string[] = []
    for (const entry of entriesOf(at)) {
      await slices.next()
      if (entry.isDirectory()) directories.push(join(at, entry.name))
      else isEmpty = false
    }
    for (const below of directories)
      if (await this.#removeEmpty(below, slices)) rmdirSync(below)
      else isEmpty = false
    return isEmpty
  }

  async #scan(above: string, left: Left): Promise<WorkspaceRefusal | null> {
    const directories: string[] = []
    const changed: Found[] = []
    let kept = 0
    for (const { name: bytes } of entriesOf(join(this.directory, above), 'latin1')) {
      await left.slices.next()
      left.entries += 1
      if (left.entries > limits.sandboxEntriesMax)
        return refuse('full', `The command left more than ${limits.sandboxEntriesMax} files.`)
      const raw = Buffer.from(bytes, 'latin1')
      const name = raw.toString('utf8')
      const path = above === '' ? name : `${above}/${name}`
      if (!Buffer.from(name, 'utf8').equals(raw))
        return refuse('bad_path', `${shown(path)}: The name is not UTF-8 text.`)
      const at = join(this.directory, path)
      const stat = lstatSync(at, { bigint: true })
      const parsed = parsePath(path)
      if (!stat.isFile() && !stat.isDirectory()) unlinkSync(at)
      else if (!parsed.ok) return refuse('bad_path', `${shown(path)}: ${parsed.message}`)
      else if (stat.isDirectory()) {
        directories.push(path)
        if ((stat.mode & 0o777n) !== 0o755n) chmodSync(at, 0o755)
      } else if (this.#isAsBefore(path, stat)) {
        kept += 1
        left.gone.delete(path)
      } else changed.push({ path, stat })
    }
    this.#mayHaveEmpty ||= above !== '' && kept + directories.length === 0
    const problems: WorkspaceRefusal[] = []
    await inBatches(changed, async (found) => {
      const problem = await this.#look(found, left)
      if (problem) problems.push(problem)
    })
    for (const path of directories.toSorted()) {
      if (problems.length > 0) break
      const problem = await this.#scan(path, left)
      if (problem) problems.push(problem)
    }
    return problems[0] ?? null
  }

  #isAsBefore(path: string, stat: Stamp): boolean {
    const before = this.#written.get(path)
    if (!before || !this.#isExact || this.#fresh.has(path)) return false
    return isSame(before.stamp, stat)
  }

  async #look({ path, stat }: Found, left: Left): Promise<WorkspaceRefusal | null> {
    const { drafts, gone } = left
    const at = join(this.directory, path)
    const before = this.#written.get(path)
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
  readonly slices: Slices
}

/** A file that may have been changed. */
interface Found {
  readonly path: string
  readonly stat: Stamp
}

/** In pieces: there may be many. */
function* entriesOf(at: string, encoding: BufferEncoding = 'utf8') {
  const directory = opendirSync(at, { encoding, bufferSize: 128 })
  try {
    for (let entry = directory.readSync(); entry; entry = directory.readSync()) yield entry
  } finally {
    directory.closeSync()
  }
}

/** Is there no such directory any more? One that holds something stays. */
function removedEmpty(path: string): boolean {
  try {
    rmdirSync(path)
    return true
  } catch (error) {
    return codeOf(error) === 'ENOENT'
  }
}

/** Makes a directory. False: it is there. */
function isMade(path: string): boolean {
  try {
    mkdirSync(path, { mode: 0o755 })
    return true
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false
    throw error
  }
}

const codeOf = (error: unknown): unknown =>
  error instanceof Error && 'code' in error ? error.code : null

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
