/**
 * What becomes of images later (context systems §13, §19 images 3 and 4): another model, a provider that objects, their address, their erasure. Would
 * catch: a thread that one bad image ends, a request that is made again for what a picture shows, bytes in an event, an image of another thread.
 */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { png } from '../../core/test/support/images.ts'
import { call } from './support/http.ts'
import {
  base64,
  givenBy,
  payloadsOf,
  shownIn,
  textsIn,
  type Seeing,
  startSeeing,
} from './support/seeing.ts'

let seeing: Seeing
beforeAll(async () => void (seeing = await startSeeing()))
afterAll(() => seeing?.stop())
const thread = () => seeing.thread()
const run = (...asked: Parameters<Seeing['run']>) => seeing.run(...asked)

const fetched = (threadId: string, key: string, headers: Record<string, string> = {}) =>
  fetch(`${seeing.box.api}/threads/${threadId}/images/${key}`, { headers })

describe('a model that takes no images', () => {
  it('that takes over is told in words, and the log says how many were left out', async () => {
    const { events, bodies, body } = await run(await thread(), 'Look.', {
      assistant: 'falls',
      files: { 'a.png': png(8, 6), 'b.png': png(9, 6) },
    })
    expect(body.outcome).toBe('completed')
    expect(payloadsOf(events, 'model.replaced')).toMatchObject([
      { from: 'down', to: 'blind', images: 2 },
    ])
    expect(shownIn(bodies.at(-1) ?? '')).toEqual([])
    expect(textsIn(bodies.at(-1) ?? '')).toContain(
      '[image \\"a.png\\", image/png, 8 × 6: not shown, this model takes no images]',
    )
    expect(payloadsOf(events, 'model.completed').at(-1).turn.imagesLeftOut).toBe(2)
    const metrics = await fetch(`${seeing.box.api}/metrics`)
    const text = await metrics.text()
    expect(text).toMatch(
      /signalbox_model_images_total\{[^}]*model="blind"[^}]*what="left_out"[^}]*\} 2/,
    )
    expect(text).toMatch(
      /signalbox_model_images_total\{[^}]*model="down"[^}]*what="shown"[^}]*\} 2/,
    )
  })
})

describe('an image that a provider objects to', () => {
  it('gives way, and neither the run nor its thread ends by it', async () => {
    const threadId = await thread()
    const { events, bodies, body } = await run(threadId, 'Look.', {
      assistant: 'picky',
      files: { 'a.png': png(8, 6) },
    })
    expect(body.outcome).toBe('completed')
    expect(bodies.map((each) => shownIn(each).length)).toEqual([1, 0])
    expect(payloadsOf(events, 'context.pruned')).toMatchObject([
      { turn: 1, images: 1, results: 0, rule: { images: 0 } },
    ])
    expect(textsIn(bodies[1] ?? '')).toMatch(/\[image .*key [0-9a-f]{64}: left out to save room\]/)
    const next = await run(threadId, 'And now?', { assistant: 'picky' })
    expect(next.body.outcome).toBe('completed')
    expect(next.bodies).toHaveLength(1)
  })

  it('for what it shows is a matter of safety: the request is not made again, nor of another model', async () => {
    const { events, bodies, body } = await run(await thread(), 'Look.', {
      assistant: 'filtered',
      files: { 'a.png': png(8, 6) },
    })
    expect(body.outcome).not.toBe('completed')
    expect(bodies).toHaveLength(1)
    expect(payloadsOf(events, 'model.replaced')).toEqual([])
    expect(payloadsOf(events, 'context.pruned')).toEqual([])
  })
})

