/**
 * Images that tools answer with: `view_image`, and what MCP servers send (context systems §13). Would catch: a file that is shown for what its name says, bytes in
 * a text, a key of another thread that is answered, an address inside of a result that is fetched.
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:http'
import { join } from 'node:path'
import type { JsonObject } from '@signalbox/core'
import type { ToolOutcome } from '@signalbox/engine'
import { describe, expect, it, onTestFinished } from 'vitest'
import { z } from 'zod'
import { jpegHead, onePixel, png, pngHead } from '../../core/test/support/images.ts'
import { defineTool } from '../src/index.ts'
import { resultOutput } from '../src/mcp/result.ts'
import {
  callTool,
  errorOf,
  everythingServer,
  hostFor,
  outputOf,
  temporaryDirectory,
  textOf,
} from './hosting.ts'
import { snapshotStore } from './snapshot-store.ts'

const small = png(3, 4)

const imagesOf = (outcome: ToolOutcome) =>
  outcome.status === 'completed' ? (outcome.images ?? []) : []

/** The tool over files that a thread has, in the register. */
function overSnapshots(files: Readonly<Record<string, Uint8Array>>) {
  const host = hostFor({ snapshots: true })
  const store = snapshotStore()
  const drafts = Object.entries(files).map(([path, bytes]) => ({ path, bytes, executable: false }))
  const events = [store.keep('r:1', drafts)]
  return {
    store,
    view: (args: JsonObject) => callTool(host, 'view_image', { args, files: store.files(events) }),
  }
}

describe('view_image', () => {
  it('answers the image of a path, and a text that stands in its place', async () => {
    const { view } = overSnapshots({ 'uploads/a.png': small })
    const outcome = await view({ path: './uploads//a.png' })
    expect(textOf(outputOf(outcome))).toBe('[image "a.png", image/png, 3 × 4, not shown]')
    expect(imagesOf(outcome)).toEqual([{ at: 0, bytes: small, name: 'a.png' }])
    expect(outcome).not.toHaveProperty('files')
  })

  it('reads the directory of a thread where files stand in one', async () => {
    const workspaceRoot = await temporaryDirectory()
    const home = join(workspaceRoot, 'tenant-1', 'thread-1')
    await mkdir(home, { recursive: true })
    await writeFile(join(home, 'a.gif'), onePixel.gif)
    const host = hostFor({ workspaceRoot })
    const outcome = await callTool(host, 'view_image', { args: { path: 'a.gif' } })
    expect(imagesOf(outcome)).toMatchObject([{ name: 'a.gif' }])
    const gone = await callTool(host, 'view_image', { args: { path: 'b.gif' } })
    expect(outputOf(gone)).toMatchObject({ isError: true, structured: { code: 'not_found' } })
  })

  it('answers an image again by the key that stands in its place, and nothing that the thread does not hold', async () => {
    const { view, store } = overSnapshots({ 'uploads/a.png': small })
    const [key = ''] = store.blobs.keys()
    expect(imagesOf(await view({ image: key }))).toEqual([{ at: 0, bytes: small }])
    const other = await view({ image: 'a key of another thread' })
    expect(outputOf(other)).toMatchObject({ isError: true, structured: { code: 'not_found' } })
  })

  it.each<readonly [string, Uint8Array, string, string]>([
    ['a.png', jpegHead(4, 4), 'image_type_mismatch', 'it is image/jpeg, and not .png'],
    ['a.png', pngHead(40_000, 40_000), 'image_too_many_pixels', '40000 × 40000 pixels'],
    ['a.png', pngHead(1, 1, 11 * 1024 * 1024), 'image_too_large', 'at most 10485760'],
    ['a.svg', Buffer.from('<svg/>'), 'not_an_image', 'it is no JPEG, PNG, WebP or GIF'],
    ['a.png', Buffer.from(small.subarray(0, 20)), 'image_broken', 'does not say how large'],
  ])('refuses %s: %#', async (path, bytes, code, words) => {
    const outcome = await overSnapshots({ [path]: bytes }).view({ path })
    expect(outputOf(outcome)).toMatchObject({ isError: true, structured: { code } })
    expect(textOf(outputOf(outcome))).toContain(words)
    expect(imagesOf(outcome)).toEqual([])
  })

  it.each([
    [{ path: '../other/a.png' }, 'bad_path'],
    [{ path: '/etc/a.png' }, 'bad_path'],
    [{ path: 'uploads' }, 'not_found'],
  ])('%j is %s', async (args, code) => {
    const outcome = await overSnapshots({ 'uploads/a.png': small }).view(args)
    expect(outputOf(outcome)).toMatchObject({ isError: true, structured: { code } })
  })

  it('takes one of the two', async () => {
    const { view } = overSnapshots({})
    for (const args of [{}, { path: 'a', image: 'b' }, { path: 1 }])
      expect(errorOf(await view(args)).code).toBe('invalid_arguments')
  })

  it('gives way to a tool of its name that a program has', async () => {
    const own = defineTool({
      name: 'view_image',
      description: 'Looks.',
      effect: 'read',
      input: z.object({ url: z.string() }),
      run: ({ url }) => `looked at ${url}`,
    })
    const host = hostFor({ snapshots: true, tools: [own] })
    const outcome = await callTool(host, 'view_image', { args: { url: 'x' } })
    expect(textOf(outputOf(outcome))).toBe('looked at x')
  })
})

