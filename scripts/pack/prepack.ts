/**
 * Before `npm pack -w signalbox`: compiles the workspace, assembles it below `packages/cli/dist` and puts the packed manifest in
 * place of the committed one. `postpack.ts` takes it back; an interrupted pack is taken back by the next one.
 */
import { cpSync, existsSync, globSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'

import { engine, root, type WorkspacePackage, workspacePackages } from './layout.ts'
import { restore } from './restore.ts'
import { type Doors, rewrite } from './rewrite.ts'
import { compile, dress, json, write } from './stage.ts'

const dist = join(engine.folder, 'dist')

restore(engine)
const packages = workspacePackages()
const projects = packages.map(({ folder }) => join('packages', folder))
compile(projects.filter((folder) => existsSync(join(root, folder, 'tsconfig.json'))))
for (const folder of ['packages', 'migrations', 'deploy']) {
  rmSync(join(dist, folder), { recursive: true, force: true })
}
const doors = findDoors(packages)
for (const one of packages) assemble(one, doors)
for (const folder of ['migrations', 'deploy'])
  cpSync(join(root, folder), join(dist, folder), { recursive: true })
dress(engine, './dist/packages/cli/src')

function findDoors(all: readonly WorkspacePackage[]): Doors {
  return new Map(
    all.flatMap(({ folder, manifest }) =>
      Object.entries(manifest.exports).map(([door, source]): [string, string] => [
        `${manifest.name}${door.slice(1)}`,
        join(dist, 'packages', folder, source.replace(/\.tsx?$/, '.js')),
      ]),
    ),
  )
}

function assemble({ folder, manifest }: WorkspacePackage, all: Doors): void {
  const from = join(root, 'packages', folder)
  const to = join(dist, 'packages', folder)
  for (const path of globSync('{src,public}/**/*.*', { cwd: from })) {
    if (/\.tsx?$/.test(path)) {
      const stem = path.replace(/\.tsx?$/, '')
      for (const extension of ['.js', '.d.ts']) {
        const compiled = join(from, 'dist', `${stem.replace(/^src[\\/]/, '')}${extension}`)
        const target = join(to, `${stem}${extension}`)
        write(target, rewrite(target, readFileSync(compiled, 'utf8'), all))
      }
    } else {
      cpSync(join(from, path), join(to, path))
    }
  }
  // For code that reads its own version beside its sources.
  const { name, version } = manifest
  write(join(to, 'package.json'), json({ name, version, private: true, type: 'module' }))
}
