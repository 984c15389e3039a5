/**
 * Our own client against a real server. Would catch: an event lost or shown twice by a resume, a create that made two runs,
 * a cancel that came too early and was forgotten, a wait that a restart or a human's answer breaks.
 */
import { randomUUID } from 'node:crypto'
import {
  type Client,
  createClient,
  isEvent,
  type RunFrame,
  SignalboxError,
} from '@signalbox/client'
import type { Script } from '@signalbox/models'
import {
  createTestDatabase,
  type TestDatabase,
} from '../../packages/postgres/test/support/database.ts'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { hold, letAllGo, letGo } from '../../packages/server/test/support/hold.ts'
import { note, noting } from '../../packages/server/test/support/notes.ts'
import { startTest, type TestSignalbox } from '../../packages/server/test/support/signalbox.ts'
import { cutting, losing } from './support/broken-fetch.ts'
import { startCuttingProxy } from './support/cutting-proxy.ts'

const speech = (turn: number): string =>
  Array.from({ length: 30 }, (_, n) => `sentence ${turn}.${n} of the answer, «ü» 𝄞. `).join('')
const speaking: Script = (_, turn) => ({
  text: speech(turn),
  chunkSize: 30,
  delayMs: 20,
  ...(turn < 2 ? { calls: [{ name: 'note', args: { text: `line ${turn}` } }] } : {}),
})
const holding: Script = (_, turn) =>
  turn === 0 ? { calls: [{ name: 'hold', args: {} }] } : { text: 'Done.' }

const wondering: Script = (prompt, turn) =>
  turn === 0
    ? { calls: [{ name: 'ask_clarification', args: { question: 'Which?', options: ['a', 'b'] } }] }
    : { text: JSON.stringify(prompt.at(-1)) }

const scripted = (model: string) => ({ provider: 'scripted', model }) as const
const config = {
  agents: {
    speaker: { model: scripted('speaker'), tools: ['note'] },
    clerk: { model: scripted('clerk'), tools: ['note'], guardrails: { approvalTools: ['note'] } },
    holder: { model: scripted('holder'), tools: ['hold'] },
    curious: { model: scripted('curious'), clarification: true as const },
  },
  tools: [note, hold],
  scripts: { speaker: speaking, clerk: noting(1), holder: holding, curious: wondering },
}

let database: TestDatabase
let box: TestSignalbox
let client: Client
const retry = { pauseMs: 2, pauseMsMax: 100 }
const start = (port = 0) => startTest(config, { env: { DATABASE_URL: database.adminUrl }, port })

beforeAll(async () => {
  database = await createTestDatabase()
  box = await start()
  client = createClient({ url: box.api, retry })
})

afterAll(async () => {
  letAllGo()
  await box?.stop()
  await database?.drop()
})

async function collect<T>(items: AsyncIterable<T>): Promise<T[]> {
  const all: T[] = []
  for await (const item of items) all.push(item)
  return all
}

const eventsOf = (frames: readonly RunFrame[]) =>
  frames.flatMap((frame) => (frame.kind === 'event' ? [frame.event] : []))

/** The texts as a client has put them together. Throws where a piece does not follow the one before. */
function textsOf(frames: readonly RunFrame[]): ReadonlyMap<string, string> {
  const texts = new Map<string, string>()
  for (const frame of frames) {
    if (frame.kind !== 'text') continue
    const text = texts.get(frame.messageId) ?? ''
    expect(frame.offset, 'a piece is lost, or comes twice').toBe(text.length)
    texts.set(frame.messageId, text + frame.text)
  }
  return texts
}

describe('a stream', () => {
  it('killed at 20 random places shows every event once, and the text once', async () => {
    const seed = Date.now()
    const places = fc.sample(fc.integer({ min: 1, max: 3000 }), { seed, numRuns: 20 })
    const proxy = await startCuttingProxy(box.api, places)
    try {
      // It comes back while the text still grows.
      const cut = createClient({ url: proxy.url, retry: { pauseMs: 1, pauseMsMax: 10 } })
      const { run_id } = await cut.runs.create({ assistant_id: 'speaker', input: 'Go.' })
      let breaks = 0
      const following = { onBreak: () => void (breaks += 1) }
      const frames = await collect(cut.runs.stream(run_id, following))
      expect([proxy.cuts(), breaks], `seed ${seed}`).toEqual([20, 20])

      expect(frames.at(-1)).toEqual({ kind: 'end', status: 'success', outcome: 'completed' })
      const [events, stands] = [eventsOf(frames), await collect(client.runs.events(run_id))]
      expect(events.map(({ seq }) => seq)).toEqual(stands.map((_, index) => index + 1))
      expect(events).toEqual(stands)
      const said = events.filter((event) => isEvent(event, 'model.completed'))
      const whole = new Map(
        said.map(({ payload }, turn) => [payload.turn.message.id, speech(turn)]),
      )
      for (const [id, text] of textsOf(frames))
        expect(whole.get(id)?.slice(0, text.length)).toBe(text)
      expect(textsOf(frames).size).toBeGreaterThan(0)
    } finally {
      await proxy.close()
    }
  })

  it('goes on behind the event that is named', async () => {
    const { run_id } = await client.runs.create({ assistant_id: 'holder', input: 'Go.' })
    letGo(run_id)
    await client.runs.join(run_id)
    const all = eventsOf(await collect(client.runs.stream(run_id)))
    expect(eventsOf(await collect(client.runs.stream(run_id, { after: 5 })))).toEqual(all.slice(5))
  })

  it('of a run that is not there is refused at once', async () => {
    const refused = collect(client.runs.stream('nowhere'))
    await expect(refused).rejects.toMatchObject({
      name: 'SignalboxError',
      code: 'unknown_run',
      status: 404,
      retry: { mayHelp: false },
    })
  })
})

