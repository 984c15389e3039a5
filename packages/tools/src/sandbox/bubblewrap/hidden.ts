/**
 * The parts of `/usr` that a sandbox does not show. Programs and libraries are there, and on many machines a project with its
 * configuration as well: `/usr/src/app` is where images of Node put one.
 */
import { realpathSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter } from 'node:path'

/** Sources and configuration of whoever runs this machine. */
const always = ['/usr/src', '/usr/local/src', '/usr/local/etc']
const libraries = ['/usr/lib', '/usr/lib64', '/usr/local/lib', '/usr/share', '/usr/libexec']

/**
 * Directories below `/usr` to be shown empty: those above, the home and the working directory of this process, and those
 * that the caller names. One that holds programs or libraries is not hidden: a sandbox without them runs nothing.
 */
export function hiddenBelowUsr(
  own: readonly string[],
  programs = (process.env['PATH'] ?? '').split(delimiter),
): readonly string[] {
  const shown = [...programs, ...libraries]
  const candidates = [...always, process.cwd(), homedir(), ...own]
    .flatMap((path) => realDirectory(path) ?? [])
    .filter((path) => path.startsWith('/usr/'))
    .filter((path) => !shown.some((each) => isWithin(each, path)))
  const all = [...new Set(candidates)].toSorted()
  return all.filter((path) => !all.some((other) => other !== path && isWithin(path, other)))
}

/** Is the path the directory, or in it? */
const isWithin = (path: string, directory: string): boolean =>
  path === directory || path.startsWith(`${directory}/`)

function realDirectory(path: string): string | null {
  try {
    const real = realpathSync(path)
    return statSync(real).isDirectory() ? real : null
  } catch {
    return null
  }
}
