/**
 * Where the server of this folder is, for commands that nobody has told: the running one wrote it into the data directory; else
 * it is where the configuration will have it.
 *
 * R1 A key goes to this machine only: an address of another one that stands in the folder is not believed.
 */
import { readdir, readFile } from 'node:fs/promises'
import { networkInterfaces } from 'node:os'
import { join, resolve } from 'node:path'
import type { Shell } from '../shell.ts'

/** Its address; null if neither is known. Never throws: a broken configuration is no reason not to ask. */
export async function serverOfFolder(shell: Shell): Promise<string | null> {
  try {
    return (await runningServer(shell)) ?? (await configuredServer(shell))
  } catch {
    return null
  }
}

/** Names of every address of a machine, which lead nowhere by themselves. */
const everyAddress: Readonly<Record<string, string>> = {
  '0.0.0.0': '127.0.0.1',
  '::': '[::1]',
  '[::]': '[::1]',
}

/** A host as it stands in an address that somebody asks. */
export const reachableHost = (host: string): string =>
  everyAddress[host] ?? (host.includes(':') && !host.startsWith('[') ? `[${host}]` : host)

async function runningServer({ cwd, env }: Shell): Promise<string | null> {
  const dataDir = resolve(cwd, env['SIGNALBOX_DATA_DIR']?.trim() || '.signalbox')
  const text = await readFile(join(dataDir, 'server.json'), 'utf8').catch(() => null)
  if (text === null) return null
  const said: unknown = JSON.parse(text)
  if (typeof said !== 'object' || said === null || !('pid' in said && 'url' in said)) return null
  const url = typeof said.url === 'string' ? URL.parse(said.url) : null
  if (url?.protocol !== 'http:' || !isAlive(Number(said.pid))) return null
  url.hostname = reachableHost(url.hostname)
  return isThisMachine(url.hostname) ? url.origin : null
}

async function configuredServer(shell: Shell): Promise<string | null> {
  const isNamed = Boolean(shell.env['SIGNALBOX_CONFIG']?.trim())
  const there =
    isNamed || (await readdir(shell.cwd)).some((name) => name.startsWith('signalbox.config.'))
  if (!there) return null
  const { loadConfig } = await import('@signalbox/server')
  const { host, port } = (await loadConfig(shell)).config.server
  return port === 0 ? null : `http://${reachableHost(shell.env['HOST']?.trim() || host)}:${port}`
}

function isThisMachine(host: string): boolean {
  const bare = host.replace(/^\[|\]$/g, '')
  if (bare === 'localhost' || bare === '::1' || bare.startsWith('127.')) return true
  return Object.values(networkInterfaces()).some((all) =>
    all?.some(({ address }) => address === bare),
  )
}

function isAlive(pid: number): boolean {
  if (!Number.isSafeInteger(pid) || pid < 1) return false
  try {
    return process.kill(pid, 0)
  } catch (error) {
    // Somebody else's process is alive as well.
    return error instanceof Error && 'code' in error && error.code === 'EPERM'
  }
}
