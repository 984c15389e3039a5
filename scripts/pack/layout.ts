/**
 * The installed package mirrors the repository below `dist/`:
 *
 *     packages/<name>/src/<file>.ts   →  dist/packages/<name>/src/<file>.js and .d.ts
 *     packages/<name>/src/<asset>     →  dist/packages/<name>/src/<asset>
 *     packages/<name>/public/<asset>  →  dist/packages/<name>/public/<asset>
 *     migrations/<file>.sql           →  dist/migrations/<file>.sql
 *
 * so whatever is found by a path relative to `import.meta.url` is found in both, by the same line of code.
 */
import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

import { z } from 'zod'

/** Root of the repository that these scripts stand in. */
export const root = fileURLToPath(new URL('../..', import.meta.url))

/** Folder of the package that users install. */
export const cli = join(root, 'packages', 'cli')

/** Its manifest as committed, kept here while the packed form stands in its place. */
export const savedManifest = join(cli, 'dist', 'package.committed.json')

/** Files of the root that npm wants beside the manifest, put there while packing. */
export const borrowed = ['LICENSE', 'README.md']

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
