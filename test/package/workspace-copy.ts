import { cpSync, mkdirSync, readdirSync, symlinkSync } from 'node:fs'
import { basename, join } from 'node:path'

const notCopied = new Set(['node_modules', '.git', '.signalbox', '.ci'])
const isCopied = (path: string): boolean => !notCopied.has(basename(path))

/**
 * A working copy of the repository at `to`: packing writes into the tree it packs, and other tests run from this one
 * meanwhile. What was compiled comes along, so that the compiler only looks whether it still holds. Libraries are linked;
 * the workspace's own packages are those of the copy.
 */
export function copyWorkspace(from: string, to: string): void {
  cpSync(from, to, { recursive: true, preserveTimestamps: true, filter: isCopied })
  linkLibraries(join(from, 'node_modules'), join(to, 'node_modules'))
  const packages = join(to, 'packages')
  mkdirSync(join(to, 'node_modules', '@signalbox'))
  for (const name of readdirSync(packages)) {
    const own = name === 'cli' ? 'signalbox' : join('@signalbox', name)
    symlinkSync(join(packages, name), join(to, 'node_modules', own))
    linkLibraries(
      join(from, 'packages', name, 'node_modules'),
      join(packages, name, 'node_modules'),
    )
  }
}

function linkLibraries(from: string, to: string): void {
  const entries = listing(from)
  if (entries.length > 0) mkdirSync(to)
  for (const entry of entries) {
    if (entry !== '@signalbox' && entry !== 'signalbox' && entry !== '.cache') {
      symlinkSync(join(from, entry), join(to, entry))
    }
  }
}

function listing(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}
