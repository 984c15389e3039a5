/**
 * Event streams over real sockets, killed at random points. Would catch: an event lost between subscription and read,
 * one shown twice after a resume, text that is repeated or comes after the event that completed it.
 */
import { setTimeout as sleep } from 'node:timers/promises'
import { defineTool } from '@signalbox/tools'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { z } from 'zod'
import { hold, letAllGo, letGo } from './support/hold.ts'
import { call, readSse, type Sse } from './support/http.ts'
import { startTest, type TestSignalbox } from './support/signalbox.ts'

const speech = (turn: number): string =>
  Array.from({ length: 40 }, (_, n) => `sentence ${turn}.${n} of the answer. `).join('')

let box: TestSignalbox
/** Aborted once a note of the counting tool was heard. */
const heard = new AbortController()

beforeAll(async () => {
  box = await startTest({
    agents: {
      counter: { model: { provider: 'scripted', model: 'counter' }, tools: ['count'] },
      holder: { model: { provider: 'scripted', model: 'holder' }, tools: ['hold'] },
      speaker: { model: { provider: 'scripted', model: 'speaker' }, tools: ['look'] },
      stutterer: {
        model: { provider: 'scripted', model: 'stutterer' },
        modelRetries: { max: 1, baseMs: 10, capMs: 10 },
      },
    },
    tools: [
      defineTool({
        name: 'look',
        description: 'Looks.',
        effect: 'read',
        input: z.object({ n: z.number() }),
        run: ({ n }) => `seen ${n}`,
      }),
      hold,
      defineTool({
        name: 'count',
        description: 'Counts, and says how far it is until somebody has heard.',
        effect: 'read',
        input: z.object({}),
        run: async (_, { progress, signal }) => {
          for (let n = 1; !heard.signal.aborted; n++) {
            progress(`at ${n}`)
            await sleep(20, undefined, { signal })
          }
          return 'counted'
        },
      }),
    ],
    scripts: {
      counter: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'count', args: {} }] } : { text: 'Counted.' },
      holder: (_, turn) =>
        turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Let go.' },
      speaker: (_, turn) => ({
        text: speech(turn),
        chunkSize: 40,
        delayMs: 4,
        ...(turn < 2 ? { calls: [{ name: 'look', args: { n: turn } }] } : {}),
      }),
      stutterer: (() => {
        let tries = 0
        return () => {
          tries += 1
          const text = tries % 2 === 1 ? `broken ${speech(0)}` : speech(1)
          return { text, delayMs: 4, ...(tries % 2 === 1 ? { ending: 'eof' as const } : {}) }
        }
      })(),
    },
  })
})

afterAll(async () => {
  letAllGo()
  await box?.stop()
})

const start = async (agent: string) => {
  const body = { assistant_id: agent, input: 'Speak.' }
  const { body: run } = await call(box.api, 'POST', '/runs', { body })
  return { runId: String(run.run_id), path: `/threads/${run.thread_id}/runs/${run.run_id}` }
}

/** A run that begins when `go` is called, so that whoever wants to hear all of it can be there before. */
const startHeld = async (agent: string) => {
  const holder = await start('holder')
  const where = holder.path.replace(/\/[^/]+$/, '')
  const body = { assistant_id: agent, input: 'Speak.' }
  const { body: run } = await call(box.api, 'POST', where, { body })
  const runId = String(run.run_id)
  return { runId, path: `${where}/${runId}`, go: () => letGo(holder.runId) }
}

interface Connection {
  readonly frames: readonly Sse[]
  readonly lastId: string | null
}