describe('a create', () => {
  it('whose answer is lost twice makes one run', async () => {
    const lost = losing((_, { method }) => method === 'POST', 2)
    const shaky = createClient({ url: box.api, retry, fetch: lost.fetch })
    const threadId = randomUUID()
    const run = await shaky.runs.create({ assistant_id: 'holder', input: 'Go.' }, { threadId })
    expect(lost.sent).toHaveLength(3)
    expect(new Set(lost.sent.map(({ body }) => body)).size).toBe(1)
    const keys = lost.sent.map(({ headers }) => new Headers(headers).get('idempotency-key'))
    expect(new Set(keys).size).toBe(1)
    expect(keys[0]).toMatch(/^[0-9a-f]{32}$/)
    const there = await client.runs.list(threadId)
    expect(there.map(({ run_id }) => run_id)).toEqual([run.run_id])
    expect((await client.runs.get(keys[0] ?? ''))?.run_id).toBe(run.run_id)
    letGo(run.run_id)
  })

  it('is told something once, though the first answer is lost, and not when it has ended', async () => {
    const lost = losing((_, { method }) => method === 'POST', 1)
    const shaky = createClient({ url: box.api, retry, fetch: lost.fetch })
    const { run_id } = await client.runs.create({ assistant_id: 'holder', input: 'Go.' })
    const told = await shaky.runs.inject(run_id, 'Shorter.')
    expect(told).toMatchObject({ is: 'heard', messageIds: [expect.any(String)] })
    letGo(run_id)
    const { messages } = await client.runs.join(run_id)
    expect(messages.filter(({ content }) => content === 'Shorter.')).toHaveLength(1)
    expect(await client.runs.inject(run_id, 'Shorter.')).toEqual({ is: 'too_late' })
    expect(await client.runs.inject('nowhere', 'Shorter.')).toEqual({ is: 'unknown' })
  })

  it('can be cancelled by its key before it has arrived', async () => {
    const early = Promise.withResolvers<void>()
    const slow = createClient({
      url: box.api,
      retry,
      fetch: async (url, init) => {
        // The create leaves when a cancel has come too early.
        if (url.endsWith('/runs')) await early.promise
        const response = await fetch(url, init)
        if (url.includes('/cancel') && response.status === 404) early.resolve()
        return response
      },
    })
    const key = randomUUID()
    const created = slow.runs.create({ assistant_id: 'clerk', input: 'Go.' }, { key })
    const cancel = { knownWithinMs: 60_000, wait: true, reason: 'never mind' }
    expect(await slow.runs.cancel(key, cancel)).toEqual({ is: 'ended' })
    const { run_id } = await created
    expect(await client.runs.get(run_id)).toMatchObject({ outcome: 'cancelled' })
    expect(await client.runs.cancel('nowhere')).toEqual({ is: 'unknown' })
  })

  it('with the key of another is refused, with all that the problem says', async () => {
    const key = randomUUID()
    const { run_id } = await client.runs.create({ assistant_id: 'holder', input: 'Go.' }, { key })
    letGo(run_id)
    const other = client.runs.create({ assistant_id: 'holder', input: 'Stop.' }, { key })
    await expect(other).rejects.toMatchObject({
      code: 'idempotency_conflict',
      status: 409,
      problem: { run_id },
    })
    const wrong = await client.runs.create({ assistant_id: 'nobody', input: 'Go.' }).catch(String)
    expect(wrong).toContain('nobody')
    await client.runs.join(run_id)
    expect(await client.runs.cancel(run_id)).toEqual({ is: 'too_late', outcome: 'completed' })
  })
})

