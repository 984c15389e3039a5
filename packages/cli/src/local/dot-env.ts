/**
 * The file `.env` of the folder. What is set already wins, as it does for `node --env-file`.
 *
 * E1 Of a value nothing is ever said, only names.
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseEnv } from 'node:util'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { printable } from '@signalbox/core/text'
import type { DotEnv, Shell } from '../shell.ts'

const bytesMax = 64 * 1024
const namesMax = 20

/** Sets the variables of `.env` that are not set. Answers their names; null if there is no such file. @throws Failure */
export function readDotEnv(cwd: string, env: NodeJS.ProcessEnv): DotEnv | null {
  const text = textOf(join(cwd, '.env'))
  if (text === null) return null
  const [taken, kept]: [string[], string[]] = [[], []]
  for (const [name, value] of Object.entries(parseEnv(text)))
    if (env[name] === undefined) {
      env[name] = value
      taken.push(name)
    } else kept.push(name)
  return { taken, kept }
}

/** The one line that says what was read; null if there is nothing to say. */
export function dotEnvLine({ dotEnv }: Shell): string | null {
  if (!dotEnv) return null
  const { taken, kept } = dotEnv
  const also = kept.length === 0 ? '' : `; set already, so not taken: ${listed(kept)}`
  return `Read .env: ${taken.length === 0 ? 'nothing new' : listed(taken)}${also}`
}

function listed(names: readonly string[]): string {
  const more = names.length - namesMax
  const shown = names.slice(0, namesMax).map(printable).join(', ')
  return more > 0 ? `${shown} and ${more} more` : shown
}

/** A folder of that name is something else: Python keeps its environments so. */
function textOf(file: string): string | null {
  let bytes: Buffer
  try {
    bytes = readFileSync(file)
  } catch (cause) {
    const code = cause instanceof Error && 'code' in cause ? String(cause.code) : ''
    if (['ENOENT', 'EISDIR', 'ENOTDIR'].includes(code)) return null
    throw unusable(`cannot be read (${code})`, cause)
  }
  if (bytes.byteLength > bytesMax) throw unusable(`has more than ${bytesMax} bytes`)
  if (bytes.includes(0)) throw unusable('is no text in UTF-8')
  return new TextDecoder().decode(bytes)
}

const unusable = (why: string, cause?: unknown): Failure =>
  new Failure(
    'env_unreadable',
    `The file .env of this folder ${why}. Correct it, or take it away.`,
    {
      exitCode: exitCodes.usage,
      cause,
    },
  )
