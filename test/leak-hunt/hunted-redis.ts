/**
 * A Redis that keeps all it can, uncompressed: a log of every command, its append-only file, and a dump. What is only
 * published is in no file, so a second connection hears every command.
 */
import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'
import { freePort } from '../contract/free-port.ts'
import { readFolder, type Remains } from './remains.ts'

const present = spawnSync('redis-server', ['--version']).status === 0

/** Whether a suite that needs Redis is skipped, and what its title says then. */
export const missingRedis = {
  skip: !present && process.env['SIGNALBOX_REQUIRE_ALL'] !== '1',
  why: present ? '' : ' (skipped: redis-server is not on PATH)',
}

export interface HuntedRedis {
  readonly url: string
  /** Every command so far, and the files with every key of this moment in them: a dump holds what DUMP answers. */
  remains(): Promise<readonly Remains[]>
  stop(): Promise<void>
}

export async function startHuntedRedis(folder: string): Promise<HuntedRedis> {
  const port = await freePort()
  const settings = { port, dir: folder, save: '', appendonly: 'yes', rdbcompression: 'no' }
  const args = Object.entries(settings).flatMap(([name, value]) => [`--${name}`, String(value)])
  const child = spawn('redis-server', [...args, '--aof-use-rdb-preamble', 'no'], {
    stdio: 'ignore',
  })
  const monitor = await reach(port)
  const heard: Buffer[] = []
  monitor.on('data', (chunk: Buffer) => void heard.push(chunk))
  monitor.write('MONITOR\r\n')
  return {
    url: `redis://127.0.0.1:${port}`,
    remains: async () => {
      const client = await reach(port)
      client.write('SAVE\r\n')
      await once(client, 'data')
      client.destroy()
      const files = await readFolder(folder)
      return [...files, { where: 'MONITOR', bytes: Buffer.concat(heard) }]
    },
    stop: async () => {
      monitor.destroy()
      if (child.exitCode !== null) return
      const ended = once(child, 'exit')
      child.kill('SIGTERM')
      await ended
    },
  }
}

/** A connection, once the server is there. */
async function reach(port: number, tries = 500): Promise<Socket> {
  const socket = connect({ port, host: '127.0.0.1' })
  try {
    await once(socket, 'connect')
    return socket
  } catch (error) {
    if (tries === 0) throw error
    await sleep(20)
    return reach(port, tries - 1)
  }
}
