/**
 * Looks, while a command runs, how much it has put on the disk: the size of one file is bounded by the kernel, their number
 * is not. What is written between two looks is more than is allowed; the disk is not filled for as long as a command may run.
 *
 * D1 It goes from directory to directory by descriptors: no name is too strange, no path too long, and a directory that
 *    becomes a link meanwhile leads nowhere.
 * D2 Files that have no name any more, but are open, count as well.
 * D3 Whatever escapes these looks ends where the disk is nearly full.
 */
import { constants, lstatSync } from 'node:fs'
import { chmod, type FileHandle, open, readdir, readlink, stat, statfs } from 'node:fs/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { limits } from '@signalbox/core'
import { noFollow } from '../../workspace/open-directory.ts'
import { inBatches } from './disk.ts'
import { Slices } from './slices.ts'

const everyMs = 1000
/** The files that are kept are bounded by `filesBytesMax`; a command may need as much again on the way. */
const bytesMax = 2 * limits.filesBytesMax
/** Each level is a descriptor of ours while what is below is looked at. */
const depthMax = 256
const blockBytes = 512
/** Of the disk, whichever is less: from here on it is nearly full. */
const reserve = { bytes: 512 * 1024 * 1024, share: 0.02 }

const tooMuch = 'it put more into its directory than a workspace holds'
const nearlyFull = 'the disk of this machine is nearly full'

/** The places that are looked at: the directory, and the first process of the command, if it is there. */
export interface Watched {
  readonly directory: string
  readonly first: () => number | null
}

/** Calls back once, with words for the model, if there is too much. Ends when `signal` aborts. */
export async function watchDisk(
  { directory, first }: Watched,
  signal: AbortSignal,
  onFull: (words: string) => void,
): Promise<void> {
  while (!signal.aborted) {
    const isOver = await sleep(everyMs, false, { signal, ref: false }).catch(() => true)
    if (isOver) return
    const size = await sizeOf(directory, first())
    if (signal.aborted) return
    const isFull = await isNearlyFull(directory)
    if (!isOverfull(size) && !isFull) continue
    onFull(isFull ? nearlyFull : tooMuch)
    return
  }
}

interface Size {
  entries: number
  bytes: number
  depth: number
}

/** One look, under way. */
interface Look extends Size {
  readonly slices: Slices
}

const isOverfull = ({ entries, bytes, depth }: Size): boolean =>
  entries > limits.sandboxEntriesMax || bytes > bytesMax || depth > depthMax

/** How much there is, or more than is allowed. `first`: of the processes whose open files count. */
export async function sizeOf(directory: string, first: number | null): Promise<Size> {
  const size: Look = { entries: 0, bytes: 0, depth: 0, slices: new Slices() }
  const top = await openDirectory(Buffer.from(directory))
  if (!top) return size
  try {
    await measure(top, 1, size)
    if (first !== null && !isOverfull(size)) await measureNameless(top, first, size)
  } finally {
    await top.close()
  }
  const { entries, bytes, depth } = size
  return { entries, bytes, depth }
}

async function isNearlyFull(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => null)
  if (!found || found.blocks === 0) return false
  const left = found.bavail * found.bsize
  return left < Math.min(reserve.bytes, found.blocks * found.bsize * reserve.share)
}

/** `O_PATH`: it can be passed through without being read, so that its owner cannot refuse to be looked at. */
const pathOnly = 0o10_000_000

const openDirectory = (path: Buffer): Promise<FileHandle | null> =>
  open(path, pathOnly | constants.O_DIRECTORY | noFollow).catch(() => null)

const placeOf = ({ fd }: FileHandle): string => `/proc/self/fd/${fd}`

/** It changes under our feet: what is not there any more does not count. */
async function measure(directory: FileHandle, depth: number, size: Look): Promise<void> {
  size.depth = Math.max(size.depth, depth)
  const entries = await entriesOf(directory)
  size.entries += entries.length
  if (isOverfull(size)) return
  const at = (name: Buffer): Buffer => Buffer.concat([Buffer.from(`${placeOf(directory)}/`), name])
  for (const entry of entries) {
    await size.slices.next()
    if (entry.isFile()) size.bytes += bytesAt(at(entry.name))
  }
  for (const entry of entries) {
    if (!entry.isDirectory() || isOverfull(size)) continue
    const below = await openDirectory(at(entry.name))
    if (!below) continue
    try {
      await measure(below, depth + 1, size)
    } finally {
      await below.close()
    }
  }
}

function bytesAt(path: Buffer): number {
  try {
    return lstatSync(path).blocks * blockBytes
  } catch {
    return 0
  }
}

async function entriesOf(directory: FileHandle) {
  const place = placeOf(directory)
  const read = () => readdir(place, { withFileTypes: true, encoding: 'buffer' })
  return read()
    .catch(async () => {
      // A command may take the right to read from its own directories: what is in there fills the disk all the same.
      await chmod(place, 0o755)
      return read()
    })
    .catch(() => [])
}

/** The namespace of processes that one is in; null: it is not there. */
const spaceOf = (pid: string | number): Promise<string | null> =>
  readlink(`/proc/${pid}/ns/pid`).catch(() => null)

/** Files without a name on the disk of the directory, open in a process of the namespace of `first`. Each counts once. */
async function measureNameless(top: FileHandle, first: number, size: Size): Promise<void> {
  const space = await spaceOf(first)
  const { dev } = await stat(placeOf(top))
  if (space === null) return
  const seen = new Set<number>()
  const pids = (await readdir('/proc')).filter((name) => /^[0-9]+$/.test(name))
  await inBatches(pids, async (pid) => {
    if ((await spaceOf(pid)) !== space) return
    const descriptors = await readdir(`/proc/${pid}/fd`).catch(() => [])
    for (const fd of descriptors) {
      const file = await stat(`/proc/${pid}/fd/${fd}`).catch(() => null)
      if (!file?.isFile() || file.nlink > 0 || file.dev !== dev || seen.has(file.ino)) continue
      seen.add(file.ino)
      size.bytes += file.blocks * blockBytes
    }
  })
}
