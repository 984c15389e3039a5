/**
 * Places for commands that run at the same time: each a directory, two pipes for its outputs and, for a worker that is
 * root, a user of its own.
 *
 * S1 A slot is used by one call at a time. A user is used by one slot of this machine: processes of another worker claim
 *    another one.
 * S2 Calls wait for a slot in the order in which they came. Where one could not be made, the next call tries to: nobody else may ever give one
 *    back.
 * S3 What a worker that died left is ended and removed: by its caretaker, and where slots have users, by the next worker, which
 *    takes them over.
 */
import { execFile } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import {
  chmod,
  chown,
  lstat,
  mkdir,
  mkdtemp,
  readdir,
  readFile,
  realpath,
  rename,
  writeFile,
} from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { Caretaker } from './caretaker.ts'
import { type ControlGroup, findControlGroups } from './control-groups.ts'
import { removeTree } from './disk.ts'
import { endMarked, isMark, markOfSlot } from './marked.ts'
import { Mirror } from './mirror.ts'
import { startOf } from './process-facts.ts'

/** A place for one command. */
export interface Slot {
  /** The mark by which its processes are found. */
  readonly mark: string
  readonly directory: string
  /** The user of its processes; null: the user of the worker. */
  readonly uid: number | null
  readonly mirror: Mirror
  /** Bounds memory and processes of a command; null where no groups can be made. */
  readonly group: ControlGroup | null
  readonly stdout: string
  readonly stderr: string
}

/** Users that belong to nobody, on systems that follow systemd's table: 60578 to 61183 are not assigned. */
const slotUids = { first: 60_600, count: 500 } as const

/** The users that run commands. */
export type SlotUsers = 'each' | 'own' | number

interface SlotsOptions {
  /** Where directories are made. */
  readonly base: string
  /** How many commands run at once. */
  readonly count: number
  /** `each`: every slot gets a user, which takes a worker that is root. `own`: that of the worker. A number: that user. */
  readonly users: SlotUsers
}

/** The slots of one worker. */
export class Slots {
  readonly #options: SlotsOptions
  readonly #caretaker = new Caretaker()
  readonly #free: Slot[] = []
  readonly #waiting: PromiseWithResolvers<Slot>[] = []
  #made = 0
  #numbered = 0
  #home: Promise<string> | null = null
  #groups: ReturnType<typeof findControlGroups> | null = null

  constructor(options: SlotsOptions) {
    this.#options = options
  }

