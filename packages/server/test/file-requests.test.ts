/**
 * Requests of strangers for files over HTTP (issue 12, bad input): conditions, ranges, two writers, a file that a run is about, names that differ in
 * letter case or form, contents that are two things at once, as many files as there may be. Would catch: an edit that is lost without a word,
 * a file in the way of another, a condition that is not asked, a page of a list that never ends.
 */
import type { Script } from '@signalbox/models'
import pg from 'pg'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createTestDatabase, type TestDatabase } from '../../postgres/test/support/database.ts'
import { hold, isHolding, letAllGo, letGo } from './support/hold.ts'
import { type Answer, call, eventually } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

/** Calls `hold` if it is told to. */
const holding: Script = (prompt, turn) =>
  turn === 0 && JSON.stringify(prompt.at(-1)).includes('hold')
    ? { calls: [{ name: 'hold', args: {} }] }
    : { text: 'Yes.' }

let database: TestDatabase
let box: TestSignalbox
let sql: pg.Client

beforeAll(async () => {
  database = await createTestDatabase()
  box = await startTest(
    {
      agents: {
        clerk: {
          model: { provider: 'scripted', model: 'holding' },
          tools: ['workspace', 'hold'],
        },
      },
      tools: [hold],
      scripts: { holding },
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
  const thread_id = `asked-${threads}`
  await call(box.api, 'POST', '/threads', { body: { thread_id } })
  return thread_id
}

const addressOf = (threadId: string, path: string): string =>
  `${box.api}/threads/${threadId}/files/${encodeURIComponent(path)}`

async function put(threadId: string, path: string, body: string | Uint8Array, headers = {}) {
  const sent = await fetch(addressOf(threadId, path), {
    method: 'PUT',
    body: new Uint8Array(Buffer.from(body)),
    headers,
  })
  const answer: Answer['body'] = await sent.json()
  return { status: sent.status, body: answer }
}

const read = async (threadId: string, path: string, headers = {}, query = '') => {
  const answer = await fetch(addressOf(threadId, path) + query, { headers })
  return { status: answer.status, headers: answer.headers, text: await answer.text() }
}

const listed = async (threadId: string): Promise<string[]> => {
  const { body } = await call(box.api, 'GET', `/threads/${threadId}/files`)
  return body.map((file: { path: string }) => file.path)
}

async function upload(threadId: string, files: readonly (readonly [string, string])[]) {
  const form = new FormData()
  for (const [name, content] of files) form.append('files', new Blob([content]), name)
  const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, { method: 'POST', body: form })
  const body: Answer['body'] = await sent.json()
  expect([sent.status, body]).toMatchObject([201, files.map(() => ({}))])
  return body.map((one: { upload_id: string }) => one.upload_id)
}

const run = (threadId: string, prompt: string, files: readonly string[] = []) =>
  call(box.api, 'POST', `/threads/${threadId}/runs/wait`, {
    body: { assistant_id: 'clerk', input: { prompt, files } },
  })

describe('a condition', () => {
  it('of who has the content already is answered without it', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', '0123456789')
    const tag = (await read(threadId, 'a.txt')).headers.get('etag') ?? ''
    expect(tag).toMatch(/^"[0-9a-f]{64}"$/)
    for (const held of [tag, `W/${tag}`, '*', `"other", ${tag}`]) {
      const same = await read(threadId, 'a.txt', { 'if-none-match': held, range: 'bytes=0-1' })
      expect([held, same.status, same.text, same.headers.get('etag')]).toEqual([held, 304, '', tag])
    }
    expect((await read(threadId, 'a.txt', { 'if-none-match': '"other"' })).status).toBe(200)
    await put(threadId, 'a.txt', 'another')
    expect((await read(threadId, 'a.txt', { 'if-none-match': tag })).text).toBe('another')
  })

  it('changes nothing of an answer that is an error (RFC 9110, section 13.2.1)', async () => {
    const threadId = await thread()
    const { key } = (await put(threadId, 'a.txt', 'to be erased')).body
    await sql.query('delete from signalbox.blob where thread_id = $1 and key = $2', [threadId, key])
    for (const held of [`"${key}"`, '*'])
      expect((await read(threadId, 'a.txt', { 'if-none-match': held })).status).toBe(410)
    expect((await read(threadId, 'b.txt', { 'if-none-match': '*' })).status).toBe(404)
  })

  it.each([
    ['PUT', 'if-match', '"x"'],
    ['PUT', 'if-none-match', '*'],
    ['PUT', 'if-unmodified-since', 'Sat, 28 Nov 2026 00:00:00 GMT'],
    ['PUT', 'content-range', 'bytes 0-1/3'],
    ['DELETE', 'if-match', '"x"'],
  ])('of a %s in %s is refused, and nothing is changed', async (method, name, value) => {
    const threadId = await thread()
    await put(threadId, 'a.txt', 'one')
    const answer = await fetch(addressOf(threadId, 'a.txt'), {
      method,
      headers: { [name]: value },
      ...(method === 'PUT' ? { body: 'two' } : {}),
    })
    expect([answer.status, await answer.json()]).toMatchObject([
      422,
      { code: 'not_available', field: name },
    ])
    expect((await read(threadId, 'a.txt')).text).toBe('one')
  })
})

describe('a file', () => {
  it('says how long it is to who asks for its head', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', '0123456789')
    const head = await fetch(addressOf(threadId, 'a.txt'), { method: 'HEAD' })
    expect(Object.fromEntries(head.headers)).toMatchObject({
      'content-length': '10',
      'accept-ranges': 'bytes',
      'content-type': 'text/plain; charset=utf-8',
      'x-content-type-options': 'nosniff',
    })
    expect([head.status, await head.text()]).toEqual([200, ''])
    // Ranges are those of GET (RFC 9110, section 14.2).
    const part = { method: 'HEAD', headers: { range: 'bytes=2-3' } }
    const whole = await fetch(addressOf(threadId, 'a.txt'), part)
    expect([whole.status, whole.headers.get('content-length')]).toEqual([200, '10'])
    expect((await fetch(addressOf(threadId, 'b.txt'), { method: 'HEAD' })).status).toBe(404)
  })

  it.each([
    ['0123456789', 'BYTES=0-1', 206, '01'],
    ['0123456789', `bytes=7-${'9'.repeat(30)}`, 206, '789'],
    ['0123456789', `bytes=${'9'.repeat(30)}-`, 416, null],
    ['0123456789', 'bytes=a-b', 200, '0123456789'],
    ['0123456789', 'bytes=', 200, '0123456789'],
    ['0123456789', 'bytes=-', 200, '0123456789'],
    ['', 'bytes=0-0', 416, null],
    ['', 'bytes=-1', 416, null],
  ])('of %j in the range %s: %i', async (content, range, status, text) => {
    const threadId = await thread()
    await put(threadId, 'a.txt', content)
    const file = await read(threadId, 'a.txt', { range })
    const said = status === 416 ? file.headers.get('content-range') : file.text
    expect([file.status, said]).toEqual([status, text ?? `bytes */${content.length}`])
  })

  it.each([
    ['GIF89a/*\u0000*/=1;alert(1)', 'image/gif'],
    ['%PDF-1.7\n<html><script>alert(1)</script>', 'application/pdf'],
    ['\u00ff\u00d8\u00ff<?php system($_GET[0]); ?>', 'image/jpeg'],
    ['PK\u0003\u0004<script>alert(1)</script>', 'application/zip'],
    ['<svg xmlns="http://www.w3.org/2000/svg" onload="alert(1)"/>', 'text/plain; charset=utf-8'],
    ['<?xml version="1.0"?><?xml-stylesheet href="x"?>', 'text/plain; charset=utf-8'],
    ['#!/bin/sh\nrm -rf /', 'text/plain; charset=utf-8'],
  ])('that is two things at once, %j, is executed as none of them', async (content, type) => {
    const threadId = await thread()
    await put(threadId, 'a.html', Buffer.from(content, 'latin1'))
    const { headers } = await read(threadId, 'a.html')
    expect(headers.get('content-type')).toBe(type)
    expect(headers.get('content-disposition')).toMatch(/^attachment;/)
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toBe('sandbox')
  })

  it('that a run is about is read, and not written before the run is over', async () => {
    const threadId = await thread()
    await put(threadId, 'a.txt', 'one')
    const { body } = await call(box.api, 'POST', `/threads/${threadId}/runs`, {
      body: { assistant_id: 'clerk', input: { prompt: 'hold' } },
    })
    const runId = String(body.run_id)
    await eventually(async () => isHolding(runId))
    expect((await read(threadId, 'a.txt')).text).toBe('one')
    expect(await put(threadId, 'a.txt', 'two')).toMatchObject({
      status: 422,
      body: { code: 'thread_busy', field: 'thread_id' },
    })
    const gone = await call(box.api, 'DELETE', `/threads/${threadId}/files/a.txt`)
    expect(gone).toMatchObject({ status: 422, body: { code: 'thread_busy' } })
    letGo(runId)
    await call(box.api, 'GET', `/threads/${threadId}/runs/${runId}/join`)
    expect((await put(threadId, 'a.txt', 'two')).status).toBe(200)
    const { rows } = await sql.query('select id from signalbox.upload where thread_id = $1', [
      threadId,
    ])
    expect(rows).toEqual([])
  })

  it('that is deleted and written again is another one, and each was there in its time', async () => {
    const threadId = await thread()
    const first = await put(threadId, 'a.txt', 'one')
    expect((await call(box.api, 'DELETE', `/threads/${threadId}/files/a.txt`)).status).toBe(204)
    const gone = (await call(box.api, 'GET', `/threads/${threadId}/state`)).body.checkpoint
    const second = await put(threadId, 'a.txt', 'two')
    expect([first.status, second.status]).toEqual([201, 201])
    const at = (id: string) => read(threadId, 'a.txt', {}, `?at=${id}`)
    expect((await at(first.body.checkpoint_id)).text).toBe('one')
    expect((await at(gone.checkpoint_id)).status).toBe(404)
    expect((await at(second.body.checkpoint_id)).text).toBe('two')
  })
})

