/**
 * The line of a mistake in the syntax of a module. Node prints it for a program that it starts, but keeps it from whoever
 * catches the error of an import, so a process of Node is asked. It parses and runs nothing.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { stripTypeScriptTypes } from 'node:module'
import { extname } from 'node:path'
import type { SourcePlace } from './place.ts'

const checkMsMax = 10_000
const filesMax = 20

/** The first of the files that is no module, and the line; null if all of them are. */
export async function syntaxPlace(files: readonly string[]): Promise<SourcePlace | null> {
  for (const file of files.slice(0, filesMax)) {
    const source = await javascriptOf(file)
    const line = source === null ? null : await faultyLine(source)
    if (line !== null) return { file, line }
  }
  return null
}

/** The text as Node runs it, line for line; null for what is no program. */
async function javascriptOf(file: string): Promise<string | null> {
  const kind = extname(file)
  try {
    const text = await readFile(file, 'utf8')
    if (['.js', '.mjs'].includes(kind)) return text
    return ['.ts', '.mts'].includes(kind) ? stripTypeScriptTypes(text) : null
  } catch {
    return null
  }
}

function faultyLine(source: string): Promise<number | null> {
  return new Promise((resolve) => {
    const { NODE_OPTIONS: _, ...env } = process.env
    const args = ['--no-warnings', '--input-type=module', '--check', '-']
    const child = spawn(process.execPath, args, {
      env,
      stdio: ['pipe', 'ignore', 'pipe'],
      timeout: checkMsMax,
    })
    let said = ''
    child.stderr.on('data', (chunk: Buffer) => (said += chunk.toString()))
    child.once('error', () => resolve(null))
    child.once('close', () => {
      const line = /\[stdin\]:(\d+)/.exec(said)?.[1]
      resolve(line === undefined ? null : Number(line))
    })
    child.stdin.on('error', () => {
      // It has found a mistake before it read all.
    })
    child.stdin.end(source)
  })
}
