/**
 * Files of threads over HTTP (context-systems §6, §17, §19 files). Would catch: a file that a fork before it sees, one that a rollback leaves
 * there, a checkpoint that shows later files, a page that a browser executes, a tenant that reads another one's.
 */
import { createHash } from 'node:crypto'
import type { Script } from '@signalbox/models'
import { createReader } from '@signalbox/postgres'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { type FileReads, findFiles } from '../src/files/thread-files.ts'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { type Answer, call, eventually, fed } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const prompts: string[] = []

/** The script makes the calls that the words of a user name, a call a line: `tool {json}`. The list of files stands behind them. */
const obeying: Script = (prompt) => {
  const last = prompt.at(-1)
  if (last?.role !== 'user') return { text: 'Done.' }
  const texts = last.parts.map((part) => (part.type === 'text' ? part.text : ''))
  prompts.push(texts.join('\n'))
  const [said = ''] = texts.join('\n').split('\n<files>')
  if (!said.includes('{')) return { text: 'Yes.' }
  const calls = said.split('\n').map((line) => {
    const [name = '', ...rest] = line.split(' ')
    return { name, args: JSON.parse(rest.join(' ')) }
  })
  return { calls }
}

let database: TestDatabase
let box: TestSignalbox
let sql: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: {
        clerk: { model: { provider: 'scripted', model: 'obeying' }, tools: ['workspace', 'hold'] },
        reader: {
          model: { provider: 'scripted', model: 'obeying' },
          uploads: { inline: true },
        },
      },
      tools: [hold],
      scripts: { obeying },
    },
    { env: { DATABASE_URL: database.adminUrl } },
  )
  sql = new pg.Client({ connectionString: database.adminUrl })
  await sql.connect()
})

afterAll(async () => {
  letAllGo()
  await sql?.end()
  await box?.stop()
  await database?.drop()
})

let threads = 0
async function thread(): Promise<string> {
  threads += 1
  const thread_id = `files-${threads}`
  await call(box.api, 'POST', '/threads', { body: { thread_id } })
  return thread_id
}

type Sent = readonly (readonly [name: string, content: string | Uint8Array<ArrayBuffer>])[]

async function upload(threadId: string, files: Sent): Promise<Answer> {
  const form = new FormData()
  for (const [name, content] of files) form.append('files', new Blob([content]), name)
  const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, { method: 'POST', body: form })
  return { status: sent.status, headers: sent.headers, body: await sent.json() }
}

/** The ids of uploads that must have worked. */
async function uploaded(threadId: string, files: Sent): Promise<string[]> {
  const { status, body } = await upload(threadId, files)
  expect([status, body]).toMatchObject([201, files.map(() => ({}))])
  return body.map((one: { upload_id: string }) => one.upload_id)
}

const run = (threadId: string, prompt: string, over: object = {}, files: string[] = []) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: {
      assistant_id: 'clerk',
      input: { prompt, ...(files.length > 0 ? { files } : {}) },
      ...over,
    },
  })

/** The prompt of a model whose agent has the text of files in its messages (`uploads.inline`). */
async function inlined(...files: Sent): Promise<string> {
  const threadId = await thread()
  const ids = await uploaded(threadId, files)
  const { body } = await run(threadId, 'Look.', { assistant_id: 'reader' }, ids)
  expect(body.outcome).toBe('completed')
  return prompts.at(-1) ?? ''
}

const writes = (path: string, content: string): string =>
  `write_file ${JSON.stringify({ path, content })}`

const put = async (threadId: string, path: string, content: string, headers = {}) => {
  const at = `${box.api}/threads/${threadId}/files/${encodeURIComponent(path)}`
  const sent = await fetch(at, { method: 'PUT', body: content, headers })
  const body: Answer['body'] = await sent.json()
  return { status: sent.status, body }
}

const listed = async (threadId: string, query = ''): Promise<string[]> => {
  const { status, body } = await call(box.api, 'GET', `/threads/${threadId}/files${query}`)
  expect([status, body]).toEqual([200, expect.any(Array)])
  return body.map((file: { path: string }) => file.path)
}

