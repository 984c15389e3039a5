/**
 * The files of a thread as the file system of just-bash.
 *
 * T1 A file is read when its content is asked for. Names, sizes and modes are known without: `ls` and `find` read nothing.
 * T2 A file whose content was erased is not there, as far as anybody can know: what is to be copied, moved or added to is read before.
 * T3 There are no second names of a file: `link` makes a copy. Links that only name a path are there, and are not kept.
 * T4 A path is followed to where its links lead. The file system of just-bash reads through links, and would write beside them.
 * T5 Every file says which one it is, read or not: `cp` and `mv` replace none of which they cannot tell that it is another one.
 */
import {
  type CpOptions,
  type FileContent,
  type FsStat,
  type IFileSystem,
  InMemoryFs,
  type MkdirOptions,
  type RmOptions,
} from 'just-bash'
import type { ToldFile } from './messages.ts'

/** Reads the bytes of a file of the thread; null if they were erased since. */
export type ReadContent = (path: string) => Promise<Uint8Array | null>

/** A file as a script left it; `bytes` null: it is gone. */
export interface LeftFile {
  readonly path: string
  readonly bytes: Uint8Array | null
  readonly executable: boolean
}

type ReadOptions = Parameters<IFileSystem['readFile']>[1]
type WriteOptions = Parameters<IFileSystem['writeFile']>[2]

/** Where the files of the thread are. */
export const workspacePoint = '/workspace'

/** As many links as may lead to one another; Linux has the same. */
const linksMax = 40

/** Files that nobody has touched since the call began have this age. */
const untouched = new Date(0)

/** A file system of `/`, to be mounted at `workspacePoint`. */
export class TreeFs implements IFileSystem {
  readonly #inner: InMemoryFs
  readonly #read: ReadContent
  readonly #found = new Map<string, ToldFile>()
  /** Files that were there before and whose bytes nobody has asked for, by absolute path. */
  readonly #unread = new Map<string, ToldFile>()
  readonly #original = new Map<string, Uint8Array>()
  /** Files whose content was erased, as far as it is known, by absolute path; those that are not there for it since. */
  readonly #erased = new Set<string>()
  readonly #absent = new Set<string>()
  #hasLinks = false

  constructor(files: readonly ToldFile[], read: ReadContent, bytesMax: number) {
    this.#inner = new InMemoryFs(undefined, { maxTotalBytes: bytesMax })
    this.#read = read
    for (const file of files) {
      const at = `/${file.path}`
      this.#found.set(at, file)
      this.#unread.set(at, file)
      const mode = modeOf(file)
      this.#inner.writeFileLazy(at, () => this.#content(at, file), { mode, mtime: untouched })
    }
  }

  /** The files that the script changed, made or removed. Regular files alone; no empty directories. */
  async changes(): Promise<readonly LeftFile[]> {
    const left: LeftFile[] = []
    const gone = new Set(this.#found.keys())
    for (const at of this.#inner.getAllPaths().toSorted()) {
      const stat = await this.lstat(at)
      if (!stat.isFile || stat.isSymbolicLink) continue
      gone.delete(at)
      const file = await this.#changed(at, (stat.mode & 0o100) !== 0)
      if (file) left.push(file)
    }
    // Nobody has removed those that are absent since their content is.
    for (const at of gone)
      if (!this.#absent.has(at)) left.push({ path: at.slice(1), bytes: null, executable: false })
    return left
  }

  async #changed(at: string, executable: boolean): Promise<LeftFile | null> {
    const before = this.#found.get(at)
    const isSameMode = before?.executable === executable
    if (isSameMode && this.#unread.has(at)) return null
    const bytes = await this.#inner.readFileBuffer(at)
    const file = { path: at.slice(1), bytes, executable }
    if (!before || !isSameMode || bytes.length !== before.bytes) return file
    const original = this.#original.get(at) ?? (await this.#read(before.path))
    return original && Buffer.compare(original, bytes) === 0 ? null : file
  }

  async #content(at: string, { path }: ToldFile): Promise<Uint8Array> {
    const bytes = await this.#read(path)
    if (!bytes) {
      this.#erased.add(at)
      throw new Error(`EIO: the content was erased, open '${path}'`)
    }
    this.#original.set(at, bytes)
    this.#unread.delete(at)
    return bytes
  }

  readFile(path: string, options?: ReadOptions): Promise<string> {
    return this.#inner.readFile(path, options)
  }

  readFileBytes(path: string): ReturnType<InMemoryFs['readFileBytes']> {
    return this.#inner.readFileBytes(path)
  }

  readFileBuffer(path: string): Promise<Uint8Array> {
    return this.#inner.readFileBuffer(path)
  }

  async writeFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    const at = await this.#target(path)
    await this.#inner.writeFile(at, content, options)
    this.#unread.delete(at)
  }

  async appendFile(path: string, content: FileContent, options?: WriteOptions): Promise<void> {
    const at = await this.#target(path)
    await this.#readAll(at)
    await this.#inner.appendFile(at, content, options)
    this.#unread.delete(at)
  }

  exists(path: string): Promise<boolean> {
    return this.#inner.exists(path)
  }

  async stat(path: string): Promise<FsStat> {
    const at = await this.#real(path)
    return this.#known(at) ?? named(at, await this.#inner.stat(path))
  }

  async lstat(path: string): Promise<FsStat> {
    const at = await this.#place(path)
    return this.#known(at) ?? named(at, await this.#inner.lstat(at))
  }

  async mkdir(path: string, options?: MkdirOptions): Promise<void> {
    await this.#inner.mkdir(await this.#target(path), options)
  }

