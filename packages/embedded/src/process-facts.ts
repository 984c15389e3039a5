import { execFile } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { basename } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)

/** Facts that tell a process from a later one that was given the same pid. */
export interface ProcessFacts {
  /** Opaque; equal for the same process only. Empty on Windows, where it is not known. */
  readonly startedAt: string
  /** The command line. One element where the platform does not separate arguments. */
  readonly command: readonly string[]
}

/** The live process `pid`, or null. A zombie is dead: it holds neither files nor memory. */
export async function lookUpProcess(pid: number): Promise<ProcessFacts | null> {
  if (!isAlive(pid)) return null
  if (process.platform === 'linux') return await readProc(pid)
  if (process.platform === 'win32') return { startedAt: '', command: [] }
  return await askPs(pid)
}

/** Is `pid` the postmaster of the cluster directory? Its backends are not: they rewrite their command line. */
export async function isPostmasterOf(pid: number, cluster: string): Promise<boolean> {
  const facts = await lookUpProcess(pid)
  if (facts === null) return false
  // Windows tells us no command line cheaply; the pid file's word has to do there.
  if (process.platform === 'win32') return true
  const [first = '', ...rest] = facts.command
  if (rest.length === 0) return first.includes(`postgres -D ${cluster} `)
  return basename(first) === 'postgres' && rest.includes(cluster)
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}

async function readProc(pid: number): Promise<ProcessFacts | null> {
  try {
    const [stat, command] = await Promise.all([
      readFile(`/proc/${pid}/stat`, 'utf8'),
      readFile(`/proc/${pid}/cmdline`, 'utf8'),
    ])
    // The command name stands in parentheses and may itself hold spaces and parentheses.
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    const state = fields[0]
    if (state === 'Z' || state === 'X') return null
    return { startedAt: fields[19] ?? '', command: command.split('\0').slice(0, -1) }
  } catch {
    return null
  }
}

async function askPs(pid: number): Promise<ProcessFacts | null> {
  try {
    const { stdout } = await run('ps', ['-o', 'stat=,lstart=,command=', '-p', String(pid)], {
      env: { PATH: process.env['PATH'], LC_ALL: 'C' },
    })
    const line = /^(\S+)\s+(\S+\s+\S+\s+\S+\s+\S+\s+\S+)\s+(.*)$/.exec(stdout.trim())
    if (line === null || line[1]?.startsWith('Z')) return null
    return { startedAt: line[2] ?? '', command: [line[3] ?? ''] }
  } catch {
    return null
  }
}