describe('two writers at once', () => {
  it('of one file are one after the other, and each is told which edit was made', async () => {
    const threadId = await thread()
    const texts = ['a', 'b', 'c', 'd', 'e', 'f']
    const answers = await Promise.all(texts.map((text) => put(threadId, 'a.txt', text)))
    const made = answers.flatMap(({ status, body }, n) =>
      status < 300 ? [{ text: texts[n], at: String(body.checkpoint_id) }] : [],
    )
    expect(made.length).toBeGreaterThan(0)
    const refused = answers.filter(({ status }) => status >= 300)
    for (const { status, body } of refused)
      expect([status, body.code]).toEqual([422, 'thread_busy'])
    for (const { text, at } of made)
      expect((await read(threadId, 'a.txt', {}, `?at=${at}`)).text).toBe(text)
    expect(made.map(({ text }) => text)).toContain((await read(threadId, 'a.txt')).text)
  })

  it('leave no file where a directory is', async () => {
    for (let n = 0; n < 4; n += 1) {
      const threadId = await thread()
      const answers = await Promise.all([put(threadId, 'd', 'x'), put(threadId, 'd/e', 'y')])
      for (const { status } of answers) expect([201, 409, 422]).toContain(status)
      const paths = await listed(threadId)
      expect(paths).toHaveLength(1)
      expect((await read(threadId, paths[0] ?? '')).status).toBe(200)
    }
  })

  it('of one request are one: what was written since is not in its way', async () => {
    const threadId = await thread()
    const keyed = { 'idempotency-key': `once-${threadId}` }
    const first = await put(threadId, 'a', 'one', keyed)
    await call(box.api, 'DELETE', `/threads/${threadId}/files/a`)
    await put(threadId, 'a/b', 'two')
    const again = await put(threadId, 'a', 'one', keyed)
    expect(again.body.run_id).toBe(first.body.run_id)
    expect(await listed(threadId)).toEqual(['a/b'])
  })
})

