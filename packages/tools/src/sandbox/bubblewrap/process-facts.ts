/** The facts that Linux gives of a process in `/proc/<pid>/stat`. Null: there is none, or it cannot be read. */
import { readFileSync } from 'node:fs'

/** `USER_HZ`: the same on every architecture that Node runs on. */
const ticksPerSecond = 100

/** The fields behind the name of the program, which may hold anything. The first is field 3 of proc(5). */
function fieldsOf(pid: number): readonly string[] | null {
  if (!Number.isSafeInteger(pid) || pid <= 0) return null
  try {
    const text = readFileSync(`/proc/${pid}/stat`, 'utf8')
    return text.slice(text.lastIndexOf(')') + 2).split(' ')
  } catch {
    return null
  }
}

/** When it started: with its number, who it is. */
export const startOf = (pid: number): string | null => fieldsOf(pid)?.[19] ?? null

/** Is it there, and more than an entry that nobody has collected? */
export function isRunning(pid: number): boolean {
  const state = fieldsOf(pid)?.[0]
  return state !== undefined && state !== 'Z' && state !== 'X'
}

/** Processor time of those that it has collected, milliseconds. */
export function collectedCpuMs(pid: number): number | null {
  const fields = fieldsOf(pid)
  if (!fields) return null
  const ticks = Number(fields[13]) + Number(fields[14])
  return Number.isFinite(ticks) ? Math.round((ticks * 1000) / ticksPerSecond) : null
}