const ask = () => client.runs.create({ assistant_id: 'clerk', input: 'Note it.' })

describe('a wait', () => {
  it('settles at an approval, and ends after it, across a restart of the server', async () => {
    const { run_id: runId } = await ask()
    const settled = await client.runs.waitFor(runId)
    expect(settled).toMatchObject({ is: 'reached', run: { state: 'approval' } })
    const short = await client.runs.waitFor(runId, { until: 'ended', timeoutMs: 30 })
    expect(short.is).toBe('timed_out')

    const broken = Promise.withResolvers<void>()
    const streamed = collect(client.runs.stream(runId, { onBreak: () => broken.resolve() }))
    const ended = client.runs.waitFor(runId, { until: 'ended' })
    const [asked] = await collect(client.approvals.list({ runId }))
    const port = Number(new URL(box.api).port)
    await box.stop()
    await broken.promise
    // Said while nobody is there.
    const patient = createClient({ url: box.api, retry: { triesMax: 100, pauseMsMax: 200 } })
    const answered = patient.approvals.approve(asked?.approval_id ?? '', { message: 'Fine.' })
    box = await start(port)
    expect(await answered).toMatchObject({ is: 'accepted' })

    expect(await ended).toMatchObject({ is: 'reached', run: { outcome: 'completed' } })
    const seqs = eventsOf(await streamed).map(({ seq }) => seq)
    expect(seqs).toEqual(seqs.map((_, index) => index + 1))
    expect(seqs.length).toBe((await collect(client.runs.events(runId))).length)

    const about = { runId, callId: asked?.call_id ?? '' }
    expect(await client.approvals.approve(about)).toEqual({ is: 'accepted', already: true })
    expect(await client.approvals.reject(about)).toMatchObject({ is: 'conflict' })
    expect(await client.approvals.get(asked?.approval_id ?? '')).toMatchObject({
      status: 'approved',
      answer: { message: 'Fine.' },
    })
    expect(await client.approvals.get('nothing')).toBeNull()
    expect(await client.approvals.approve('nothing')).toEqual({ is: 'unknown' })
  })

  it('settles at a question, and ends after its answer, across a restart of the server', async () => {
    const { run_id: runId } = await client.runs.create({ assistant_id: 'curious', input: 'Go.' })
    expect(await client.runs.waitFor(runId)).toMatchObject({ run: { state: 'input' } })
    const [asked] = await collect(client.inputs.list({ runId }))
    const about = { runId, callId: asked?.call_id ?? '' }
    expect(await client.inputs.answer(about, { option: 'c' })).toMatchObject({
      is: 'invalid',
      field: 'option',
    })
    const port = Number(new URL(box.api).port)
    await box.stop()
    const patient = createClient({ url: box.api, retry: { triesMax: 100, pauseMsMax: 200 } })
    const answered = patient.inputs.answer(about, { option: 'a' })
    box = await start(port)
    expect(await answered).toMatchObject({ is: 'accepted' })
    const ended = await client.runs.waitFor(runId, { until: 'ended' })
    expect(ended).toMatchObject({ is: 'reached', run: { outcome: 'completed' } })
    expect(await client.inputs.answer(about, { option: 'a' })).toEqual({
      is: 'accepted',
      already: true,
    })
    expect(await client.inputs.answer(about, { option: 'b' })).toEqual({ is: 'conflict' })
    const nothing = { runId, callId: 'c_0' }
    expect(await client.inputs.answer(nothing, { text: 'a' })).toEqual({ is: 'unknown' })
  })

  it('for a rejection and for an edit: what the caller says decides', async () => {
    const [edited, rejected] = await Promise.all([ask(), ask()])
    const callOf = async (runId: string) => {
      const { run } = await client.runs.waitFor(runId, {
        until: ({ state }) => state === 'approval',
      })
      return { runId, callId: run?.waiting?.[0]?.call_id ?? '' }
    }
    const call = await callOf(edited.run_id)
    const misfit = client.approvals.edit(call, { text: 1 })
    await expect(misfit).rejects.toMatchObject({ code: 'invalid_arguments', status: 422 })
    expect(await client.approvals.edit(call, { text: 'bread' })).toMatchObject({ is: 'accepted' })
    const no = await client.approvals.reject(await callOf(rejected.run_id), { message: 'Not now.' })
    expect(no).toMatchObject({ is: 'accepted' })
    const [one, two] = await Promise.all(
      [edited, rejected].map((run) => client.runs.join(run.run_id)),
    )
    expect(JSON.stringify(one?.messages)).toContain('noted bread')
    expect(JSON.stringify(two?.messages)).toContain('Not now.')
    const never = await client.runs.waitFor(edited.run_id, { until: () => false })
    expect(never).toMatchObject({ is: 'ended', run: { outcome: 'completed' } })
  })

  it('and a stream end by the signal of the caller, with its reason', async () => {
    const { run_id: runId } = await ask()
    await client.runs.waitFor(runId)
    const reason = new Error('enough')
    const stop = new AbortController()
    const { signal } = stop
    const waits = [
      client.runs.waitFor(runId, { until: 'ended', signal }),
      collect(client.runs.stream(runId, { signal })),
      createClient({ url: 'http://127.0.0.1:9', retry: { triesMax: 100 } }).runs.get(runId, {
        signal,
      }),
    ]
    for await (const frame of client.runs.stream(runId)) if (frame.kind === 'event') break
    stop.abort(reason)
    expect(await Promise.allSettled(waits)).toEqual(
      waits.map(() => ({ status: 'rejected', reason })),
    )
    expect(await client.runs.cancel(runId, { wait: true })).toEqual({ is: 'ended' })
  })
})

