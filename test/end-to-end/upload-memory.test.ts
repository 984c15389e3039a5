/**
 * The memory that uploads cost the api (issue 12; context-systems §19 "upload 100 MiB, 10 files"): a process of its own, measured by Linux, and
 * clients elsewhere. Would catch: an api that holds a file whole, or keeps what it has passed on.
 */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, expect, it } from 'vitest'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import { call } from '../../packages/server/test/support/http.ts'

const root = join(import.meta.dirname, '../..')
const cli = join(root, 'packages/cli/bin/signalbox.js')
const door = pathToFileURL(join(root, 'packages/cli/src/index.ts')).href

const config = `
import { defineConfig } from ${JSON.stringify(door)}

export default defineConfig({
  agents: { clerk: { model: { provider: 'scripted', model: 'says' } } },
  scripts: { says: () => ({ text: 'Yes.' }) },
})
`

const mib = 1024 * 1024
const grownMiBMax = 40

let folder = ''
let database: TestDatabase | null = null
let api: ChildProcess | null = null
let url = ''

async function serve(databaseUrl: string): Promise<string> {
  const env = { ...process.env, DATABASE_URL: databaseUrl, REDIS_URL: '' }
  const child = spawn(process.execPath, [cli, 'serve', '--port', '0'], {
    cwd: folder,
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  api = child
  return new Promise((resolve, reject) => {
    let printed = ''
    child.stdout.on('data', (chunk: Buffer) => {
      printed += chunk.toString()
      const found = /"url":"(http:[^"]+)"/.exec(printed)?.[1]
      if (found) resolve(found)
    })
    child.on('exit', (code) => reject(new Error(`serve exited with ${code}: ${printed}`)))
  })
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'signalbox-memory-'))
  await writeFile(join(folder, 'signalbox.config.mjs'), config)
  database = await createTestDatabase()
  url = await serve(database.adminUrl)
  await call(url, 'POST', '/threads', { body: { thread_id: 'large' } })
})

afterAll(async () => {
  if (api && api.exitCode === null && api.signalCode === null) {
    const ended = once(api, 'exit')
    api.kill('SIGTERM')
    await ended
  }
  await database?.drop()
  await rm(folder, { recursive: true, force: true })
})

/** Of the process, in MiB: what it has now, and the most that it had since it was last asked to forget. */
async function memoryOf(pid: number): Promise<{ readonly now: number; readonly most: number }> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8')
  const kib = (name: string): number =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1])
  return { now: kib('VmRSS') / 1024, most: kib('VmHWM') / 1024 }
}

/** Files of different bytes, made while they are sent. */
async function upload(files: number, bytes: number): Promise<number> {
  async function* body(): AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined> {
    for (let n = 0; n < files; n += 1) {
      const disposition = `form-data; name="files"; filename="${n}.bin"`
      yield Buffer.from(`\r\n--B\r\nContent-Disposition: ${disposition}\r\n\r\n`)
      const piece = Buffer.alloc(64 * 1024, n)
      for (let left = bytes; left > 0; left -= piece.length)
        yield piece.subarray(0, Math.min(left, piece.length))
    }
    yield Buffer.from('\r\n--B--\r\n')
  }
  const init = {
    method: 'POST',
    headers: { 'content-type': 'multipart/form-data; boundary=B' },
    body: streamOf(body()),
    duplex: 'half',
  }
  const sent = await fetch(`${url}/threads/large/uploads`, init)
  await sent.arrayBuffer()
  return sent.status
}

const streamOf = (
  pieces: AsyncGenerator<Uint8Array<ArrayBuffer>, void, undefined>,
): ReadableStream<Uint8Array<ArrayBuffer>> =>
  new ReadableStream({
    async pull(controller) {
      const next = await pieces.next()
      if (next.done === true) controller.close()
      else controller.enqueue(next.value)
    },
  })

it.skipIf(process.platform !== 'linux')(
  `100 MiB in 10 files cost the api less than ${grownMiBMax} MiB, time and again`,
  async () => {
    const pid = api?.pid ?? 0
    // Code is loaded, and pools grow, once.
    expect(await upload(2, 2 * mib)).toBe(201)
    const before = await memoryOf(pid)
    const grown: number[] = []
    for (let n = 0; n < 3; n += 1) {
      // Forgets the most it had (proc_pid_clear_refs(5)).
      await writeFile(`/proc/${pid}/clear_refs`, '5')
      expect(await upload(10, 10 * mib)).toBe(201)
      grown.push(Math.round((await memoryOf(pid)).most - before.now))
    }
    console.log(`resident memory of the api grew by ${grown.join(', ')} MiB`)
    expect(Math.max(...grown)).toBeLessThan(grownMiBMax)
  },
)
