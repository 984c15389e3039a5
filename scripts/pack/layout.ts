/**
 * Of the engine, the installed package mirrors the repository below `dist/`:
 *
 *     packages/<name>/src/<file>.ts   →  dist/packages/<name>/src/<file>.js and .d.ts
 *     packages/<name>/src/<asset>     →  dist/packages/<name>/src/<asset>
 *     packages/<name>/public/<asset>  →  dist/packages/<name>/public/<asset>
 *     migrations/<path>.sql           →  dist/migrations/<path>.sql
 *     deploy/<file>                   →  dist/deploy/<file>
 *
 * so whatever is found by a path relative to `import.meta.url` is found in both, by the same line of code. The client is one
 * package and reads no files: its modules stand in `dist/packed/`.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

/** Root of the repository that these scripts stand in. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** A package that users install. */
export interface Packing {
  readonly folder: string
  /** Its manifest as committed, kept here while the packed form stands in its place. */
  readonly savedManifest: string
  /** What npm wants beside the manifest, put there while packing: its name there, and where it is in the repository. */
  readonly borrowed: Readonly<Record<string, string>>
}

const packing = (name: string, readme: string): Packing => {
  const folder = join(root, 'packages', name)
  return {
    folder,
    savedManifest: join(folder, 'dist', 'package.committed.json'),
    borrowed: { LICENSE: 'LICENSE', 'README.md': readme },
  }
}

/** The engine: `signalbox`. */
export const engine = packing('cli', 'README.md')

/** The client alone: `@signalbox/client`. */
export const client = packing('client', 'docs/client.md')

const Manifest = z.looseObject({
  name: z.string(),
  version: z.string(),
  exports: z.record(z.string(), z.string()).default({}),
})

/** A package of the workspace. */
export interface WorkspacePackage {
  readonly folder: string
  readonly manifest: z.infer<typeof Manifest>
}

/** Every package of the workspace, sorted by folder name. */
export function workspacePackages(): WorkspacePackage[] {
  return globSync('packages/*/package.json', { cwd: root })
    .map((path) => path.split(/[\\/]/)[1] ?? '')
    .toSorted()
    .map((folder) => ({
      folder,
      manifest: Manifest.parse(
        JSON.parse(readFileSync(join(root, 'packages', folder, 'package.json'), 'utf8')),
      ),
    }))
    .filter(({ folder }) => existsSync(join(root, 'packages', folder, 'src')))
}
