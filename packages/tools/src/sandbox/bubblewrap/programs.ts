/** Where the programs of this machine are that start a sandbox. */
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import process from 'node:process'

/** The path of a program, by the `PATH` of this process; null if there is none. */
export function programPath(name: string): string | null {
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  const found = folders.map((folder) => join(folder, name)).find((path) => existsSync(path))
  return found ?? null
}