describe('names', () => {
  it('that differ in letter case or form alone get a number; a path is read in either form', async () => {
    const threadId = await thread()
    const ids = await upload(threadId, [
      ['Cafe\u0301.txt', 'one'],
      ['CAF\u00c9.TXT', 'two'],
    ])
    await run(threadId, 'Look.', ids)
    expect(await listed(threadId)).toEqual(['uploads/CAF\u00c9 (2).TXT', 'uploads/Caf\u00e9.txt'])
    expect((await read(threadId, 'uploads/Cafe\u0301.txt')).text).toBe('one')
    const prefix = encodeURIComponent('uploads/Cafe\u0301')
    const below = await call(box.api, 'GET', `/threads/${threadId}/files?prefix=${prefix}`)
    expect(below.body).toMatchObject([{ path: 'uploads/Caf\u00e9.txt' }])
    await put(threadId, 'uploads/Cafe\u0301.txt', 'three')
    expect((await read(threadId, 'uploads/Caf\u00e9.txt')).text).toBe('three')
  })

  it('that calls gave in another form are deleted once by a request that is repeated', async () => {
    const threadId = await thread()
    // As a tool may leave it: names of calls are kept as they are.
    const path = 'Cafe\u0301.txt'
    const { body } = await put(threadId, 'a.txt', 'x')
    const rename =
      "update signalbox.event set payload = jsonb_set(payload, '{files,0,path}', to_jsonb($2::text)) where run_id = $1 and seq = 1"
    await sql.query(rename, [body.run_id, path])
    expect(await listed(threadId)).toEqual([path])
    const keyed = { method: 'DELETE', headers: { 'idempotency-key': `delete-${threadId}` } }
    for (const _ of [1, 2]) expect((await fetch(addressOf(threadId, path), keyed)).status).toBe(204)
    expect(await listed(threadId)).toEqual([])
  })

  it('that are not UTF-8, and contents that are encoded, are refused and kept nowhere', async () => {
    const threadId = await thread()
    const post = async (head: string, encoding: BufferEncoding) => {
      const sent = await fetch(`${box.api}/threads/${threadId}/uploads`, {
        method: 'POST',
        headers: { 'content-type': 'multipart/form-data; boundary=B' },
        body: new Uint8Array(Buffer.from(`--B\r\n${head}\r\n\r\nWA==\r\n--B--\r\n`, encoding)),
      })
      return [sent.status, await sent.json()]
    }
    const named = 'Content-Disposition: form-data; name="files"; filename="\u00fc.txt"'
    const wrong = [400, { code: 'malformed_multipart' }]
    expect(await post(named, 'latin1')).toMatchObject(wrong)
    const encoded = `${named}\r\nContent-Transfer-Encoding: base64`
    expect(await post(encoded, 'utf8')).toMatchObject(wrong)
    const plain = `${named}\r\nContent-Transfer-Encoding: BINARY`
    expect(await post(plain, 'utf8')).toMatchObject([201, [{ name: '\u00fc.txt' }]])
  })

  it('below skills/ are kept for the configuration', async () => {
    const threadId = await thread()
    for (const path of ['skills', 'skills/a/SKILL.md', './skills//b'])
      expect(await put(threadId, path, 'x')).toMatchObject({
        status: 409,
        body: { code: 'path_taken', field: 'path' },
      })
    expect((await put(threadId, 'skills.md', 'x')).status).toBe(201)
  })
})