const read = async (threadId: string, path: string, query = '', headers = {}) => {
  const at = `${box.api}/threads/${threadId}/files/${encodeURIComponent(path)}${query}`
  const answer = await fetch(at, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const checkpointOf = async (threadId: string): Promise<string> =>
  (await call(box.api, 'GET', `/threads/${threadId}/state`)).body.checkpoint.checkpoint_id

describe('an upload', () => {
  it('answers what arrived: name, type by content, size, digest', async () => {
    const threadId = await thread()
    const page = '<script>alert(1)</script>'
    const { status, body } = await upload(threadId, [
      ['C:\\desk\\Cafe\u0301.html', page],
      ['empty', ''],
    ])
    expect(status).toBe(201)
    expect(body).toEqual([
      {
        upload_id: expect.stringMatching(/^upload_[0-9a-f-]{36}$/),
        name: 'Caf\u00e9.html',
        mime: 'text/plain; charset=utf-8',
        bytes: 25,
        sha256: createHash('sha256').update(page).digest('hex'),
      },
      {
        upload_id: expect.any(String),
        name: 'empty',
        mime: 'text/plain; charset=utf-8',
        bytes: 0,
        sha256: createHash('sha256').update('').digest('hex'),
      },
    ])
  })

  it('is no file before a run names it', async () => {
    const threadId = await thread()
    await uploaded(threadId, [['a.txt', 'one']])
    expect(await listed(threadId)).toEqual([])
  })

  it('belongs to the conversation from the run on: listing and bytes (files 1)', async () => {
    const threadId = await thread()
    const ids = await uploaded(threadId, [
      ['a.txt', 'one'],
      ['b.bin', new Uint8Array([0, 255, 1])],
    ])
    const { body } = await run(threadId, 'Look.', {}, ids)
    expect(body.outcome).toBe('completed')
    expect(await listed(threadId)).toEqual(['uploads/a.txt', 'uploads/b.bin'])
    const file = await read(threadId, 'uploads/a.txt')
    expect(file).toMatchObject({ status: 200, text: 'one' })
    const { run_id } = body.run
    const files = (await call(box.api, 'GET', `/threads/${threadId}/files?sha256=true`)).body
    expect(files[0]).toEqual({
      path: 'uploads/a.txt',
      bytes: 3,
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      sha256: createHash('sha256').update('one').digest('hex'),
      executable: false,
      changed_by: { run_id, seq: 1, call_id: null },
    })
    expect(prompts.at(-1)).toContain(
      '- a.txt (path uploads/a.txt, text/plain; charset=utf-8, 3 bytes)',
    )
    expect(prompts.at(-1)?.startsWith('Look.\n<files>')).toBe(true)
  })

  it('that another run has named already may be named again; a taken name gets a number', async () => {
    const threadId = await thread()
    const first = await uploaded(threadId, [['a.txt', 'one']])
    await run(threadId, 'Look.', {}, first)
    const more = await uploaded(threadId, [
      ['A.txt', 'two'],
      ['a.txt', 'three'],
    ])
    await run(threadId, 'Look.', {}, [...more, ...first])
    expect(await listed(threadId)).toEqual([
      'uploads/A (2).txt',
      'uploads/a (3).txt',
      'uploads/a (4).txt',
      'uploads/a.txt',
    ])
    expect((await read(threadId, 'uploads/a (3).txt')).text).toBe('three')
    expect((await read(threadId, 'uploads/a (4).txt')).text).toBe('one')
  })

  it('stands in its message if the agent wants that, it is the only one, text, and short', async () => {
    const short = await inlined(['a.csv', '\ufeffitem,<sold>\n'])
    expect(short).toContain('- what stands in it:\nitem,&lt;sold&gt;\n\n</files>')
    expect(await inlined(['a.txt', 'ä'.repeat(8_000)])).toContain('ää')
    for (const files of [
      [['a.txt', 'x'.repeat(8_001)]],
      [
        ['a.txt', 'one'],
        ['b.txt', 'two'],
      ],
      [['a.bin', '\u0000\u0001']],
      [['empty', '']],
    ] satisfies [string, string][][])
      expect(await inlined(...files)).not.toContain('what stands in it')
  })

  it('of another thread, or one that there is not, is unknown', async () => {
    const [mine, other] = [await thread(), await thread()]
    const ids = await uploaded(mine, [['a.txt', 'one']])
    for (const wrong of [
      await run(other, 'Look.', {}, ids),
      await run(mine, 'Look.', {}, ['nope']),
    ])
      expect(wrong).toMatchObject({
        status: 404,
        body: { code: 'unknown_upload', field: 'input.files' },
      })
    expect(await listed(other)).toEqual([])
  })

  it('is named once by a request that is repeated', async () => {
    const threadId = await thread()
    const ids = await uploaded(threadId, [['a.txt', 'one']])
    const request = {
      body: { assistant_id: 'clerk', input: { prompt: 'Look.', files: ids } },
      headers: { 'idempotency-key': `twice-${threadId}` },
    }
    const first = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, request)
    const again = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, request)
    expect(again.body.run.run_id).toBe(first.body.run.run_id)
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
    // A day later the upload is gone, and the request means the same.
    await sql.query('delete from signalbox.upload where id = $1', ids)
    const later = await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, request)
    expect(later.body.run.run_id).toBe(first.body.run.run_id)
    const other = { ...request, body: { assistant_id: 'clerk', input: { prompt: 'Look.' } } }
    expect(await call(box.api, 'POST', `/threads/${threadId}/runs/wait`, other)).toMatchObject({
      body: { code: 'idempotency_conflict' },
    })
  })

  it('that no run names is removed after a day, and no younger one', async () => {
    const threadId = await thread()
    const [old = '', used = '', young = ''] = await uploaded(threadId, [
      ['old.txt', 'old'],
      ['used.txt', 'used'],
      ['young.txt', 'young'],
    ])
    await run(threadId, 'Look.', {}, [used])
    const aged =
      "update signalbox.upload_part set created_at = now() - interval '25 hours' where upload_id = any($1)"
    await sql.query(aged, [[old, used]])
    await sql.query('select signalbox.sweep_uploads()')
    const { rows } = await sql.query('select id from signalbox.upload where thread_id = $1', [
      threadId,
    ])
    expect(rows).toEqual([{ id: young }])
    expect(await run(threadId, 'Look.', {}, [old])).toMatchObject({
      body: { code: 'unknown_upload' },
    })
    expect((await read(threadId, 'uploads/used.txt')).text).toBe('used')
    const parts = await sql.query(
      'select upload_id from signalbox.upload_part where upload_id = any($1)',
      [[old, used, young]],
    )
    expect(parts.rows).toEqual([{ upload_id: young }])
  })
})

