/**
 * Before `npm pack -w signalbox`: compiles the workspace, assembles it below `packages/cli/dist` and puts the packed manifest in
 * place of the committed one. `postpack.ts` takes it back; an interrupted pack is taken back by the next one.
 */
import { spawnSync } from 'node:child_process'
import {
  cpSync,
  existsSync,
  globSync,
  mkdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'

import {
  borrowed,
  cli,
  root,
  savedManifest,
  type WorkspacePackage,
  workspacePackages,
} from './layout.ts'
import { restore } from './restore.ts'
import { type Doors, rewrite } from './rewrite.ts'

const dist = join(cli, 'dist')

restore()
const packages = workspacePackages()
compile(packages)
for (const folder of ['packages', 'migrations']) {
  rmSync(join(dist, folder), { recursive: true, force: true })
}
const doors = findDoors(packages)
for (const one of packages) assemble(one, doors)
cpSync(join(root, 'migrations'), join(dist, 'migrations'), { recursive: true })
for (const file of borrowed) cpSync(join(root, file), join(cli, file))
writeManifest()

function compile(all: readonly WorkspacePackage[]): void {
  const projects = all
    .map(({ folder }) => join('packages', folder))
    .filter((folder) => existsSync(join(root, folder, 'tsconfig.json')))
  const { status } = spawnSync('tsc', ['-b', ...projects], {
    cwd: root,
    // Standard output belongs to npm, which prints the name of the tarball there.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the workspace does not compile')
}

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

/** The committed manifest points at the sources, which Node does not run below `node_modules`. */
function writeManifest(): void {
  const path = join(cli, 'package.json')
  const committed = readFileSync(path, 'utf8')
  const {
    private: _private,
    devDependencies: _dev,
    scripts: _scripts,
    ...rest
  } = JSON.parse(committed)
  const index = './dist/packages/cli/src/index'
  write(savedManifest, committed)
  writeFileSync(
    path,
    json({ ...rest, exports: { '.': { types: `${index}.d.ts`, default: `${index}.js` } } }),
  )
}

function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