/** Connects, reads up to `framesMax` frames, and kills the socket. `go` is called when an event has come. */
async function connect(
  path: string,
  after: string | null,
  { framesMax = 10_000, go }: { readonly framesMax?: number; readonly go?: () => void } = {},
): Promise<Connection> {
  const killer = new AbortController()
  const response = await fetch(`${box.api}${path}/stream?stream_mode=signalbox`, {
    headers: after === null ? {} : { 'last-event-id': after },
    signal: killer.signal,
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-type')).toBe('text/event-stream')
  const frames: Sse[] = []
  let lastId = after
  if (!response.body) throw new Error('no body')
  for await (const frame of readSse(response.body)) {
    frames.push(frame)
    // `metadata` comes before anything is followed, the first event after.
    if (frame.hasId) go?.()
    if (frame.hasId) lastId = frame.id
    if (frame.event === 'end' || frames.length >= framesMax) break
  }
  killer.abort()
  return { frames, lastId }
}

const textOf = (event: Sse): string =>
  event.data.payload.turn.message.parts
    .filter((part: { type: string }) => part.type === 'text')
    .map((part: { text: string }) => part.text)
    .join('')

/** Text of one connection begins at 0, has no gap and no repetition, and ends with its message. */
function checkText({ frames }: Connection, completed: ReadonlyMap<string, string>): void {
  const seen = new Map<string, string>()
  const over = new Set<string>()
  for (const { event, data } of frames) {
    if (event === 'model.completed') over.add(data.payload.turn.message.id)
    if (event !== 'message.delta') continue
    expect(over.has(data.message_id)).toBe(false)
    const before = seen.get(data.message_id) ?? ''
    expect(data.offset).toBe(before.length)
    seen.set(data.message_id, before + data.text)
  }
  for (const [id, text] of seen) expect(completed.get(id)?.startsWith(text)).toBe(true)
}

/** Open streams, as the metrics say. */
const open = async (): Promise<number> => {
  const { body } = await call(box.api, 'GET', '/metrics')
  return Number(/^signalbox_streams_open (\d+)$/m.exec(String(body))?.[1])
}

describe('a stream', () => {
  it('begins with metadata, shows every event once and in order, and ends', async () => {
    const { runId, path, go } = await startHeld('speaker')
    const { frames } = await connect(path, null, { go })
    expect(frames[0]).toMatchObject({ event: 'metadata', data: { run_id: runId }, hasId: false })
    expect(frames.at(-1)).toMatchObject({
      event: 'end',
      hasId: false,
      data: { status: 'success', outcome: 'completed' },
    })
    const events = frames.filter((frame) => frame.hasId)
    expect(events.map((frame) => Number(frame.id))).toEqual(events.map((_, n) => n + 1))
    expect(events.every((frame) => frame.data.seq === Number(frame.id))).toBe(true)
    expect(JSON.stringify(frames)).not.toContain('"salt"')
    expect(frames.some((frame) => frame.event === 'message.delta')).toBe(true)
    const completed = events.filter((frame) => frame.event === 'model.completed')
    expect(completed.map(textOf)).toEqual([speech(0), speech(1), speech(2)])
  })

  it('resumes wherever its socket was killed: no gap, no duplicate, text once', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.integer({ min: 1, max: 25 }), { minLength: 1, maxLength: 20 }),
      async (cuts) => {
        const { path } = await start('speaker')
        const connections: Connection[] = []
        let after: string | null = null
        for (const cut of [...cuts, 10_000]) {
          const connection = await connect(path, after, { framesMax: cut })
          connections.push(connection)
          after = connection.lastId
          if (connection.frames.at(-1)?.event === 'end') break
        }
        const events = connections.flatMap(({ frames }) => frames.filter((frame) => frame.hasId))
        expect(events.map((frame) => Number(frame.id))).toEqual(events.map((_, n) => n + 1))
        const { body } = await call(box.api, 'GET', `${path}/events?limit=1000`)
        expect(events.map((frame) => frame.data)).toEqual(body.events)
        const completed = new Map(
          events
            .filter((frame) => frame.event === 'model.completed')
            .map((frame) => [String(frame.data.payload.turn.message.id), textOf(frame)]),
        )
        for (const connection of connections) checkText(connection, completed)
      },
    )
    await fc.assert(property, { numRuns: 12, endOnFailure: true })
  })

  it('resumed after the last event ends at once', async () => {
    const { path } = await start('speaker')
    const whole = await connect(path, null)
    const { frames } = await connect(path, whole.lastId, { framesMax: 10 })
    expect(frames.map((frame) => frame.event)).toEqual(['metadata', 'end'])
  })

  it('shows the text of the second try of a message from its beginning', async () => {
    const { path, go } = await startHeld('stutterer')
    const { frames } = await connect(path, null, { go })
    const deltas = frames.filter((frame) => frame.event === 'message.delta')
    const attempts = [...new Set(deltas.map((frame) => Number(frame.data.attempt)))]
    expect(attempts).toHaveLength(2)
    const last = deltas.filter((frame) => frame.data.attempt === attempts[1])
    expect(last[0]?.data.offset).toBe(0)
    expect(last.map((frame) => frame.data.text).join('')).toBe(speech(1))
    expect(frames.at(-1)?.data.outcome).toBe('completed')
  })

  it('shows what a tool says while it runs, between its start and its end, and stores nothing of it', async () => {
    const { runId, path } = await start('counter')
    const response = await fetch(`${box.api}${path}/stream?stream_mode=signalbox`)
    const frames: Sse[] = []
    if (!response.body) throw new Error('no body')
    for await (const frame of readSse(response.body)) {
      frames.push(frame)
      if (frame.event === 'tool.progress') heard.abort()
      if (frame.event === 'end') break
    }
    const names = frames.map(({ event }) => event)
    const [first, last] = [names.indexOf('tool.progress'), names.lastIndexOf('tool.progress')]
    const completed = frames.find(({ event }) => event === 'tool.completed')
    expect(frames[first]).toMatchObject({ hasId: false })
    expect(frames[first]?.data).toEqual({
      run_id: runId,
      call_id: completed?.data.payload.callId,
      attempt: 1,
      note: expect.stringMatching(/^at \d+$/),
    })
    const began = frames.findIndex(
      ({ event, data }) => event === 'effect.started' && data.tool === 'count',
    )
    expect(began).toBeGreaterThan(0)
    expect(first).toBeGreaterThan(began)
    expect(last).toBeLessThan(names.indexOf('tool.completed'))
    const { body } = await call(box.api, 'GET', `${path}/events?limit=1000`)
    expect(JSON.stringify(body)).not.toContain('at 1')
  })

  it('comes with the create, with the addresses clients need', async () => {
    const response = await fetch(`${box.api}/threads/t-stream/runs/stream`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ assistant_id: 'speaker', input: 'Speak.', stream_mode: ['values'] }),
    })
    const location = response.headers.get('content-location')
    expect(location).toMatch(/^\/threads\/t-stream\/runs\/[0-9a-f-]{36}$/)
    expect(response.headers.get('location')).toBe(`${location}/stream?stream_mode=values`)
    await response.body?.cancel()
    const joined = await call(box.api, 'GET', `${location}/join`)
    expect(joined.body.outcome).toBe('completed')
  })

  it('refuses a position that the run has not reached', async () => {
    const { path } = await start('speaker')
    for (const id of ['x', '1.5', '-2', '99999', '1 2']) {
      const refused = await call(box.api, 'GET', `${path}/stream?stream_mode=signalbox`, {
        headers: { 'last-event-id': id },
      })
      expect(refused).toMatchObject({ status: 400, body: { code: 'invalid_header' } })
    }
  })

  it('gives back what it held when its client goes', async () => {
    await expect.poll(open, { timeout: 20_000 }).toBe(0)
    // It does not end by itself: its streams stay open until their clients go.
    const { runId, path } = await start('holder')
    const killers = Array.from({ length: 5 }, () => new AbortController())
    await Promise.all(
      killers.map((killer) => fetch(`${box.api}${path}/stream`, { signal: killer.signal })),
    )
    expect(await open()).toBe(5)
    for (const killer of killers) killer.abort()
    await expect.poll(open, { timeout: 20_000 }).toBe(0)
    letGo(runId)
  })
})