describe('files follow the conversation (§17)', () => {
  it('a fork before an upload does not see it, one behind it does', async () => {
    const threadId = await thread()
    await run(threadId, 'Hello.')
    const before = await checkpointOf(threadId)
    await run(threadId, 'Look.', {}, await uploaded(threadId, [['a.txt', 'one']]))
    const behind = await checkpointOf(threadId)
    await run(threadId, writes('uploads/a.txt', 'changed'))
    expect((await read(threadId, 'uploads/a.txt')).text).toBe('changed')
    expect((await read(threadId, 'uploads/a.txt', `?at=${behind}`)).text).toBe('one')
    expect((await read(threadId, 'uploads/a.txt', `?at=${before}`)).status).toBe(404)
    await run(threadId, 'Again.', { checkpoint_id: before })
    expect(await listed(threadId)).toEqual([])
    await run(threadId, 'And again.', { checkpoint_id: behind })
    expect((await read(threadId, 'uploads/a.txt')).text).toBe('one')
  })

  it('a rollback takes it back', async () => {
    const threadId = await thread()
    const ids = await uploaded(threadId, [['a.txt', 'one']])
    const { body } = await call(box.api, 'POST', `/threads/${threadId}/runs`, {
      body: { assistant_id: 'clerk', input: { prompt: 'hold {}', files: ids } },
    })
    const runId = String(body.run_id)
    await eventually(async () => isHolding(runId))
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
    const path = `/threads/${threadId}/runs/${runId}/cancel?wait=1&action=rollback`
    const cancelled = call(box.api, 'POST', path)
    await eventually(async () => {
      const log = await call(box.api, 'GET', `/threads/${threadId}/runs/${runId}/events`)
      return JSON.stringify(log.body).includes('cancel.requested')
    })
    letGo(runId)
    await cancelled
    expect(await listed(threadId)).toEqual([])
    expect((await read(threadId, 'uploads/a.txt')).status).toBe(404)
  })

  it('a run that replaces another by a rollback has none of its files', async () => {
    const threadId = await thread()
    const ids = await uploaded(threadId, [['a.txt', 'one']])
    const waiting = await call(box.api, 'POST', `/threads/${threadId}/runs`, {
      body: {
        assistant_id: 'clerk',
        input: { prompt: 'Look.', files: ids },
        after_seconds: 3600,
      },
    })
    expect(waiting.status).toBe(200)
    expect(await listed(threadId)).toEqual([])
    await run(threadId, 'Instead.', { multitask_strategy: 'rollback' })
    expect(await listed(threadId)).toEqual([])
  })

  it('a copy of a thread has them, and its own changes are its own', async () => {
    const threadId = await thread()
    await run(threadId, 'Look.', {}, await uploaded(threadId, [['a.txt', 'one']]))
    const copy = (await call(box.api, 'POST', `/threads/${threadId}/copy`)).body.thread_id
    expect((await read(copy, 'uploads/a.txt')).text).toBe('one')
    await run(copy, writes('uploads/a.txt', 'mine'))
    expect((await read(copy, 'uploads/a.txt')).text).toBe('mine')
    expect((await read(threadId, 'uploads/a.txt')).text).toBe('one')
  })

  it('a rerun is given what the other was given, a retry as well', async () => {
    const threadId = await thread()
    const first = await run(threadId, 'Look.', {}, await uploaded(threadId, [['a.txt', 'one']]))
    const { run_id } = first.body.run
    const again = await call(box.api, 'POST', `/runs/${run_id}/rerun`, { body: {} })
    await call(box.api, 'GET', `/runs/${again.body.run_id}/join`)
    expect((await read(again.body.thread_id, 'uploads/a.txt')).text).toBe('one')
    const seen = prompts.length
    const retry = await call(box.api, 'POST', `/runs/${run_id}/retry`)
    await call(box.api, 'GET', `/runs/${retry.body.run_id}/join`)
    expect(prompts.slice(seen).join('\n')).toContain('path uploads/a.txt')
  })

  it('any checkpoint shows the files as they were (files 3)', async () => {
    const threadId = await thread()
    const places: [string, string[]][] = []
    for (let n = 0; n < 4; n += 1) {
      await run(threadId, writes(`work/${n}.txt`, String(n)))
      places.push([await checkpointOf(threadId), await listed(threadId)])
    }
    await run(threadId, writes('work/0.txt', 'changed'))
    for (const [at, files] of places) expect(await listed(threadId, `?at=${at}`)).toEqual(files)
    const first = await read(threadId, 'work/0.txt', `?at=${places[0]?.[0]}`)
    expect(first.text).toBe('0')
  })

  it('an erased content is 410, and the thread still says that there was a file', async () => {
    const threadId = await thread()
    await run(threadId, 'Look.', {}, await uploaded(threadId, [['a.txt', 'to be erased']]))
    const [{ key }] = (await call(box.api, 'GET', `/threads/${threadId}/files`)).body
    await sql.query('delete from signalbox.blob where thread_id = $1 and key = $2', [threadId, key])
    const gone = await read(threadId, 'uploads/a.txt')
    expect([gone.status, JSON.parse(gone.text).code]).toEqual([410, 'content_erased'])
    expect(await listed(threadId)).toEqual(['uploads/a.txt'])
    const [file] = (await call(box.api, 'GET', `/threads/${threadId}/files?sha256=1`)).body
    expect(file.sha256).toBeNull()
  })

  it('an erased event takes its files out of every fork and copy (files 1)', async () => {
    const threadId = await thread()
    const given = await run(threadId, 'Look.', {}, await uploaded(threadId, [['a.txt', 'one']]))
    const behind = await checkpointOf(threadId)
    await put(threadId, 'kept.txt', 'kept')
    const now = await checkpointOf(threadId)
    const copy = (await call(box.api, 'POST', `/threads/${threadId}/copy`)).body.thread_id
    await run(threadId, 'Again.', { checkpoint_id: behind })
    for (const place of [threadId, copy]) expect(await listed(place)).toContain('uploads/a.txt')
    const erase =
      'update signalbox.event set payload = null, salt = null where run_id = $1 and seq = 1'
    await sql.query(erase, [given.body.run.run_id])
    expect(await listed(threadId)).toEqual([])
    expect(await listed(threadId, `?at=${now}`)).toEqual(['kept.txt'])
    expect(await listed(copy)).toEqual(['kept.txt'])
    for (const place of [threadId, copy])
      expect((await read(place, 'uploads/a.txt')).status).toBe(404)
  })
})

