/**
 * Images that users upload, files show and MCP servers send, to the request of a provider (context systems §13, §18 row 23, §19 images 1 and 2). Would
 * catch: an image that a model is not shown, or is shown for what its name says; one that stands between calls and results; an address that is
 * fetched.
 */
import { createServer } from 'node:http'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { jpegHead, onePixel, png, pngHead } from '../../core/test/support/images.ts'
import { call } from './support/http.ts'
import {
  base64,
  dataUrl,
  givenBy,
  payloadsOf,
  resultOf,
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

describe('an upload that is an image', () => {
  it('is shown at once, in the message that it came with, behind the list of files', async () => {
    const bytes = png(8, 6, 3)
    const { events, bodies, body } = await run(await thread(), 'Look.', {
      files: { 'a.png': bytes, 'notes.txt': Buffer.from('x') },
    })
    expect(body.outcome).toBe('completed')
    const key = expect.stringMatching(/^[0-9a-f]{64}$/)
    expect(givenBy(events)).toEqual([
      {
        path: 'uploads/a.png',
        key,
        bytes: bytes.length,
        mime: 'image/png',
        image: { width: 8, height: 6 },
      },
      { path: 'uploads/notes.txt', key, bytes: 1, mime: 'text/plain; charset=utf-8' },
    ])
    const [said] = JSON.parse(bodies[0] ?? '').messages
    expect(said.content).toEqual([
      { type: 'text', text: 'Look.' },
      { type: 'text', text: expect.stringContaining('<files>') },
      { type: 'text', text: '[image "a.png", image/png, 8 × 6]' },
      { type: 'image_url', image_url: { url: dataUrl(bytes) } },
    ])
    expect(payloadsOf(events, 'model.completed')[0].images).toBe(1)
  })

  it('is shown in later turns and runs, and a file that changed later changes nothing', async () => {
    const threadId = await thread()
    const bytes = png(5, 5, 9)
    await run(threadId, 'Look.', { files: { 'a.png': bytes } })
    const other = await fetch(`${seeing.box.api}/threads/${threadId}/files/uploads%2Fa.png`, {
      method: 'PUT',
      body: 'words',
    })
    expect(other.ok).toBe(true)
    const { bodies } = await run(threadId, 'And now?')
    expect(shownIn(bodies[0] ?? '')).toEqual([dataUrl(bytes)])
    const fork = (await call(seeing.box.api, 'POST', `/threads/${threadId}/copy`)).body.thread_id
    const { bodies: copied } = await run(fork, 'And here?')
    expect(shownIn(copied[0] ?? '')).toEqual([dataUrl(bytes)])
  })

  it('is a file as ever where the model sees none: the same event and the same request (C3)', async () => {
    const files = { 'a.png': png(8, 6, 3) }
    const blind = await run(await thread(), 'Look.', { assistant: 'blind', files })
    expect(givenBy(blind.events)[0]).not.toHaveProperty('image')
    expect(blind.bodies[0]).not.toContain('image_url')
    expect(blind.bodies[0]).not.toContain('view_image')
    expect(blind.events.map(({ type }: { type: string }) => type)).toEqual(
      (await run(await thread(), 'Look.', { assistant: 'blind' })).events.map(
        ({ type }: { type: string }) => type,
      ),
    )
    expect(payloadsOf(blind.events, 'model.completed')[0]).not.toHaveProperty('images')
  })

  it.each<readonly [string, string, Uint8Array, string, string]>([
    [
      'of 40,000 × 40,000 pixels',
      'a.png',
      pngHead(40_000, 40_000),
      'image_too_many_pixels',
      'it has too many pixels',
    ],
    [
      'of another type than its name says',
      'a.png',
      jpegHead(4, 4),
      'image_type_mismatch',
      'its name says another type',
    ],
    ['that is none', 'a.jpg', Buffer.from('<html>'), 'not_an_image', ''],
    ['that ends in its head', 'a.png', png().slice(0, 20), 'image_broken', ''],
    ['of 11 MiB', 'a.png', pngHead(4, 4, 11 * 1024 * 1024), 'image_too_large', ''],
  ])('%s is a file, is not shown, and the run goes on', async (_, name, bytes, code, words) => {
    const { events, bodies, body } = await run(await thread(), 'Look.', {
      files: { [name]: bytes },
    })
    expect(body.outcome).toBe('completed')
    expect(givenBy(events)).toMatchObject([{ path: `uploads/${name}`, image: { refused: code } }])
    expect(shownIn(bodies[0] ?? '')).toEqual([])
    expect(textsIn(bodies[0] ?? '')).toContain(`not shown: ${words}`)
  })

  it('that is another file as well is what it begins as, and is served as that alone', async () => {
    const threadId = await thread()
    const polyglot = Buffer.concat([onePixel.gif, Buffer.from('<script>alert(1)</script>')])
    const { events, bodies } = await run(threadId, 'Look.', { files: { 'a.gif': polyglot } })
    expect(shownIn(bodies[0] ?? '')).toEqual([dataUrl(polyglot, 'image/gif')])
    const answer = await fetched(threadId, givenBy(events)[0].key)
    expect(answer.headers.get('content-type')).toBe('image/gif')
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff')
    expect(answer.headers.get('content-disposition')).toContain('attachment')
    expect(Buffer.from(await answer.arrayBuffer())).toEqual(polyglot)
  })

  it('one of twenty at once: eight are shown, of the others it is said', async () => {
    const files = Object.fromEntries(
      Array.from({ length: 20 }, (_, n) => [`i${n}.png`, png(2 + n, 2, n)] as const),
    )
    const { events, bodies, body } = await run(await thread(), 'Look.', { files })
    expect(body.outcome).toBe('completed')
    const marks = givenBy(events).map((file: { image: object }) => file.image)
    expect(marks.filter((mark: object) => 'width' in mark)).toHaveLength(8)
    expect(marks.slice(8)).toEqual(
      Array.from({ length: 12 }, () => ({ refused: 'too_many_images' })),
    )
    expect(shownIn(bodies[0] ?? '')).toHaveLength(8)
    // The list names ten.
    expect(textsIn(bodies[0] ?? '').match(/not shown: there are too many images/g)).toHaveLength(2)
  })

  it('whose size stands behind much that a camera wrote is shown', async () => {
    // 40 segments of 64 kB each before the frame.
    const segment = Buffer.concat([Buffer.from([0xff, 0xe2, 0xff, 0xff]), Buffer.alloc(65_533)])
    const head = jpegHead(640, 480)
    const bytes = Buffer.concat([
      Buffer.from([0xff, 0xd8]),
      ...Array.from({ length: 40 }, () => segment),
      head.slice(2),
    ])
    const { events } = await run(await thread(), 'Look.', { files: { 'a.jpg': bytes } })
    expect(givenBy(events)[0].image).toEqual({ width: 640, height: 480 })
  })
})

describe('view_image', () => {
  it('shows an image of the files behind all results of its turn (I24)', async () => {
    const threadId = await thread()
    const bytes = png(7, 3, 1)
    await run(threadId, 'Keep it.', { assistant: 'blind', files: { 'a.png': bytes } })
    const order = ['view_image {"path":"uploads/a.png"}', 'list_directory {"path":"uploads"}'].join(
      '\n',
    )
    const { events, bodies, body } = await run(threadId, order)
    expect(body.outcome).toBe('completed')
    expect(resultOf(events)).toEqual([
      {
        type: 'image',
        key: expect.stringMatching(/^[0-9a-f]{64}$/),
        mime: 'image/png',
        bytes: bytes.length,
        width: 7,
        height: 3,
        name: 'a.png',
      },
    ])
    const { messages } = JSON.parse(bodies[1] ?? '')
    expect(messages.slice(-3).map(({ role }: { role: string }) => role)).toEqual([
      'tool',
      'tool',
      'user',
    ])
    expect(messages.at(-3).content).toBe(
      '[image "a.png", image/png, 7 × 3, shown behind the results]',
    )
    expect(messages.at(-1).content).toEqual([
      { type: 'text', text: '[image "a.png", image/png, 7 × 3, of a result of view_image]' },
      { type: 'image_url', image_url: { url: dataUrl(bytes) } },
    ])
  })

  it('refuses what is no image by name, and the run goes on', async () => {
    const threadId = await thread()
    const { events, body } = await run(threadId, 'view_image {"path":"gone.png"}')
    expect(body.outcome).toBe('completed')
    expect(payloadsOf(events, 'tool.completed')[0].output).toMatchObject({
      isError: true,
      structured: { code: 'not_found' },
    })
  })

  it('is a tool of the catalogue only for agents that see', async () => {
    const { bodies } = await run(await thread(), 'Hello.')
    const names = JSON.parse(bodies[0] ?? '').tools.map(
      (tool: { function: { name: string } }) => tool.function.name,
    )
    expect(names).toContain('view_image')
  })
})

describe('an image of an MCP server', () => {
  const look = (content: readonly object[]): string =>
    `mcp__echo__look ${JSON.stringify({ content })}`

  it('is shown to a model that sees, and a note to one that does not', async () => {
    const bytes = png(4, 4, 4)
    const order = look([{ type: 'image', data: base64(bytes), mimeType: 'image/png' }])
    const seen = await run(await thread(), order)
    expect(resultOf(seen.events)).toMatchObject([{ type: 'image', width: 4, height: 4 }])
    expect(shownIn(seen.bodies[1] ?? '')).toEqual([dataUrl(bytes)])
    const blind = await run(await thread(), order, { assistant: 'blind' })
    expect(resultOf(blind.events)).toEqual([
      { type: 'text', text: `[image image/png, ${bytes.length} bytes, not shown]` },
    ])
  })

  it('with an address inside is not fetched, and the run goes on', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.end(png())
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/a.png`
    const link = { type: 'resource_link', uri: url, name: 'a.png', mimeType: 'image/png' }
    const linked = await run(await thread(), look([link]))
    expect(linked.body.outcome).toBe('completed')
    expect(resultOf(linked.events)).toEqual([
      { type: 'text', text: `[resource link ${url} "a.png"]` },
    ])
    // An address is no base64: the protocol does not have such a result.
    const sent = await run(
      await thread(),
      look([{ type: 'image', data: url, mimeType: 'image/png' }]),
    )
    expect(sent.body.outcome).toBe('completed')
    expect(payloadsOf(sent.events, 'tool.failed')).toMatchObject([
      { error: { code: 'mcp_result_unreadable' } },
    ])
    for (const { bodies } of [linked, sent]) expect(shownIn(bodies[1] ?? '')).toEqual([])
    expect(asked).toBe(0)
  })

  it('whose type its bytes deny is not shown', async () => {
    const order = look([{ type: 'image', data: base64(png()), mimeType: 'image/webp' }])
    const { events } = await run(await thread(), order)
    expect(resultOf(events)).toEqual([{ type: 'text', text: expect.stringMatching(/image\/png/) }])
  })
})
