/**
 * The files of a folder, read once and whole: what they are afterwards is no matter of the skill.
 *
 * R1 Regular files alone. A link, a pipe or a device is a mistake, wherever it leads: what a bundle has depends on nothing outside of it.
 * R2 Nothing is left out. A file that cannot be read, or may not be there, is a mistake as well.
 */
import { constants, type Dirent } from 'node:fs'
import { open, readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { limits } from '@signalbox/core'
import type { BundleFile } from '@signalbox/engine'
import { systemCode } from '../workspace/refusal.ts'
import { noFollow } from '../workspace/open-directory.ts'
import { parsePath } from '../workspace/path.ts'
import { type SkillFault, skillFault } from './read-skill.ts'

/** Thrown within this file alone. */
class Refused extends Error {
  readonly fault: SkillFault
  constructor(file: string, message: string) {
    super(message)
    this.fault = skillFault(file, message)
  }
}

/** Reads the files of a folder. */
export async function readBundle(
  folder: string,
): Promise<{ readonly ok: true; readonly value: readonly BundleFile[] } | SkillFault> {
  try {
    const files: BundleFile[] = []
    await collect(folder, '', files)
    return { ok: true, value: files }
  } catch (error) {
    if (error instanceof Refused) return error.fault
    throw error
  }
}

async function collect(folder: string, above: string, files: BundleFile[]): Promise<void> {
  for (const entry of await entriesOf(folder, above)) {
    const path = `${above}${entry.name}`
    const parsed = parsePath(path)
    if (!parsed.ok) throw new Refused(path, parsed.message)
    if (entry.isDirectory()) await collect(folder, `${path}/`, files)
    else files.push(await readFile(folder, path, files))
  }
}

async function entriesOf(folder: string, above: string): Promise<readonly Dirent[]> {
  try {
    const entries = await readdir(join(folder, above), { withFileTypes: true })
    return entries.toSorted((a, b) => (a.name < b.name ? -1 : 1))
  } catch (error) {
    throw new Refused(above, `cannot be read: ${systemCode(error)}`)
  }
}

async function readFile(
  folder: string,
  path: string,
  before: readonly BundleFile[],
): Promise<BundleFile> {
  if (before.length >= limits.bundleFilesMax)
    throw new Refused(path, `a skill has at most ${limits.bundleFilesMax} files`)
  const twin = before.find((each) => each.path.toLowerCase() === path.toLowerCase())
  if (twin) throw new Refused(path, `is "${twin.path}" where letter case tells no files apart`)
  const left = limits.bundleBytesMax - before.reduce((sum, { bytes }) => sum + bytes.length, 0)
  // A pipe is opened without waiting for whoever writes into it.
  const flags = constants.O_RDONLY | noFollow
  const file = await open(join(folder, path), flags).catch((error: unknown) => {
    const code = systemCode(error)
    const isLink = code === 'ELOOP' || code === 'EMLINK'
    throw new Refused(path, isLink ? onlyFiles : `cannot be read: ${code}`)
  })
  try {
    const stat = await file.stat()
    if (!stat.isFile()) throw new Refused(path, onlyFiles)
    const bytes = stat.size > left ? null : await file.readFile()
    if (!bytes || bytes.length > left)
      throw new Refused(path, `the files of a skill have at most ${limits.bundleBytesMax} bytes`)
    return { path, bytes, executable: (stat.mode & 0o100) !== 0 }
  } finally {
    await file.close()
  }
}

const onlyFiles = 'is no regular file; a skill has no links, pipes or devices'
