/** The arguments that a human wants executed, from the command line or from a file. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { ambiguityOf } from '@signalbox/core'
import { z } from 'zod'
import { usageFailure } from '../failure.ts'

export interface Edit {
  readonly edit: string | undefined
  readonly editFile: string | undefined
  readonly cwd: string
}

const Arguments = z.record(z.string(), z.unknown())

/** Reads them: an object of JSON. Whether the tool takes it, the server knows. @throws Failure */
export async function readEdit({ edit, editFile, cwd }: Edit): Promise<Record<string, unknown>> {
  const option = edit === undefined ? '--edit-file' : '--edit'
  const text = edit ?? (await read(resolve(cwd, editFile ?? '')))
  const parsed = Arguments.safeParse(parse(text))
  const ambiguity = parsed.success ? ambiguityOf(text) : null
  if (ambiguity !== null) throw usageFailure(`${option} can be read in two ways: ${ambiguity}.`)
  if (parsed.success) return parsed.data
  throw usageFailure(`${option} takes an object of JSON, such as {"path":"a.txt"}.`)
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw usageFailure(`--edit-file cannot be read: ${why}`)
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}
