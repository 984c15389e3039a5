/** Writes the files with which a project is deployed into its folder. Nothing that is there is overwritten. */
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import type { Terminal } from '../output/terminal.ts'

/** By the name that each gets; npm leaves files out of a package that are called as these are. */
const files: Readonly<Record<string, string>> = {
  Dockerfile: 'project.Dockerfile',
  '.dockerignore': 'dockerignore.txt',
  'compose.yaml': 'compose.yaml',
}

const template = new URL('../../public/deploy/', import.meta.url)

/** @throws Failure */
export async function writeDeployFiles(dir: string, terminal: Terminal): Promise<void> {
  const wrote: string[] = []
  const kept: string[] = []
  for (const [name, source] of Object.entries(files)) {
    const text = await readFile(new URL(source, template), 'utf8')
    if (await writeNew(join(dir, name), text)) wrote.push(name)
    else kept.push(name)
  }
  terminal.document({ wrote, kept })
  if (wrote.length > 0) terminal.line(`Wrote ${wrote.join(', ')}.`)
  if (kept.length > 0) terminal.line(`${kept.join(', ')}: there already, and left as it is.`)
  terminal.line('Next: npx signalbox deploy secrets')
}

/** Answers false if there is such a file. */
async function writeNew(file: string, text: string): Promise<boolean> {
  try {
    await writeFile(file, text, { flag: 'wx' })
    return true
  } catch (cause) {
    if (cause instanceof Error && 'code' in cause && cause.code === 'EEXIST') return false
    const message = `${file} cannot be written: ${cause instanceof Error ? cause.message : String(cause)}`
    throw new Failure('not_writable', message, { exitCode: exitCodes.failed, cause })
  }
}
