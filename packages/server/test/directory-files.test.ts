/**
 * Files of threads that stand in a directory (`workspace.root`): the same routes, and 409 `not_recorded` where nothing is recorded
 * (context-systems §6). Would catch: a link that is followed, an upload that nobody can read, a checkpoint that shows what is there now.
 */
import { mkdtemp, mkdir, readFile, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Script } from '@signalbox/models'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { call } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const says: Script = () => ({ text: 'Yes.' })

let box: TestSignalbox
let root: string
let home: string

beforeAll(async () => {
  root = await mkdtemp(join(tmpdir(), 'signalbox-root-'))
  home = join(root, 'default', 'desk')
  box = await startTest({
    agents: { clerk: { model: { provider: 'scripted', model: 'says' }, tools: ['workspace'] } },
    scripts: { says },
    workspace: { root },
  })
  await call(box.api, 'POST', '/threads', { body: { thread_id: 'desk' } })
})

afterAll(async () => {
  await box?.stop()
  await rm(root, { recursive: true, force: true })
})

const at = (path: string) => `/threads/desk/files/${encodeURIComponent(path)}`
const put = (path: string, body: string) => fetch(box.api + at(path), { method: 'PUT', body })

it('are listed, read, written and deleted where they are', async () => {
  expect((await call(box.api, 'GET', '/threads/desk/files')).body).toEqual([])
  expect((await put('outputs/a.txt', 'one')).status).toBe(201)
  expect(await readFile(join(home, 'outputs/a.txt'), 'utf8')).toBe('one')
  const again = await put('outputs/a.txt', 'two')
  expect([again.status, await again.json()]).toEqual([
    200,
    {
      path: 'outputs/a.txt',
      mime: 'text/plain; charset=utf-8',
      bytes: 3,
      sha256: expect.stringMatching(/^[0-9a-f]{64}$/),
      key: null,
      run_id: null,
      checkpoint_id: null,
    },
  ])
  await writeFile(join(home, 'b.txt'), 'by a program')
  expect((await call(box.api, 'GET', '/threads/desk/files?prefix=out')).body).toEqual([
    {
      path: 'outputs/a.txt',
      bytes: 3,
      key: null,
      sha256: null,
      executable: false,
      changed_by: null,
    },
  ])
  const file = await fetch(box.api + at('b.txt'), { headers: { range: 'bytes=3-' } })
  expect([file.status, await file.text()]).toEqual([206, 'a program'])
  expect(file.headers.get('content-security-policy')).toBe('sandbox')
  expect((await call(box.api, 'DELETE', at('b.txt'))).status).toBe(204)
  expect(await call(box.api, 'DELETE', at('b.txt'))).toMatchObject({
    status: 404,
    body: { code: 'unknown_file' },
  })
})

it('follow no link, and leave the directory by no path', async () => {
  const secret = join(root, 'secret.txt')
  await writeFile(secret, 'secret')
  await mkdir(home, { recursive: true })
  await symlink(secret, join(home, 'link'))
  await symlink(root, join(home, 'up'))
  for (const path of ['link', 'up/secret.txt', '../../secret.txt', 'outputs/../../../secret.txt']) {
    const read = await call(box.api, 'GET', at(path))
    expect([path, read.status, JSON.stringify(read.body).includes('secret"')]).toEqual([
      path,
      expect.any(Number),
      false,
    ])
    expect(read.status).toBeGreaterThanOrEqual(400)
    expect((await call(box.api, 'DELETE', at(path))).status).toBeGreaterThanOrEqual(400)
  }
  expect((await put('up/other.txt', 'x')).status).toBeGreaterThanOrEqual(400)
  expect(await readFile(secret, 'utf8')).toBe('secret')
  const files: { path: string }[] = (await call(box.api, 'GET', '/threads/desk/files')).body
  expect(files.map(({ path }) => path)).toEqual(['outputs/a.txt'])
})

it('answer not_recorded where something would have to be recorded', async () => {
  const { body } = await call(box.api, 'POST', '/threads/desk/runs/wait', {
    body: { assistant_id: 'clerk', input: 'Hello.' },
  })
  const state = await call(box.api, 'GET', '/threads/desk/state')
  const checkpoint = state.body.checkpoint.checkpoint_id
  const form = new FormData()
  form.append('files', new Blob(['x']), 'x.txt')
  const uploads = await fetch(`${box.api}/threads/desk/uploads`, { method: 'POST', body: form })
  expect([uploads.status, await uploads.json()]).toMatchObject([409, { code: 'not_recorded' }])
  for (const path of [
    `/threads/desk/files?at=${checkpoint}`,
    `${at('outputs/a.txt')}?at=${checkpoint}`,
    `/runs/${body.run.run_id}/files`,
  ])
    expect(await call(box.api, 'GET', path)).toMatchObject({
      status: 409,
      body: { code: 'not_recorded' },
    })
  const named = await call(box.api, 'POST', '/threads/desk/runs', {
    body: { assistant_id: 'clerk', input: { prompt: 'Look.', files: ['upload_1'] } },
  })
  expect(named).toMatchObject({ status: 409, body: { code: 'not_recorded', field: 'input.files' } })
})