describe('writing and deleting by hand', () => {
  it('are edits: told by whom, seen by the next call, undone by going back', async () => {
    const threadId = await thread()
    const made = await put(threadId, 'outputs/plan.md', 'one')
    expect(made).toMatchObject({
      status: 201,
      body: { path: 'outputs/plan.md', bytes: 3, mime: 'text/plain; charset=utf-8' },
    })
    const { run_id, checkpoint_id } = made.body
    const events = await call(box.api, 'GET', `/threads/${threadId}/runs/${run_id}/events`)
    expect(events.body.events.map((event: { type: string }) => event.type)).toEqual([
      'run.created',
      'run.admitted',
      'run.transitioned',
    ])
    expect((await put(threadId, 'outputs/plan.md', 'two')).status).toBe(200)
    await run(threadId, 'read_file {"path":"outputs/plan.md"}')
    const state = await call(box.api, 'GET', `/threads/${threadId}/state`)
    const answers = state.body.values.messages.filter(
      (each: { type: string }) => each.type === 'tool',
    )
    expect(answers).toMatchObject([{ content: expect.stringContaining('two') }])
    const gone = await call(box.api, 'DELETE', `/threads/${threadId}/files/outputs%2Fplan.md`)
    expect(gone.status).toBe(204)
    expect(await listed(threadId)).toEqual([])
    expect(await listed(threadId, `?at=${checkpoint_id}`)).toEqual(['outputs/plan.md'])
    const again = await call(box.api, 'DELETE', `/threads/${threadId}/files/outputs%2Fplan.md`)
    expect(again).toMatchObject({ status: 404, body: { code: 'unknown_file' } })
  })

  it('say nothing to the model', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', 'one')
    await run(threadId, 'Hello.')
    expect(prompts.at(-1)).toBe('Hello.')
  })

  it('are one edit where the request is repeated with its key', async () => {
    const threadId = await thread()
    const headers = { 'idempotency-key': `put-${threadId}` }
    const first = await put(threadId, 'a.txt', 'one', headers)
    const again = await put(threadId, 'a.txt', 'one', headers)
    expect(again.body.run_id).toBe(first.body.run_id)
    expect(await put(threadId, 'a.txt', 'two', headers)).toMatchObject({
      status: 409,
      body: { code: 'idempotency_conflict' },
    })
    const path = `/threads/${threadId}/files/a.txt`
    const keyed = { headers: { 'idempotency-key': `delete-${threadId}` } }
    expect((await call(box.api, 'DELETE', path, keyed)).status).toBe(204)
    expect((await call(box.api, 'DELETE', path, keyed)).status).toBe(204)
  })

  it('refuse a path that is none, and what stands in the way', async () => {
    const threadId = await thread()
    await put(threadId, 'a/b.txt', 'one')
    for (const path of ['../x', 'CON', 'a/\u202ex', '/etc/passwd', 'x\u0001y', 'n'.repeat(300)])
      expect([path, await put(threadId, path, 'x')]).toMatchObject([
        path,
        { status: 422, body: { code: 'bad_file_name', field: 'path' } },
      ])
    for (const path of ['a', 'a/b.txt/c'])
      expect(await put(threadId, path, 'x')).toMatchObject({
        status: 409,
        body: { code: 'path_taken', field: 'path' },
      })
    expect(await listed(threadId)).toEqual(['a/b.txt'])
  })

  it('leave no upload behind', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', 'one')
    const { rows } = await sql.query('select id from signalbox.upload where thread_id = $1', [
      threadId,
    ])
    expect(rows).toEqual([])
  })
})

