/**
 * Walking down a tree without ever following a link.
 *
 * W1 A directory is reached from the one above it, by one name, and only if that name is a directory and no link.
 * W2 On Linux the directory stays open, and everything in it is named through `/proc/self/fd/<n>/`: whoever swaps a
 *    name above for a link moves the directory away from its name, but cannot move us.
 * W3 Elsewhere the path is checked against the identities of all directories on it, before and after each use. A swap
 *    between check and use is noticed afterwards, not prevented: there, run untrusted code as another user.
 */
import { constants, existsSync } from 'node:fs'
import { lstat, open, realpath } from 'node:fs/promises'
import { join } from 'node:path'

/** A directory that was reached without following a link. */
export interface OpenDirectory {
  /** The path by which a name in the directory is to be used now. */
  at(name: string): string
  /** Opens a directory in this one. Throws like `open`, with `ENOTDIR` or `ELOOP` for a link. */
  enter(name: string): Promise<OpenDirectory>
  /** Throws if the directory is no longer where it was reached. */
  verify(): Promise<void>
  close(): Promise<void>
}

/** How directories are held: `fd` (Linux) or `path` (anywhere). */
export type Walk = 'fd' | 'path'

/** The better way that this machine offers. */
export const defaultWalk: Walk =
  process.platform === 'linux' && existsSync('/proc/self/fd') ? 'fd' : 'path'

/** Opens a root, an absolute path. */
export function openRoot(root: string, walk: Walk): Promise<OpenDirectory> {
  return walk === 'fd' ? openByDescriptor(root) : openByPath(root, [])
}

/** Flags that open nothing through a link, and do not block on a pipe. Where a flag is unknown it is left out. */
export const noFollow = (constants.O_NOFOLLOW ?? 0) | (constants.O_NONBLOCK ?? 0)

async function openByDescriptor(path: string): Promise<OpenDirectory> {
  const handle = await open(path, constants.O_RDONLY | constants.O_DIRECTORY | noFollow)
  const at = (name: string): string => `/proc/self/fd/${handle.fd}/${name}`
  return {
    at,
    enter: (name) => openByDescriptor(at(name)),
    verify: async () => undefined,
    close: () => handle.close(),
  }
}

interface Identity {
  readonly path: string
  readonly dev: bigint
  readonly ino: bigint
}

async function openByPath(path: string, above: readonly Identity[]): Promise<OpenDirectory> {
  const chain = [...above, await identify(path)]
  const verify = async (): Promise<void> => {
    for (const known of chain) {
      const now = await identify(known.path)
      if (now.dev !== known.dev || now.ino !== known.ino) throw linkError(known.path)
    }
    const root = chain[0]?.path ?? path
    // A link above the root is the operator's business; one below it is not.
    if ((await realpath(path)) !== join(await realpath(root), path.slice(root.length))) {
      throw linkError(path)
    }
  }
  await verify()
  return {
    at: (name) => join(path, name),
    enter: async (name) => {
      await verify()
      return openByPath(join(path, name), chain)
    },
    verify,
    close: async () => undefined,
  }
}

async function identify(path: string): Promise<Identity> {
  const stat = await lstat(path, { bigint: true })
  if (!stat.isDirectory()) throw linkError(path)
  return { path, dev: stat.dev, ino: stat.ino }
}

function linkError(path: string): NodeJS.ErrnoException {
  return Object.assign(new Error(`not a directory, or a link: ${path}`), { code: 'ENOTDIR' })
}