describe('the address of an image', () => {
  it('answers the bytes, once', async () => {
    const threadId = await thread()
    const bytes = png(6, 6, 2)
    const { events } = await run(threadId, 'Look.', { files: { 'a.png': bytes } })
    const { key } = givenBy(events)[0]
    const answer = await fetched(threadId, key)
    expect([answer.status, answer.headers.get('content-type')]).toEqual([200, 'image/png'])
    expect(
      createHash('sha256')
        .update(Buffer.from(await answer.arrayBuffer()))
        .digest('hex'),
    ).toBe(createHash('sha256').update(bytes).digest('hex'))
    const again = await fetched(threadId, key, {
      'if-none-match': answer.headers.get('etag') ?? '',
    })
    expect(again.status).toBe(304)
    const copy = (await call(seeing.box.api, 'POST', `/threads/${threadId}/copy`)).body.thread_id
    expect((await fetched(copy, key)).status).toBe(200)
  })

  it.each([
    ['an unknown thread', 'nowhere', 'a'.repeat(64), 404, 'unknown_thread'],
    ['an unknown key', null, 'a'.repeat(64), 404, 'unknown_image'],
    ['no key', null, '..', 404, ''],
  ])('of %s is none', async (_, named, key, status, code) => {
    const at = `/threads/${named ?? (await thread())}/images/${key}`
    const answer = await call(seeing.box.api, 'GET', at)
    expect(answer.status).toBe(status)
    if (code !== '') expect(answer.body.code).toBe(code)
  })

  it('of a file that is no image is none: texts have addresses of their own', async () => {
    const threadId = await thread()
    const { events } = await run(threadId, 'Look.', { files: { 'a.txt': Buffer.from('words') } })
    const answer = await fetched(threadId, givenBy(events)[0].key)
    expect([answer.status, (await answer.json()).code]).toEqual([404, 'unknown_image'])
  })

  it('of an image of another thread is none', async () => {
    const [one, other] = [await thread(), await thread()]
    const { events } = await run(one, 'Look.', { files: { 'a.png': png() } })
    expect((await fetched(other, givenBy(events)[0].key)).status).toBe(404)
  })
})

describe('an image that was erased', () => {
  it('is 410, and a line in later requests; the run goes on', async () => {
    const threadId = await thread()
    const first = await run(threadId, 'Look.', { files: { 'a.png': png(8, 8) } })
    const { key } = givenBy(first.events)[0]
    await seeing.sql.query('delete from signalbox.blob where thread_id = $1 and key = $2', [
      threadId,
      key,
    ])
    const gone = await fetched(threadId, key)
    expect([gone.status, (await gone.json()).code]).toEqual([410, 'content_erased'])
    const { events, bodies, body } = await run(threadId, 'And now?')
    expect(body.outcome).toBe('completed')
    expect(shownIn(bodies[0] ?? '')).toEqual([])
    expect(textsIn(bodies[0] ?? '')).toContain(
      '[image \\"a.png\\", image/png, 8 × 8: not shown, its content was erased]',
    )
    expect(payloadsOf(events, 'model.completed')[0].turn.imagesLeftOut).toBe(1)
  })
})

it('the bytes of images are in no event, no job and no log', async () => {
  const threadId = await thread()
  // The content of a PNG is compressed: only its own words can be looked for.
  const canary = 'canary-7f3a9c-of-an-image'
  const bytes = Buffer.concat([png(9, 9), Buffer.from(canary)])
  await run(threadId, 'view_image {"path":"uploads/a.png"}', { files: { 'a.png': bytes } })
  await run(threadId, 'Look.', { assistant: 'picky' })
  await run(threadId, 'Look.', { assistant: 'falls' })
  const forms = [0, 1, 2].map((shift) => {
    // Whatever stands before it, base64 has one of three forms.
    const text = base64(Buffer.concat([Buffer.alloc(shift), Buffer.from(canary)]))
    return text.slice(4, -4)
  })
  const wanted = [canary, Buffer.from(canary).toString('hex'), ...forms]
  const { rows: tables } = await seeing.sql.query(
    `select table_name as name from information_schema.tables
     where table_schema = 'signalbox' and table_type = 'BASE TABLE'
     and table_name not in ('blob', 'upload_part')`,
  )
  for (const { name } of tables) {
    const { rows } = await seeing.sql.query(`select t::text as row from signalbox."${name}" as t`)
    const all = rows.map(({ row }) => String(row)).join('\n')
    for (const words of wanted) expect([name, all.includes(words)]).toEqual([name, false])
  }
  const logged = seeing.box.logged.join('\n')
  for (const words of wanted) expect(logged.includes(words)).toBe(false)
  // It is where it belongs.
  const { rows } = await seeing.sql.query('select bytes from signalbox.blob where thread_id = $1', [
    threadId,
  ])
  expect(rows.some((row) => Buffer.from(row.bytes).includes(canary))).toBe(true)
  expect(seeing.bodies.some((body) => forms.some((form) => body.includes(form)))).toBe(true)
})
