/**
 * A number that the tree of the commit decides: what a run of CI samples by it is another sample for every change, and the same
 * again for whoever looks for why it was red.
 */
import { execFileSync } from 'node:child_process'

export interface TreeNumber {
  /** From 0 to 999,999. */
  readonly number: number
  /** What it was taken from, for people. */
  readonly of: string
}

/** Without git, or in a folder that is no repository, it is 1. */
export function treeNumber(folder: string): TreeNumber {
  try {
    const hash = execFileSync('git', ['rev-parse', '--verify', 'HEAD^{tree}'], {
      cwd: folder,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    }).trim()
    return { number: numberOf(hash), of: `the tree ${hash.slice(0, 12)}` }
  } catch {
    return { number: 1, of: 'no tree of git' }
  }
}

export const numberOf = (hash: string): number => Number.parseInt(hash.slice(0, 12), 16) % 1_000_000
