/**
 * Method: owner processes that are killed. Would catch: a server that outlives its owner, one that dies before its owner
 * has finished, and a new owner who runs into the remains of the old one.
 */
import { spawn } from 'node:child_process'
import { readFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'

import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { findBinaries } from '../src/binaries.ts'
import { freePort } from '../src/free-port.ts'
import { layoutOf } from '../src/layout.ts'
import { chooseOsUser } from '../src/os-user.ts'
import { serverArguments } from '../src/settings.ts'
import { spawnPostmaster } from '../src/spawn-postmaster.ts'
import { startEmbeddedPostgres } from '../src/index.ts'
import {
  killHard,
  leftovers,
  processesOf,
  query,
  signal,
  smallServer,
  spawnOwner,
  startServer,
  temporaryDir,
  until,
} from './embedded-harness.ts'

const settings = smallServer
let dataDir: string
let remove: () => Promise<void>

beforeAll(async () => {
  ;({ dir: dataDir, remove } = await temporaryDir())
  const server = await startEmbeddedPostgres({ dataDir, settings })
  await query(server.url, 'create table kept as select 7 as n')
  await server.stop()
})

afterAll(async () => {
  await remove()
})

const nothingLeft = async (): Promise<boolean> => (await processesOf(dataDir)).length === 0

test.each(['SIGKILL', 'SIGTERM', 'SIGINT'] as const)(
  'an owner ended by %s takes the server with him',
  async (name) => {
    const { child, report } = spawnOwner({ dataDir })
    const { pid } = await report
    expect((await processesOf(dataDir)).join('\n')).toContain(` ${pid} `)
    child.kill(name)
    await until(nothingLeft)
  },
)

test('an owner killed in the middle of a start leaves nothing', async () => {
  for (const delayMs of [60, 90, 120, 150, 200]) {
    const { child, report } = spawnOwner({ dataDir })
    report.catch(() => undefined)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    await killHard(child)
    expect(await leftovers(dataDir)).toEqual([])
  }
})

test('a new owner who comes at the moment of the kill gets the data', async () => {
  for (const delayMs of [0, 20, 60]) {
    const { child, report } = spawnOwner({ dataDir })
    await report
    await killHard(child)
    await new Promise((resolve) => setTimeout(resolve, delayMs))
    const server = await startServer({ dataDir, settings })
    expect(await query(server.url, 'select n from kept')).toEqual([{ n: 7 }])
    await server.stop()
  }
})

test('a watchdog that comes late leaves the server to its new owner', async () => {
  const { child, report } = spawnOwner({ dataDir })
  const { pid } = await report
  const watchdog = (await processesOf(dataDir)).find((line) => line.includes('watchdog-main'))
  const watchdogPid = Number(watchdog?.split(/\s+/)[1])
  process.kill(watchdogPid, 'SIGSTOP')
  onTestFinished(() => signal(watchdogPid, 'SIGCONT'))
  await killHard(child)
  const server = await startServer({ dataDir, settings, orphan: 'keep' })
  process.kill(watchdogPid, 'SIGCONT')
  await until(async () => !(await processesOf(dataDir)).join('\n').includes('watchdog-main'))
  expect([server.adopted, server.pid]).toEqual([true, pid])
  expect(await query(server.url, 'select n from kept')).toEqual([{ n: 7 }])
  await server.stop()
})

test('a server that is just being born when its owner dies is stopped', async () => {
  const layout = layoutOf(dataDir)
  const user = await chooseOsUser(layout.cluster)
  const program = (await findBinaries(user)).postgres
  const main = fileURLToPath(new URL('../src/watchdog-main.ts', import.meta.url))
  const port = await freePort()
  // Its input is at its end from the beginning.
  spawn(process.execPath, [main, dataDir, '5000'], { stdio: 'ignore' })
  // Under its lock it looks for a server that is not there yet.
  await until(() =>
    readFile(layout.owner, 'utf8').then(
      () => true,
      () => false,
    ),
  )
  const args = serverArguments(layout.cluster, settings)
  const plan = { layout, program, args, user }
  await spawnPostmaster(plan, port, Date.now() + 20_000)
  expect(await leftovers(dataDir)).toEqual([])
})

test('a server that was kept is adopted, and stopped by its new owner', async () => {
  const { child, report } = spawnOwner({ dataDir, orphan: 'keep' })
  const { pid } = await report
  await killHard(child)
  const server = await startServer({ dataDir, settings })
  expect([server.adopted, server.pid]).toEqual([true, pid])
  expect(await query(server.url, 'select n from kept')).toEqual([{ n: 7 }])
  await server.stop()
  await server.exited
  await until(nothingLeft)
})

test('a kept server that does not run as wanted is replaced', async () => {
  const { child, report } = spawnOwner({ dataDir, orphan: 'keep' })
  const { pid } = await report
  await killHard(child)
  const server = await startServer({
    dataDir,
    settings: { ...settings, work_mem: '5MB' },
  })
  expect(server.adopted).toBe(false)
  expect(server.pid).not.toBe(pid)
  expect(await query(server.url, 'show work_mem')).toEqual([{ work_mem: '5MB' }])
  await server.stop()
})

test('Ctrl-C in the terminal leaves the server to the owner until he has finished', async () => {
  const { child, report } = spawnOwner({ dataDir, graceful: true })
  await report
  process.kill(-(child.pid ?? 0), 'SIGINT')
  await until(() => child.exitCode !== null || child.signalCode !== null)
  expect(child.exitCode).toBe(0)
  const server = await startServer({ dataDir, settings })
  expect(await query(server.url, 'select said from farewell')).toEqual([{ said: 'done' }])
  await server.stop()
})

test('no process is left', async () => {
  expect(await leftovers(dataDir)).toEqual([])
})
