/** A small file system in memory, which can be filled to its last block. */
import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmdirSync } from 'node:fs'
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const sizeMb = 256

const mount = (dir: string, mb: number): void =>
  void execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${mb}m,mode=755`, 'none', dir], {
    stdio: 'ignore',
  })

/** Lazily: a process that is on its way out may still have something open. */
const unmount = (dir: string): void => void execFileSync('umount', ['--lazy', dir])

/** Why there can be none here; null if there can. */
export function smallDiskMissing(): string | null {
  if (process.getuid?.() !== 0 || process.platform !== 'linux')
    return 'only root may mount a small file system'
  const probe = mkdtempSync(join(tmpdir(), 'signalbox-crash-probe-'))
  try {
    mount(probe, 1)
    unmount(probe)
    return null
  } catch {
    return 'no small file system can be mounted here'
  } finally {
    rmdirSync(probe)
  }
}

export class SmallDisk {
  readonly dir: string

  private constructor(dir: string) {
    this.dir = dir
  }

  static async mount(dir: string): Promise<SmallDisk> {
    await mkdir(dir)
    mount(dir, sizeMb)
    return new SmallDisk(dir)
  }

  /** To the last block. What is given back meanwhile is left for the next time. */
  async fill(): Promise<void> {
    for (const block of [Buffer.alloc(1 << 20, 1), Buffer.alloc(4_096, 1)])
      for (let isRoom = true; isRoom;)
        isRoom = await writeFile(this.#filler, block, { flag: 'a' }).then(
          () => true,
          () => false,
        )
  }

  /** Gives the room back. */
  async free(): Promise<void> {
    await rm(this.#filler, { force: true })
  }

  read(name: string): Promise<string> {
    return readFile(join(this.dir, name), 'utf8')
  }

  remove(): void {
    unmount(this.dir)
  }

  get #filler(): string {
    return join(this.dir, 'filler')
  }
}
