/** Checks the types of every `ts` block, in one run of the compiler, as files of projects that use Signalbox. */
import { execFile } from 'node:child_process'
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { linkModules } from './link-modules.ts'
import type { Page } from './pages.ts'
import { root } from './sandbox.ts'

const execute = promisify(execFile)

/** With the settings of a strict user. A folder of a project's own is where `import … from 'signalbox'` begins. */
const compilerOptions = {
  target: 'es2024',
  module: 'nodenext',
  strict: true,
  noEmit: true,
  types: ['node'],
  allowImportingTsExtensions: true,
  erasableSyntaxOnly: true,
  skipLibCheck: true,
  exactOptionalPropertyTypes: true,
  noUncheckedIndexedAccess: true,
  noUnusedLocals: true,
}

/** What the compiler complains about, with the blocks named by page and line; empty if nothing. */
export async function typeErrors(
  pages: readonly Page[],
): Promise<{ readonly blocks: number; readonly errors: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'signalbox-docs-types-'))
  try {
    await linkModules(folder, join(root, 'node_modules'))
    await writeFile(join(folder, 'package.json'), '{ "type": "module", "private": true }\n')
    const files = await writeBlocks(folder, pages)
    await writeFile(join(folder, 'tsconfig.json'), JSON.stringify({ compilerOptions, files }))
    const tsc = join(root, 'node_modules', '.bin', 'tsc')
    const errors = await execute(process.execPath, [tsc, '-p', folder], { cwd: folder }).then(
      () => '',
      (error: unknown) =>
        error instanceof Error && 'stdout' in error ? String(error.stdout) : String(error),
    )
    return { blocks: files.length, errors }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** A folder per block, with the files that earlier blocks of its page have written. */
async function writeBlocks(folder: string, pages: readonly Page[]): Promise<readonly string[]> {
  const checked: string[] = []
  for (const { path, blocks } of pages) {
    const written = new Map<string, string>()
    for (const { run, code, line } of blocks) {
      if (run.how !== 'typescript') continue
      written.set(run.file, code)
      const project = join(path.replace('.md', ''), `line-${line}`)
      for (const [file, text] of written) {
        const target = join(folder, project, file)
        await mkdir(dirname(target), { recursive: true })
        await writeFile(target, `${text}\n`)
      }
      checked.push(join(project, run.file))
    }
  }
  return checked
}
