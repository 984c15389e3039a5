/**
 * Images that tools answer with (context systems §13, §18 row 23, §19 images 1 and 3). Would catch: bytes in an event, an image that is shown
 * although its bytes deny what is said of it, an agent without vision whose results change, a rerun whose images stay behind, a request that is
 * made without the image that its prompt names.
 */
import { readFact } from '@signalbox/core'
import {
  type Engine,
  type ImageDraft,
  type Model,
  type ModelRequest,
  type StoredEvent,
  systemClock,
  type ToolHost,
} from '@signalbox/engine'
import { createMemoryRegister, type MemoryRegister } from '@signalbox/testing/memory'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { onePixel, png, pngHead } from '../../core/test/support/images.ts'
import { begin, caller, eventOf, outcomeOf } from './support/governed.ts'
import { agent, functionTools, type Turn, turnModel, world } from './support/world.ts'

let register: MemoryRegister
const stops: (() => Promise<void>)[] = []
beforeEach(() => void (register = createMemoryRegister(systemClock)))
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop()
})

const vision = { model: { provider: 'scripted', model: 'test', vision: true } } as const
const shoot: Turn = [{ tool: 'shoot', args: {} }]

/** A tool that answers with a text, and in the places behind it with images. */
function shooting(images: readonly Omit<ImageDraft, 'at'>[]): ToolHost {
  const host = functionTools({ shoot: async () => null })
  const note = (n: number) => ({ type: 'text' as const, text: `[image ${n}, not shown]` })
  return {
    ...host,
    call: async () => ({
      status: 'completed',
      output: {
        content: [{ type: 'text', text: 'shot' }, ...images.map((_, n) => note(n))],
        isError: false,
      },
      images: images.map((image, n) => ({ ...image, at: n + 1 })),
    }),
  }
}

/** A model that plays these turns, and keeps each request and the images that it could read. */
function seeing(turns: readonly Turn[]) {
  const played = turnModel(turns)
  const requests: ModelRequest[] = []
  const seen: (Uint8Array | null)[][] = []
  const model: Model = {
    async call(request, sink, signal) {
      requests.push(request)
      const keys = request.prompt.flatMap((message) => {
        const parts =
          message.role === 'tool'
            ? message.results.flatMap(({ output }) => output.content)
            : message.role === 'user'
              ? message.parts
              : []
        return parts.flatMap((part) => (part.type === 'image' ? [part.key] : []))
      })
      seen.push(await Promise.all(keys.map(async (key) => (await request.images?.(key)) ?? null)))
      return played.call(request, sink, signal)
    },
  }
  return { model, requests, seen }
}

async function start(model: Model, tools: ToolHost): Promise<Engine> {
  const { engine } = world({ model, tools, register })
  await engine.start()
  stops.push(() => engine.stop(1_000))
  return engine
}

/** A run of one call, and its result. */
async function result(
  images: readonly Omit<ImageDraft, 'at'>[],
  more: typeof vision | object = vision,
) {
  const tools = shooting(images)
  const { model, seen, requests } = seeing([shoot, 'done'])
  const engine = await start(model, tools)
  const runId = await begin(engine, agent(await tools.specs(), { ...more }))
  expect(await outcomeOf(register, runId)).toBe('completed')
  const event = await eventOf(register, runId, 'tool.completed')
  return { engine, runId, event, seen, requests, content: contentOf(event) }
}

const contentOf = (event: StoredEvent) => {
  const fact = readFact(event)
  return fact?.type === 'tool.completed' ? fact.payload.output.content : []
}

test('an image of a result is a blob of the thread, and a part that names it; its bytes are in no event', async () => {
  const bytes = png(8, 6)
  const { runId, content, seen } = await result([{ bytes, name: 'chart.png' }])
  expect(content).toEqual([
    { type: 'text', text: 'shot' },
    {
      type: 'image',
      key: expect.stringMatching(/^[0-9a-f]{64}$/),
      mime: 'image/png',
      bytes: bytes.length,
      width: 8,
      height: 6,
      name: 'chart.png',
    },
  ])
  expect([...register.tables.blobs.values()].map(({ mime }) => mime)).toEqual(['image/png'])
  // The first request had none; the second was made with it.
  expect(seen).toEqual([[], [bytes]])
  const log = JSON.stringify(await register.events(runId, {}))
  expect(log).not.toContain(Buffer.from(bytes).toString('base64').slice(0, 24))
})

test('the fact of an answer says how many images its request had', async () => {
  const { runId } = await result([{ bytes: png() }, { bytes: png(3) }])
  expect((await eventOf(register, runId, 'model.completed', 0)).payload).not.toHaveProperty(
    'images',
  )
  expect((await eventOf(register, runId, 'model.completed', 1)).payload['images']).toBe(2)
})

test('an agent whose model sees none has the result that it always had (C3)', async () => {
  const images = [{ bytes: png(), name: 'chart.png' }]
  const { content, requests } = await result(images, {})
  expect(content).toEqual([
    { type: 'text', text: 'shot' },
    { type: 'text', text: '[image 0, not shown]' },
  ])
  expect(register.tables.blobs.size).toBe(0)
  expect(JSON.stringify(requests[1]?.prompt)).not.toContain('"type":"image"')
})

