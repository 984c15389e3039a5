/**
 * Build B: a copy of the packages, with the edits of `edits.ts`, in a folder of its own. It is a release as a later one will
 * be: another version of an event, another kind of effect, another version of the machine, and the migration it needs.
 */
import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { edits, machineTwo, migrationOf } from './edits.ts'

const root = fileURLToPath(new URL('../../../', import.meta.url))

export interface Build {
  /** The program of its processes. */
  readonly entry: URL
  /** The program that judges its runs: only this build knows all of them. */
  readonly judge: URL
  remove(): Promise<void>
}

export async function makeBuild(): Promise<Build> {
  const dir = await mkdtemp(join(tmpdir(), 'signalbox-build-'))
  await copyAll(dir)
  for (const { file, find, put } of edits) {
    const path = join(dir, file)
    const text = await readFile(path, 'utf8')
    // An edit that finds nothing would leave a build that is none.
    if (!text.includes(find)) throw new Error(`${file} has no "${find}" to edit`)
    await writeFile(
      path,
      text.replace(find, () => put),
    )
  }
  await writeFile(join(dir, 'packages/core/src/machine/machine-two.ts'), machineTwo)
  const known = (await readdir(join(dir, 'migrations'))).filter((name) => /^\d{4}_/.test(name))
  const newest = Math.max(...known.map((name) => Number(name.slice(0, 4))))
  const name = `${String(newest + 1).padStart(4, '0')}_turn_notes.sql`
  const kinds = await readFile(join(dir, 'migrations/functions/decision_problem.sql'))
  const pin = createHash('sha256').update(kinds).digest('hex').slice(0, 16)
  await writeFile(join(dir, 'migrations', name), migrationOf(newest, pin))
  const at = (path: string) => pathToFileURL(join(dir, path))
  return {
    entry: at('test/crash/child-main.ts'),
    judge: at('test/crash/rolling/judge.ts'),
    remove: () => rm(dir, { recursive: true, force: true }),
  }
}

const isSource = (path: string): boolean => !['node_modules', 'test'].includes(basename(path))

/** What its programs are made of, beside the packages. */
const folders = ['crash', 'invariants', 'simulation', 'support'].map((name) => `test/${name}`)

async function copyAll(dir: string): Promise<void> {
  await cp(join(root, 'packages'), join(dir, 'packages'), { recursive: true, filter: isSource })
  for (const folder of ['migrations', 'scripts/ci', ...folders])
    await cp(join(root, folder), join(dir, folder), { recursive: true })
  await cp(join(root, 'package.json'), join(dir, 'package.json'))
  await linkModules(dir)
}

/** The same modules of others; its own are those of the copy. */
async function linkModules(dir: string): Promise<void> {
  const modules = join(dir, 'node_modules')
  await mkdir(join(modules, '@signalbox'), { recursive: true })
  for (const name of await readdir(join(root, 'node_modules')))
    if (name !== '@signalbox' && name !== 'signalbox')
      await symlink(join(root, 'node_modules', name), join(modules, name))
  for (const name of await readdir(join(dir, 'packages'))) {
    const own = join(root, 'packages', name, 'node_modules')
    if (existsSync(own)) await symlink(own, join(dir, 'packages', name, 'node_modules'))
    await symlink(join(dir, 'packages', name), join(modules, '@signalbox', name))
  }
}