  async readdir(path: string): Promise<string[]> {
    return this.#inner.readdir(await this.#target(path))
  }

  async readdirWithFileTypes(path: string): ReturnType<InMemoryFs['readdirWithFileTypes']> {
    return this.#inner.readdirWithFileTypes(await this.#target(path))
  }

  async rm(path: string, options?: RmOptions): Promise<void> {
    const at = await this.#place(path)
    await this.#inner.rm(at, options)
    this.#forget(at)
  }

  async cp(from: string, to: string, options?: CpOptions): Promise<void> {
    const [source, at] = [await this.#place(from), await this.#place(to)]
    await this.#readAll(await this.#target(from))
    await this.#inner.cp(source, at, options)
    this.#forget(at)
  }

  async mv(from: string, to: string): Promise<void> {
    const [source, at] = [await this.#place(from), await this.#place(to)]
    await this.#readAll(source)
    await this.#inner.mv(source, at)
    this.#forget(source)
    this.#forget(at)
  }

  resolvePath(base: string, path: string): string {
    return this.#inner.resolvePath(base, path)
  }

  getAllPaths(): string[] {
    return this.#inner.getAllPaths()
  }

  async chmod(path: string, mode: number): Promise<void> {
    const at = await this.#target(path)
    // The mode of a file that nobody has read is what this class says of it.
    if (this.#known(at)) await this.#inner.readFileBuffer(at)
    await this.#inner.chmod(at, mode)
  }

  async symlink(target: string, path: string): Promise<void> {
    const at = await this.#place(path)
    const inside = this.#inside(target, at)
    this.#hasLinks = true
    await this.#inner.symlink(inside, at)
  }

  async link(existing: string, path: string): Promise<void> {
    const at = await this.#place(path)
    if (await this.#inner.exists(at)) throw new Error(`EEXIST: file already exists, link '${path}'`)
    const source = await this.#target(existing)
    await this.#readAll(source)
    await this.#inner.cp(source, at)
  }

  async readlink(path: string): Promise<string> {
    const target = await this.#inner.readlink(await this.#place(path))
    return target.startsWith('/')
      ? this.#inner.resolvePath('/', `${workspacePoint}${target}`)
      : target
  }

  realpath(path: string): Promise<string> {
    return this.#inner.realpath(path)
  }

  async utimes(path: string, accessed: Date, modified: Date): Promise<void> {
    await this.#inner.utimes(path, accessed, modified)
  }

  #normal(path: string): string {
    return this.#inner.resolvePath('/', path)
  }

  /** Where a path leads. Without links: itself; so does one that leads nowhere. */
  async #real(path: string): Promise<string> {
    const at = this.#normal(path)
    if (!this.#hasLinks || this.#unread.has(at)) return at
    return this.#inner.realpath(at).catch(() => at)
  }

  /** Where what has this name is: links above it are followed, it is not. */
  async #place(path: string): Promise<string> {
    const at = this.#normal(path)
    if (!this.#hasLinks || at === '/') return at
    const cut = at.lastIndexOf('/')
    const above = await this.#target(at.slice(0, cut))
    return `${above === '/' ? '' : above}${at.slice(cut)}`
  }

  /** Where a path leads, whether or not something is there. Links in a ring lead nowhere: then it is one of them. */
  async #target(path: string): Promise<string> {
    let at = await this.#place(path)
    for (let left = linksMax; left > 0 && this.#hasLinks; left -= 1) {
      const target = await this.#inner.readlink(at).catch(() => null)
      if (target === null) return at
      at = await this.#place(
        this.#inner.resolvePath(at.slice(0, at.lastIndexOf('/')) || '/', target),
      )
    }
    return at
  }

  /** The target of a link as this file system has it, whose root is the workspace. One that leads out of it would lead somewhere else here. */
  #inside(target: string, at: string): string {
    const above = `${workspacePoint}${at.slice(0, at.lastIndexOf('/'))}`
    const whole = this.#inner.resolvePath(above, target)
    if (whole !== workspacePoint && !whole.startsWith(`${workspacePoint}/`))
      throw new Error(`EPERM: operation not permitted, symlink '${target}' out of the workspace`)
    return target.startsWith('/') ? whole.slice(workspacePoint.length) || '/' : target
  }

  #known(at: string): FsStat | null {
    const file = this.#unread.get(at)
    if (!file) return null
    const { bytes: size } = file
    const kind = { isFile: true, isDirectory: false, isSymbolicLink: false }
    return named(at, { ...kind, mode: modeOf(file), size, mtime: untouched })
  }

  /** Reads what is at a path and below it, since its bytes are about to be those of another file. An erased file is not there from then on. */
  async #readAll(at: string): Promise<void> {
    const below = at === '/' ? at : `${at}/`
    for (const other of this.#unread.keys()) {
      if (other !== at && !other.startsWith(below)) continue
      await this.#inner.readFileBuffer(other).catch(async (error: unknown) => {
        if (!this.#erased.has(other)) throw error
        this.#unread.delete(other)
        this.#absent.add(other)
        await this.#inner.rm(other)
      })
    }
  }

  /** The files that were found at a path and below it are no longer there, whatever stands there now. */
  #forget(path: string): void {
    const at = this.#normal(path)
    this.#unread.delete(at)
    const below = `${at}/`
    for (const other of this.#unread.keys()) if (other.startsWith(below)) this.#unread.delete(other)
  }
}

const modeOf = ({ executable }: ToldFile): number => (executable ? 0o755 : 0o644)

/** A file is known by its place: it has no second name. */
const named = (at: string, stat: FsStat): FsStat =>
  stat.isFile ? { ...stat, identity: `tree:${at}` } : stat
