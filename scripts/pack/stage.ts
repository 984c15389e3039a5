/** What both packages do while they are packed. */
import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'

import { z } from 'zod'

import { type Packing, root } from './layout.ts'

/** @throws Error if a project does not compile */
export function compile(projects: readonly string[]): void {
  const { status } = spawnSync('tsc', ['-b', ...projects], {
    cwd: root,
    // Standard output belongs to npm, which prints the name of the tarball there.
    stdio: ['ignore', 2, 2],
    shell: process.platform === 'win32',
  })
  if (status !== 0) throw new Error('the workspace does not compile')
}

/**
 * Puts the packed manifest in place of the committed one, and the borrowed files beside it. The committed one points at the
 * sources, which Node does not run below `node_modules`; the packed one at what they were compiled to, below `compiled`.
 */
export function dress({ folder, savedManifest, borrowed }: Packing, compiled: string): void {
  for (const [name, from] of Object.entries(borrowed)) cpSync(join(root, from), join(folder, name))
  const path = join(folder, 'package.json')
  const committed = readFileSync(path, 'utf8')
  const {
    private: _private,
    devDependencies: _dev,
    scripts: _scripts,
    exports: sources,
    ...rest
  } = JSON.parse(committed)
  write(savedManifest, committed)
  writeFileSync(path, json({ ...rest, exports: packedExports(sources, compiled) }))
}

const Sources = z.record(z.string(), z.string().regex(/^\.\/src\/.+\.ts$/))

function packedExports(sources: unknown, compiled: string) {
  return Object.fromEntries(
    Object.entries(Sources.parse(sources)).map(([door, source]) => {
      const stem = `${compiled}/${source.slice('./src/'.length, -'.ts'.length)}`
      return [door, { types: `${stem}.d.ts`, default: `${stem}.js` }]
    }),
  )
}

export function write(path: string, text: string): void {
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, text)
}

export function json(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`
}