it('an upload of a thread is none of its copy, nor the other way round', async () => {
  const threadId = await thread()
  const [named, open] = await upload(threadId, [
    ['a.txt', 'one'],
    ['b.txt', 'two'],
  ])
  await run(threadId, 'Look.', [named])
  const copy = (await call(box.api, 'POST', `/threads/${threadId}/copy`)).body.thread_id
  const unknown = { status: 404, body: { code: 'unknown_upload', field: 'input.files' } }
  for (const id of [named, open]) expect(await run(copy, 'Look.', [id])).toMatchObject(unknown)
  const [own] = await upload(copy, [['a.txt', 'mine']])
  expect(await run(threadId, 'Look.', [own])).toMatchObject(unknown)
  await run(copy, 'Look.', [own])
  expect(await listed(copy)).toEqual(['uploads/a (2).txt', 'uploads/a.txt'])
  expect((await read(copy, 'uploads/a.txt')).text).toBe('one')
  await run(threadId, 'Look.', [open])
  expect(await listed(threadId)).toEqual(['uploads/a.txt', 'uploads/b.txt'])
})

it('10,000 files come in pages, and there is no room for one more', async () => {
  const threadId = await thread()
  const perEdit = 2000
  const texts = new Map<string, string>()
  for (let edit = 0; edit < 5; edit += 1) {
    // As a call leaves it that changes many: its event names the list, and the list is a blob.
    const { body } = await put(threadId, 'seed.txt', `${edit}`)
    const list = Array.from({ length: perEdit }, (_, n) => ({
      path: `work/${String(edit * perEdit + n).padStart(5, '0')}.txt`,
      key: body.key,
      bytes: 1,
    }))
    for (const { path } of list) texts.set(path, `${edit}`)
    const manifest = `list-${edit}`
    const blob =
      'insert into signalbox.blob (tenant_id, thread_id, key, mime, bytes) values ($1, $2, $3, $4, $5)'
    const bytes = Buffer.from(JSON.stringify(list))
    await sql.query(blob, ['default', threadId, manifest, 'application/json', bytes])
    const name =
      "update signalbox.event set payload = jsonb_set(payload, '{files}', $2::jsonb) where run_id = $1 and seq = 1"
    await sql.query(name, [body.run_id, JSON.stringify({ manifest, count: perEdit })])
  }
  const paths: string[] = []
  let address: string | undefined = `/threads/${threadId}/files`
  let pages = 0
  while (address !== undefined) {
    const page: Answer = await call(box.api, 'GET', address)
    paths.push(...page.body.map((file: { path: string }) => file.path))
    address = /<([^>]+)>; rel="next"/.exec(page.headers.get('link') ?? '')?.[1]
    pages += 1
  }
  expect(pages).toBe(10)
  expect(paths).toEqual([...texts.keys()])
  expect((await read(threadId, 'work/09999.txt')).text).toBe('4')
  expect(await put(threadId, 'one-more.txt', 'x')).toMatchObject({
    status: 409,
    body: { code: 'files_full' },
  })
  expect((await put(threadId, 'work/00000.txt', 'in its place')).status).toBe(200)
  const ids = await upload(threadId, [['a.txt', 'one']])
  expect(await run(threadId, 'Look.', ids)).toMatchObject({
    status: 409,
    body: { code: 'files_full' },
  })
})