describe('images of MCP servers', () => {
  it('are images beside the note that stands in their place', async () => {
    const args = [everythingServer]
    const host = hostFor({ mcpServers: { all: { command: process.execPath, args } } })
    const outcome = await callTool(host, 'mcp__all__get-tiny-image')
    const { content } = outputOf(outcome)
    const [image, ...others] = imagesOf(outcome)
    expect(others).toEqual([])
    const note = content[image?.at ?? -1]
    expect(note).toMatchObject({
      text: `[image image/png, ${image?.bytes.length} bytes, not shown]`,
    })
    expect(
      Buffer.from(image?.bytes ?? [])
        .subarray(1, 4)
        .toString(),
    ).toBe('PNG')
    expect(JSON.stringify(content)).not.toContain(
      Buffer.from(image?.bytes ?? [])
        .toString('base64')
        .slice(0, 40),
    )
  })

  const data = Buffer.from(small).toString('base64')
  const read = (content: Parameters<typeof resultOutput>[0]['content']) => resultOutput({ content })

  it('may stand in resources, and between texts', () => {
    const { output, images } = read([
      { type: 'text', text: 'before' },
      {
        type: 'resource',
        resource: { uri: 'file:///x/a.png?v=1', mimeType: 'image/png', blob: data },
      },
      { type: 'image', data, mimeType: 'image/png' },
      {
        type: 'resource',
        resource: { uri: 'file:///x/a.bin', mimeType: 'application/pdf', blob: data },
      },
    ])
    expect(images).toMatchObject([
      { at: 1, mime: 'image/png', name: 'a.png' },
      { at: 2, mime: 'image/png' },
    ])
    expect(images.every(({ bytes }) => Buffer.compare(bytes, small) === 0)).toBe(true)
    expect(output.content).toHaveLength(4)
  })

  it('with an address inside have no bytes: nothing is fetched', async () => {
    let asked = 0
    const server = createServer((_, response) => {
      asked += 1
      response.end()
    })
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => void server.close())
    const address = server.address()
    const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : 0}/a.png`
    const { output, images } = read([
      { type: 'image', data: url, mimeType: 'image/png' },
      { type: 'resource_link', uri: url, name: 'a.png', mimeType: 'image/png' },
    ])
    expect(images).toMatchObject([{ at: 0, bytes: Buffer.alloc(0) }])
    expect(textOf(output)).toContain(`[resource link ${url} "a.png"]`)
    expect(asked).toBe(0)
  })

  it('that were dropped, since the result was too large, are none', () => {
    const { output, images } = read([
      ...Array.from({ length: 256 }, () => ({ type: 'text' as const, text: 'x' })),
      { type: 'image', data, mimeType: 'image/png' },
    ])
    expect(images).toEqual([])
    expect(textOf(output)).toContain('were dropped here')
  })
})
