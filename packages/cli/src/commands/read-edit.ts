/** The arguments that a human wants executed, from the command line or from a file. */
import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import { usageFailure } from '../failure.ts'
import { readObject } from './read-object.ts'

export interface Edit {
  readonly edit: string | undefined
  readonly editFile: string | undefined
  readonly cwd: string
}

/** Reads them: an object of JSON. Whether the tool takes it, the server knows. @throws Failure */
export async function readEdit({ edit, editFile, cwd }: Edit): Promise<Record<string, unknown>> {
  const option = edit === undefined ? '--edit-file' : '--edit'
  return readObject(option, edit ?? (await read(resolve(cwd, editFile ?? ''))))
}

async function read(file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8')
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause)
    throw usageFailure(`--edit-file cannot be read: ${why}`)
  }
}