describe('a file that is read', () => {
  it('is executed by nothing (files 4): attachment, nosniff, sandbox, no type of a page', async () => {
    const threadId = await thread()
    const page = '<html><script>alert(document.domain)</script>'
    await put(threadId, 'outputs/Ü page.html', page)
    const file = await read(threadId, 'outputs/Ü page.html')
    expect(file).toMatchObject({ status: 200, text: page })
    expect(Object.fromEntries(file.headers)).toMatchObject({
      'content-type': 'text/plain; charset=utf-8',
      'content-disposition': `attachment; filename="_ page.html"; filename*=UTF-8''%C3%9C%20page.html`,
      'x-content-type-options': 'nosniff',
      'content-security-policy': 'sandbox',
      'cache-control': 'no-store, no-transform',
    })
  })

  it.each([
    ['bytes=0-3', 206, '0123', 'bytes 0-3/10'],
    ['bytes=4-', 206, '456789', 'bytes 4-9/10'],
    ['bytes=-3', 206, '789', 'bytes 7-9/10'],
    ['bytes=-30', 206, '0123456789', 'bytes 0-9/10'],
    ['bytes=8-99', 206, '89', 'bytes 8-9/10'],
    ['bytes=0-0', 206, '0', 'bytes 0-0/10'],
    ['bytes=3-1', 200, '0123456789', null],
    ['bytes=0-1,3-4', 200, '0123456789', null],
    ['lines=1-2', 200, '0123456789', null],
    ['bytes=10-', 416, 'range_not_satisfiable', 'bytes */10'],
    ['bytes=-0', 416, 'range_not_satisfiable', 'bytes */10'],
  ])('in the range %j: %i', async (range, status, text, contentRange) => {
    const threadId = await thread()
    await put(threadId, 'a.txt', '0123456789')
    const file = await read(threadId, 'a.txt', '', { range })
    expect([file.status, file.headers.get('content-range')]).toEqual([status, contentRange])
    const told = status === 416 ? JSON.parse(file.text).code : file.text
    expect(told).toBe(text)
  })

  it('in a range only while it is the same file', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', '0123456789')
    const tag = (await read(threadId, 'a.txt')).headers.get('etag') ?? ''
    const wish = { range: 'bytes=0-1', 'if-range': tag }
    expect((await read(threadId, 'a.txt', '', wish)).status).toBe(206)
    await put(threadId, 'a.txt', 'another one')
    expect(await read(threadId, 'a.txt', '', wish)).toMatchObject({
      status: 200,
      text: 'another one',
    })
  })

  it('costs one round trip and one blob, however many files there are', async () => {
    const threadId = await thread()
    const ids = await uploaded(threadId, [
      ['a.txt', 'one'],
      ['b.txt', 'two'],
    ])
    await run(threadId, 'Look.', {}, ids)
    await run(threadId, writes('c.txt', 'three'))
    const reader = createReader({ appUrl: database.appUrl })
    const asked: string[] = []
    const counted: FileReads = {
      threadFiles: (...about) => (asked.push('files'), reader.threadFiles(...about)),
      blob: (...about) => (asked.push('blob'), reader.blob(...about)),
      digests: (...about) => (asked.push('digests'), reader.digests(...about)),
    }
    const found = await findFiles(counted, { tenantId: 'default', threadId, through: null })
    const file = found.tree.get('uploads/b.txt')
    const bytes = file ? await found.content(file) : null
    await reader.close()
    expect(Buffer.from(bytes ?? []).toString()).toBe('two')
    expect(asked).toEqual(['files', 'blob'])
  })
})