describe('the audit', () => {
  it('is the same by pages and by an export that broke 20 times', async () => {
    await database.settled()
    const paged = await collect(client.events.all({ pageSize: 50 }))
    expect(paged.length).toBeGreaterThan(100)
    const seed = Date.now()
    const places = fc.sample(fc.integer({ min: 1, max: 4000 }), { seed, numRuns: 20 })
    const broken = cutting(places)
    const shaky = createClient({ url: box.api, retry, fetch: broken.fetch })
    const exported = await collect(shaky.events.export())
    expect(broken.cuts(), `seed ${seed}`).toBe(20)
    // It ends before its own record where a transaction of another test is as old: the feed shows nothing that is younger.
    expect(exported.slice(0, paged.length), `seed ${seed}`).toEqual(paged)
    // An export is recorded once, before its first byte, however often it is resumed.
    await database.settled()
    const later = await collect(client.events.all({ after: paged.at(-1)?.position ?? '' }))
    expect(later.map(({ type: of }) => of)).toEqual(['export.made'])
    expect(later).toEqual(expect.arrayContaining(exported.slice(paged.length)))

    const after = paged[40]?.position ?? ''
    const type = 'run.transitioned'
    const some = await collect(client.events.all({ type, after }))
    expect(some).toEqual(paged.slice(41).filter((event) => event.type === type))
    const { groups } = await client.events.stats({ group_by: 'type', type })
    expect(groups).toMatchObject([{ type }])
    const [question] = await client.events.savedQueries()
    expect(question?.name).toMatch(/./)
    const [used] = (await client.events.savedQuery('definitions', { limit: 1 })).rows
    const definition = await client.events.definition(String(used?.['hash']))
    expect(definition?.definition).toMatchObject({ name: used?.['agent'] })
    expect(await client.events.definition('f'.repeat(64))).toBeNull()
    const usage = await client.events.usage({ by: 'agent,month' })
    expect(usage.groups.length).toBeGreaterThan(0)
  })
})

describe('threads and agents', () => {
  it('are read, searched and counted', async () => {
    const metadata = { topic: randomUUID() }
    const lost = losing((_, { method }) => method === 'POST', 1)
    const shaky = createClient({ url: box.api, retry, fetch: lost.fetch })
    const { thread_id: threadId } = await shaky.threads.create({ metadata })
    expect(await client.threads.count({ metadata })).toBe(1)
    const run = { assistant_id: 'holder', input: 'Go.' }
    const { run_id } = await client.runs.create(run, { threadId })
    letGo(run_id)
    expect(await client.runs.children(run_id)).toEqual([])
    await client.runs.join(run_id)
    const { run: explained } = await client.runs.explanation(run_id)
    expect(explained).toMatchObject({ run_id, outcome: 'completed' })
    const [found] = await client.threads.search({ metadata })
    expect(found?.thread_id).toBe(threadId)
    const [newest] = await client.threads.history(threadId, { limit: 1 })
    expect(await client.threads.state(threadId)).toEqual(newest)
    const checkpointId = newest?.checkpoint.checkpoint_id ?? ''
    expect(await client.threads.state(threadId, { checkpointId })).toEqual(newest)
    expect(await client.threads.get('nowhere')).toBeNull()
    expect(await client.runs.get('nowhere')).toBeNull()

    const names = (await client.assistants.list()).map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['speaker', 'clerk', 'holder']))
    expect(await client.assistants.get('clerk')).toMatchObject({ name: 'clerk' })
    expect(await client.assistants.get('nobody')).toBeNull()
    expect((await client.info()).version).toMatch(/^\d/)
    expect(await client.request('GET /unknown', {})).toEqual([])
    await expect(client.threads.create({ thread_id: threadId })).rejects.toBeInstanceOf(
      SignalboxError,
    )
  })
})