  /** A slot, one that holds the files of `owner` if it can be. Waits until there is one. */
  async take(owner: string): Promise<Slot> {
    const home = await this.#found()
    // The home of slots with users is that of other workers as well.
    this.#caretaker.watch(this.#options.users === 'each' ? null : home)
    const index = this.#free.findIndex(({ mirror }) => mirror.owner === owner)
    const [free] = this.#free.splice(Math.max(0, index), 1)
    if (free) return free
    if (this.#made < this.#options.count) return this.#another(home)
    const waiting = Promise.withResolvers<Slot>()
    this.#waiting.push(waiting)
    return waiting.promise
  }

  give(slot: Slot): void {
    const next = this.#waiting.shift()
    if (next) next.resolve(slot)
    else this.#free.push(slot)
  }

  /** Removes all directories. Nothing may run any more. */
  async close(): Promise<void> {
    const home = await this.#home?.catch(() => null)
    this.#caretaker.dismiss()
    for (const { group } of this.#free) await group?.close().catch(() => undefined)
    // The home of slots with users is that of other workers as well.
    if (this.#options.users !== 'each') return home ? removeTree(home) : undefined
    for (const { directory } of this.#free) await removeTree(directory)
  }

  async #another(home: string): Promise<Slot> {
    this.#made += 1
    try {
      return await this.#make(home)
    } catch (error) {
      this.#made -= 1
      const next = this.#waiting.shift()
      if (next) void this.#another(home).then(next.resolve, next.reject)
      throw error
    }
  }

  async #make(home: string): Promise<Slot> {
    const { users } = this.#options
    const { mark: ofWorker } = this.#caretaker
    this.#numbered += 1
    const mark = markOfSlot(ofWorker, this.#numbered)
    const claimed = users === 'each' ? await claimUser(home, ofWorker) : null
    const directory = claimed?.directory ?? (await mkdtemp(join(home, 'slot-')))
    const uid = claimed?.uid ?? (typeof users === 'number' ? users : null)
    // Users of slots pass through it, and list nothing.
    await chmod(directory, 0o711)
    // A worker that died may have left a process that makes its pipes only now: those are others.
    const pipe = (name: string): string => join(directory, `${name}.${randomUUID()}`)
    const [stdout, stderr] = [pipe('stdout'), pipe('stderr')]
    // Pipes with names: what Node makes are sockets, and no program can open its `/dev/stderr` again.
    await promisify(execFile)('mkfifo', ['-m', '600', stdout, stderr])
    if (uid !== null) await Promise.all([stdout, stderr].map((path) => chown(path, uid, uid)))
    const mirror = new Mirror(join(directory, 'files'), uid)
    this.#groups ??= findControlGroups(uid)
    const group = (await (await this.#groups)?.group(mark)) ?? null
    return { mark, directory, uid, mirror, group, stdout, stderr }
  }

  /** The home. One that could not be made is tried again by the next call. */
  #found(): Promise<string> {
    this.#home ??= this.#makeHome().catch((error: unknown) => {
      this.#home = null
      throw error
    })
    return this.#home
  }

  /** Of a worker with users: shared by all of this machine, since users are. Else its own. */
  async #makeHome(): Promise<string> {
    const base = await realpath(this.#options.base)
    if (this.#options.users !== 'each') {
      const own = await mkdtemp(join(base, 'signalbox-sandbox-'))
      await chmod(own, 0o711)
      return own
    }
    const home = join(base, 'signalbox-sandboxes')
    const isNew = await mkdir(home, { mode: 0o711 }).then(
      () => true,
      () => false,
    )
    // Set after the fact, as the umask of this process may take from the mode: users of slots pass through it.
    if (isNew) await chmod(home, 0o711)
    const stat = await lstat(home)
    if (!stat.isDirectory() || stat.uid !== 0 || (stat.mode & 0o022) !== 0)
      throw new Error(
        `${home} belongs to somebody else: name another directory in sandbox.directory`,
      )
    return home
  }
}

/** Takes a user that no living worker has. Its directory is the claim. */
async function claimUser(
  home: string,
  mark: string,
): Promise<{ readonly uid: number; readonly directory: string }> {
  for (let n = 0; n < slotUids.count; n += 1) {
    const uid = slotUids.first + n
    const directory = join(home, String(uid))
    if (await claim(directory, mark)) return { uid, directory }
  }
  throw new Error(`all ${slotUids.count} users for sandboxes are in use`)
}

async function claim(directory: string, mark: string): Promise<boolean> {
  const isNew = await mkdir(directory, { mode: 0o711 }).then(
    () => true,
    () => false,
  )
  const owner = join(directory, 'owner')
  if (!isNew && !(await takeOver(directory, owner))) return false
  const claims = `${process.pid} ${startOf(process.pid) ?? ''} ${mark}`
  await writeFile(owner, claims, { mode: 0o600, flag: 'wx' })
  return true
}

/** Ends what an owner that is dead has left, and empties its directory. False: it is somebody's. */
async function takeOver(directory: string, owner: string): Promise<boolean> {
  const said = await readFile(owner, 'utf8').catch(() => null)
  // Without an owner it is being made or taken over, or who did so died in between: then it stays, for there are many.
  if (said === null || isAlive(said)) return false
  // Several may see it dead, but one moves that claim away. Who comes late has moved the next one's, and gives it back:
  // as long as there is none, nobody else makes one.
  const old = `${owner}.${randomUUID()}.old`
  const moved = await rename(owner, old).then(
    () => true,
    () => false,
  )
  if (!moved) return false
  if ((await readFile(old, 'utf8')) !== said) {
    await rename(old, owner)
    return false
  }
  const [, , mark = ''] = said.split(' ')
  if (isMark(mark)) await endMarked(mark)
  for (const name of await readdir(directory)) await removeTree(join(directory, name))
  return true
}

/** Is the process there that wrote this, and not another one of its number? */
function isAlive(said: string): boolean {
  const [pid = '', started = ''] = said.split(' ')
  const now = startOf(Number(pid))
  return now !== null && now === started
}
