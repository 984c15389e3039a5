import { readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** The words of a server about itself in `postmaster.pid`. */
export interface PostmasterFile {
  readonly pid: number
  /** Null until the server has bound it. */
  readonly port: number | null
  readonly status: 'starting' | 'ready' | 'stopping' | null
}

/** Reads `postmaster.pid` of the cluster; null if there is none or it is not yet written. */
export async function readPostmasterFile(cluster: string): Promise<PostmasterFile | null> {
  const text = await readFile(join(cluster, 'postmaster.pid'), 'utf8').catch(() => '')
  const lines = text.split('\n').map((line) => line.trim())
  const pid = Number(lines[0])
  if (!Number.isSafeInteger(pid) || pid < 1) return null
  const port = Number(lines[3])
  const status = lines[7]
  return {
    pid,
    port: Number.isSafeInteger(port) && port > 0 ? port : null,
    status: status === 'ready' || status === 'starting' || status === 'stopping' ? status : null,
  }
}

/** Was the server started with these arguments, its port aside? Reads `postmaster.opts`. */
export async function startedWith(
  cluster: string,
  program: string,
  args: readonly string[],
): Promise<boolean> {
  const text = await readFile(join(cluster, 'postmaster.opts'), 'utf8').catch(() => '')
  const wanted = [program, ...args.map((arg) => `"${arg}"`)].join(' ')
  return text.trim().replace(/ "-p" "\d+"$/, '') === wanted
}