describe('an image is not shown, and its words say why', () => {
  test.each([
    ['whose bytes are none', { bytes: Buffer.from('<html>') }, /^\[image 0, not shown: .*\]$/],
    ['that says it is another', { bytes: png(), mime: 'image/jpeg' }, /image\/png/],
    ['whose name says so', { bytes: png(), name: 'a.gif' }, /image\/png/],
    ['of 40,000 × 40,000 pixels', { bytes: pngHead(40_000, 40_000) }, /pixels/],
    ['that is broken', { bytes: pngHead(2, 2).slice(0, 20) }, /not shown: /],
  ])('%s', async (_, image, words) => {
    const { content } = await result([image])
    expect(content).toEqual([
      { type: 'text', text: 'shot' },
      { type: 'text', text: expect.stringMatching(words) },
    ])
    expect(register.tables.blobs.size).toBe(0)
  })

  test('that is one of too many: eight of twenty are shown', async () => {
    const { content, seen } = await result(
      Array.from({ length: 20 }, (_, n) => ({ bytes: png(n + 1) })),
    )
    expect(content.map(({ type }) => type)).toEqual([
      'text',
      ...Array.from({ length: 8 }, () => 'image'),
      ...Array.from({ length: 12 }, () => 'text'),
    ])
    expect(content.at(-1)).toEqual({
      type: 'text',
      text: expect.stringMatching(/^\[image 19, not shown: a result shows at most 8 images/),
    })
    expect(seen[1]).toHaveLength(8)
  })

  test('that is more bytes than a result shows', async () => {
    const large = () => ({ bytes: pngHead(10, 10, 9 * 1024 * 1024) })
    const { content } = await result([large(), large(), large(), { bytes: png() }])
    expect(content.map(({ type }) => type)).toEqual(['text', 'image', 'image', 'text', 'image'])
  })
})

test('an image that begins as one and ends as another file is what it begins as', async () => {
  const polyglot = Buffer.concat([
    onePixel.gif,
    Buffer.from('<script>alert(1)</script>PK\u0003\u0004'),
  ])
  const { content } = await result([{ bytes: polyglot, mime: 'image/gif' }])
  expect(content[1]).toMatchObject({ type: 'image', mime: 'image/gif', width: 1, height: 1 })
})

test('a secret in the name of an image is taken out before it is recorded, and the image stays', async () => {
  // By GitHub's format. Put together here, so that no scanner takes it for a real one.
  const token = `ghp_${'a1B2c3D4e5F6'.repeat(3)}`
  const guarded = { ...vision, guardrails: { stream: [{ use: 'secrets', toolResults: true }] } }
  const images = [{ bytes: png(), name: `${token}.png` }]
  const { content, runId } = await result(images, guarded)
  expect(content).toMatchObject([
    {},
    { type: 'image', name: expect.stringContaining('[redacted:github-token]') },
  ])
  const events = await register.events(runId, {})
  expect(JSON.stringify(events)).not.toContain(token)
  expect(events.map(({ type }) => type)).toContain('guardrail.redacted')
})

test('the same image twice is one blob', async () => {
  await result([{ bytes: png() }, { bytes: png() }])
  expect(register.tables.blobs.size).toBe(1)
})

test('a rerun has its images in its own thread, and a fork sees those of its base', async () => {
  const bytes = png(9, 9)
  const { engine, runId, event, seen } = await result([{ bytes }])
  const again = await engine.commands.rerun({
    ...caller,
    runId,
    threadId: 't2',
    definition: null,
    metadata: {},
    alias: null,
  })
  if (again.code !== 'created') throw new Error(again.code)
  expect(await outcomeOf(register, again.runId)).toBe('completed')
  const recalled = await eventOf(register, again.runId, 'tool.completed')
  expect(contentOf(recalled)).toEqual(contentOf(event))
  const [, image] = contentOf(event)
  if (image?.type !== 'image') throw new Error('no image')
  const carried = await register.blob({ tenantId: caller.tenantId, threadId: 't2' }, image.key)
  expect(Buffer.from(carried?.bytes ?? [])).toEqual(Buffer.from(bytes))
  expect(seen.at(-1)).toEqual([bytes])

  const tools = shooting([])
  const fork = await begin(engine, agent(await tools.specs(), vision), {
    threadId: event.threadId,
    base: { runId, seq: event.seq + 2 },
  })
  await outcomeOf(register, fork)
  expect(seen.at(-1)).toEqual([bytes])
})

test('an image that was erased is asked for, and is not there: the request is made without it', async () => {
  const { engine, event, seen } = await result([{ bytes: png() }])
  register.tables.blobs.clear()
  const tools = shooting([])
  const next = await begin(engine, agent(await tools.specs(), vision), { threadId: event.threadId })
  expect(await outcomeOf(register, next)).toBe('completed')
  expect(seen.at(-1)).toEqual([null])
})
