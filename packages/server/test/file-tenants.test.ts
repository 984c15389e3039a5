/**
 * Files of two tenants whose threads have one name (context-systems §19 files 4, C12). Would catch: an upload, a checkpoint, a run or a file of one
 * that the other names, reads, changes or recognises by its key.
 */
import type { Script } from '@signalbox/models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { scopes } from '../src/keys/scope.ts'
import { type Answer, call } from './support/http.ts'
import { keyMaker, showing } from './support/key-maker.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const says: Script = () => ({ text: 'Yes.' })
type Tenant = 'a' | 'b'

let database: TestDatabase
let box: TestSignalbox
const keys = new Map<Tenant, string>()

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: { clerk: { model: { provider: 'scripted', model: 'says' }, tools: ['workspace'] } },
      scripts: { says },
      server: { auth: 'keys' },
    },
    { env: { DATABASE_URL: database.adminUrl } },
  )
  const maker = keyMaker(database.adminUrl)
  for (const tenant of ['a', 'b'] as const) {
    keys.set(tenant, (await maker.make(tenant, scopes)).text)
    await ask(tenant, 'POST', '/threads', { body: { thread_id: 'desk' } })
  }
  await ask('a', 'POST', '/threads', { body: { thread_id: 'safe' } })
})

afterAll(async () => {
  await box?.stop()
  await database?.drop()
})

const ask = (
  tenant: Tenant,
  method: string,
  path: string,
  { body, headers = {} }: { readonly body?: object; readonly headers?: object } = {},
): Promise<Answer> =>
  call(box.api, method, path, {
    ...(body === undefined ? {} : { body }),
    headers: { ...showing(keys.get(tenant) ?? ''), ...headers },
  })

async function upload(tenant: Tenant, threadId: string, content: string): Promise<Answer> {
  const form = new FormData()
  form.append('files', new Blob([content]), 'a.txt')
  const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, {
    method: 'POST',
    body: form,
    headers: showing(keys.get(tenant) ?? ''),
  })
  return { status: sent.status, headers: sent.headers, body: await sent.json() }
}

const run = (tenant: Tenant, files: readonly string[]): Promise<Answer> =>
  ask(tenant, 'POST', '/threads/desk/runs/wait', {
    body: { assistant_id: 'clerk', input: { prompt: 'Look.', files } },
  })

const listed = async (tenant: Tenant): Promise<{ path: string; key: string }[]> =>
  (await ask(tenant, 'GET', '/threads/desk/files')).body

it('an upload of one is unknown to the other, and stays where it is', async () => {
  const id = (await upload('a', 'desk', 'secret')).body[0].upload_id
  expect(await run('b', [id])).toMatchObject({
    status: 404,
    body: { code: 'unknown_upload', field: 'input.files' },
  })
  expect(await listed('b')).toEqual([])
  expect((await run('a', [id])).body.outcome).toBe('completed')
  expect(await listed('a')).toMatchObject([{ path: 'uploads/a.txt' }])
})

it('a checkpoint and a run of one show the other no file', async () => {
  const { body } = await ask('a', 'GET', '/threads/desk/state')
  const at = String(body.checkpoint.checkpoint_id)
  for (const path of ['/threads/desk/files', '/threads/desk/files/uploads%2Fa.txt']) {
    expect((await ask('a', 'GET', `${path}?at=${at}`)).status).toBe(200)
    expect(await ask('b', 'GET', `${path}?at=${at}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_checkpoint' },
    })
  }
  const [runId] = at.match(/^[0-9a-f-]{36}/) ?? []
  expect((await ask('a', 'GET', `/runs/${runId}/files`)).body).toHaveLength(1)
  for (const path of [`/runs/${runId}/files`, `/threads/desk/runs/${runId}/files`])
    expect((await ask('b', 'GET', path)).status).toBe(404)
})

it('the same content has another key, and is erased and changed for one alone', async () => {
  await run('b', [(await upload('b', 'desk', 'secret')).body[0].upload_id])
  const [mine, theirs] = [await listed('a'), await listed('b')]
  expect([mine, theirs]).toMatchObject([[{ path: 'uploads/a.txt' }], [{ path: 'uploads/a.txt' }]])
  expect(mine[0]?.key).not.toBe(theirs[0]?.key)
  expect((await ask('b', 'DELETE', '/threads/desk/files/uploads%2Fa.txt')).status).toBe(204)
  expect([await listed('a'), await listed('b')]).toEqual([mine, []])
})

it('a thread of one takes nothing from the other', async () => {
  const unknown = { status: 404, body: { code: 'unknown_thread' } }
  expect(await upload('b', 'safe', 'x')).toMatchObject(unknown)
  for (const [method, path] of [
    ['GET', '/threads/safe/files'],
    ['GET', '/threads/safe/files/a.txt'],
    ['PUT', '/threads/safe/files/a.txt'],
    ['DELETE', '/threads/safe/files/a.txt'],
  ] as const)
    expect([method, await ask('b', method, path)]).toMatchObject([method, unknown])
  expect((await ask('a', 'GET', '/threads/safe/files')).body).toEqual([])
})
