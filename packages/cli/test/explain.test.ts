/**
 * `audit explain`, as an auditor types it: of the database of a running server, and of an export without one. Would catch: a
 * page that differs from what the API answers, one of a log that was changed without a word, a model that speaks to the terminal.
 */
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { RunExplanation } from '@signalbox/core'
import pg from 'pg'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { z } from 'zod'
import { signalbox } from './support/command.ts'
import { startServer, type TestServer } from './support/server.ts'

let box: TestServer
const Answer = z.object({ run: z.object({ run_id: z.string() }) })

const create = async (assistant_id: string, key: string): Promise<string> => {
  const response = await fetch(`${box.url}/runs/wait`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', 'idempotency-key': key },
    body: JSON.stringify({ assistant_id, input: 'Go.' }),
  })
  return Answer.parse(await response.json()).run.run_id
}

let noted: string
let cut: string

beforeAll(async () => {
  box = await startServer()
  noted = await create('clerk', 'noted')
  cut = await create('censored', 'cut')
})
afterAll(() => box?.stop())

it('prints a page: the run, the answers, a block for each call', async () => {
  const { code, stdout, stderr } = await box.run('audit', 'explain', noted)
  expect(stderr).toBe('')
  expect(code).toBe(0)
  expect(stdout).toContain(`# Why the calls of the run ${noted} ran, or did not`)
  expect(stdout).toMatch(/\n### note: RAN \(completed\)\n\nIt ran: .*closed positively \(#\d+\)/)
  expect(stdout).toMatch(/\n1\. Close of the answer: .*\(#\d+, \d{4}-\d\d-\d\dT[\d:.]+Z\)\n/)
  expect(stdout).not.toContain('s3cret')
})

it('is what the API answers, by id and by key', async () => {
  const document = await box.json('audit', 'explain', noted)
  expect(RunExplanation.parse(document)).toEqual(document)
  expect(await box.json('audit', 'explain', 'noted')).toEqual(document)
  const response = await fetch(`${box.url}/runs/${noted}/explanation`)
  expect(await response.json()).toEqual(document)
  const page = await fetch(`${box.url}/runs/${noted}/explanation`, {
    headers: { accept: 'text/markdown' },
  })
  const { stdout } = await box.run('audit', 'explain', noted)
  expect(stdout).toBe(await page.text())
})

it('tells what was taken out of an answer that a filter stopped', async () => {
  const { stdout } = await box.run('audit', 'explain', 'cut')
  expect(stdout).toContain('The run ended as safety_stopped')
  expect(stdout).toContain('- Taken out, not executed: note, 1 ×')
  expect(stdout).toContain('finish_reason=content_filter')
  expect(stdout).not.toContain('half a')
})

it('reads an export, where there is neither server nor database', async () => {
  const { stdout: log } = await box.run('audit', 'export')
  await writeFile(join(box.dir, 'log'), log)
  const where = { cwd: box.dir, env: {} }
  const [run, other] = await Promise.all(
    [noted, 'no-such-run'].map((id) =>
      signalbox(['audit', 'explain', id, '--file', 'log', '--json'], where),
    ),
  )
  expect(run?.code).toBe(0)
  expect(JSON.parse(run?.stdout ?? '')).toEqual(await box.json('audit', 'explain', noted))
  expect(other).toMatchObject({ code: 4, stderr: expect.stringContaining('[unknown_run]') })
})

it('says that there is no such run', async () => {
  const { code, stderr } = await box.run('audit', 'explain', 'no-such-run')
  expect(code).toBe(4)
  expect(stderr).toMatch(
    /There is no run no-such-run in the database of DATABASE_URL\..*\[unknown_run\]/,
  )
})

it('says that the chain of the run does not hold, and fails', async () => {
  const admin = new pg.Client(box.env['DATABASE_URL'])
  await admin.connect()
  await admin.query(
    `update signalbox.event set actor = 'mallory' where run_id = '${cut}' and type = 'run.created'`,
  )
  await admin.end()
  const { code, stdout, stderr } = await box.run('audit', 'explain', cut)
  expect(code).toBe(1)
  expect(stderr).toContain('The chain of this run does not hold: #1 (digest).')
  expect(stdout).toContain('- Asked for by: mallory')
})