describe('a list of files', () => {
  it('comes in pages, in order, below a prefix', async () => {
    const threadId = await thread()
    for (const path of ['b/2', 'a', 'b/1', 'c']) await put(threadId, path, path)
    expect(await listed(threadId)).toEqual(['a', 'b/1', 'b/2', 'c'])
    expect(await listed(threadId, '?prefix=b%2F')).toEqual(['b/1', 'b/2'])
    const first = await call(box.api, 'GET', `/threads/${threadId}/files?limit=3`)
    const next = /<([^>]+)>; rel="next"/.exec(first.headers.get('link') ?? '')?.[1] ?? ''
    const second = await call(box.api, 'GET', next)
    expect(
      [first, second].flatMap(({ body }) => body.map((file: { path: string }) => file.path)),
    ).toEqual(['a', 'b/1', 'b/2', 'c'])
    expect(second.headers.get('link')).toBeNull()
  })

  it('refuses what it cannot know', async () => {
    const threadId = await thread()
    expect(await call(box.api, 'GET', '/threads/nothing-there/files')).toMatchObject({
      status: 404,
      body: { code: 'unknown_thread' },
    })
    const at = '01934f3e-8a10-7c3e-9d55-0b6a4f1e2c77-000003'
    expect(await call(box.api, 'GET', `/threads/${threadId}/files?at=${at}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_checkpoint', field: 'at' },
    })
    const other = await thread()
    await run(other, 'Hello.')
    const theirs = await checkpointOf(other)
    expect(await call(box.api, 'GET', `/threads/${threadId}/files?at=${theirs}`)).toMatchObject({
      status: 404,
      body: { code: 'unknown_checkpoint', field: 'at' },
    })
    expect(await call(box.api, 'GET', `/threads/${threadId}/files?at=yesterday`)).toMatchObject({
      status: 422,
      body: { code: 'invalid_request', field: 'at' },
    })
  })
})

describe('what a run changed', () => {
  it('is listed with what was there before, and its artifacts in report, values and state', async () => {
    const threadId = await thread()
    await put(threadId, 'outputs/report.md', 'draft')
    await put(threadId, 'work/old.txt', 'old')
    const lines = [writes('outputs/report.md', 'whole'), writes('notes.txt', 'n')].join('\n')
    const { body } = await run(threadId, lines)
    const { run_id } = body.run
    const { body: changed } = await call(box.api, 'GET', `/runs/${run_id}/files`)
    expect(changed).toMatchObject([
      {
        path: 'notes.txt',
        before: null,
        after: { bytes: 1 },
        artifact: false,
        changes: [{ call_id: expect.any(String) }],
      },
      { path: 'outputs/report.md', before: { bytes: 5 }, after: { bytes: 5 }, artifact: true },
    ])
    expect(changed[1].before.key).not.toBe(changed[1].after.key)
    const files = { 'outputs/report.md': { bytes: 5 } }
    expect(body.files).toEqual(files)
    const report = await call(box.api, 'GET', `/runs/${run_id}/report`)
    expect(report.body).toMatchObject({
      artifacts: [{ path: 'outputs/report.md', bytes: 5 }],
      artifacts_more: 0,
    })
    expect((await call(box.api, 'GET', `/threads/${threadId}/state`)).body.values.files).toEqual(
      files,
    )
    // The next run leaves none of its own.
    const next = await run(threadId, 'Hello.')
    expect(next.body).not.toHaveProperty('files')
  })

  it('is found by auditors by the path, whoever changed it', async () => {
    const threadId = await thread()
    const path = `outputs/${crypto.randomUUID()}.md`
    await run(threadId, writes(path, 'one'))
    await put(threadId, path, 'two')
    await box.settled()
    const query = `q=${encodeURIComponent(path)}&type=run.created&type=tool.completed`
    const found = await fed(box.api, query)
    expect(found.map((event: { type: string }) => event.type).toSorted()).toEqual([
      'run.created',
      'run.created',
      'tool.completed',
    ])
  })
})
