/**
 * Method: buses over a real server; each stands for a process, as a bus knows others by their id only. Would catch: a bus
 * that stays deaf after an outage, notifies for nobody, or lets a stranger's payload in.
 */
import type { Delta, Log, WakeBus } from '@signalbox/engine'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'

import { type EmbeddedPostgres, startEmbeddedPostgres } from '@signalbox/embedded'
import { createNotifyWakeBus } from '../src/index.ts'
import { query, smallServer, temporaryDir, until } from '../../embedded/test/embedded-harness.ts'
import { wakeBusContract } from '@signalbox/testing/contract'
import { type Eavesdropper, eavesdrop } from './wake-eavesdrop.ts'

const log: Log = { debug: () => {}, info: () => {}, warn: () => {}, error: () => {} }
let server: EmbeddedPostgres
let remove: () => Promise<void>

beforeAll(async () => {
  const place = await temporaryDir()
  remove = place.remove
  server = await startEmbeddedPostgres({ dataDir: place.dir, settings: smallServer })
})

afterAll(async () => {
  await server.stop()
  await remove()
})

/** Closed with the test, even one that failed: the others count connections and listen to the same channel. */
async function makeBus(options: { readonly heartbeatMs?: number } = {}): Promise<WakeBus> {
  const bus = await createNotifyWakeBus({ url: server.url, log, ...options })
  onTestFinished(() => bus.close())
  return bus
}

/** Listens until the end of the test. */
async function makeEar(): Promise<Eavesdropper> {
  const ear = await eavesdrop(server.url)
  onTestFinished(() => ear.close())
  return ear
}

/** Waits until `to` has heard `from`, and so knows that it is there. */
async function meet(from: WakeBus, to: WakeBus): Promise<void> {
  let heard = false
  const end = to.subscribe('model', () => (heard = true))
  await until(() => {
    if (!heard) from.publish('model', ['greeting'])
    return heard
  })
  end()
}

wakeBusContract('NOTIFY', async () => {
  const [a, b] = await Promise.all([makeBus(), makeBus()])
  return { a, b, close: async () => void (await Promise.all([a.close(), b.close()])) }
})

const delta = (runId: string, offset: number, text: string): Delta => ({
  runId,
  messageId: 'm1',
  attempt: 1,
  offset,
  kind: 'text',
  text,
})

/** No heartbeat within the test: what arrives, arrived without one. */
const never = 3_600_000

/** Waits until the only bus has said again that it is there: what it had to say before is out. */
async function nextBeat(ear: Eavesdropper): Promise<void> {
  const before = ear.signals('here').length
  await until(() => ear.signals('here').length > before + 2)
}

/** Waits until the buses hold so many connections, then ends them all. */
async function terminateAll(connections: number): Promise<void> {
  const open = `from pg_stat_activity where application_name like 'signalbox-wake%'`
  await until(async () => (await query(server.url, `select pid ${open}`)).length === connections)
  await query(server.url, `select pg_terminate_backend(pid) ${open}`)
}

test('a bus that lost its connections drops, recovers, and still knows who wants what', async () => {
  const [a, b] = await Promise.all([makeBus(), makeBus()])
  const ids: string[] = []
  const texts: string[] = []
  b.subscribe('run', (more) => void ids.push(...more))
  b.subscribeDeltas('r1', ({ text }) => void texts.push(text))
  for (const round of ['first', 'second']) {
    // Each heals on its own time: a second outage that comes before the first is over would hit fewer.
    await terminateAll(4)
    // Lossy: said until it is heard again.
    await until(() => {
      a.publish('run', [round])
      a.publishDelta(delta('r1', 0, round))
      return ids.includes(round) && texts.includes(round)
    })
  }
  expect(new Set(ids)).toEqual(new Set(['first', 'second']))
})

test('wakes of one moment travel in one payload, each id once', async () => {
  const [a, b] = await Promise.all([makeBus(), makeBus()])
  await meet(b, a)
  const ear = await makeEar()
  for (let n = 0; n < 500; n += 1) a.publish('run', [`r${n % 100}`])
  const wakes = () => ear.signals('wake').filter(([, topic]) => topic === 'run')
  await until(() => wakes().length >= 100)
  const withWakes = ear.payloads.filter((payload) => payload.includes('"wake","run"'))
  expect(wakes()).toHaveLength(100)
  expect(withWakes).toHaveLength(1)
})

test('deltas of one moment travel as one', async () => {
  const [a, ear] = await Promise.all([makeBus(), makeEar()])
  await ear.say('["peer",["here"],["want","r1"]]')
  const text = 'Ein Stück Text, Zeichen für Zeichen.'
  const tell = (): void =>
    text.split('').forEach((one, index) => a.publishDelta(delta('r1', index, one)))
  await until(() => {
    if (ear.signals('delta').length === 0) tell()
    return ear.signals('delta').length > 0
  })
  expect(ear.signals('delta')[0]).toEqual(['delta', 'r1', 'm1', 1, 0, 'text', text])
})

test('of the notes of a call that come together the latest travels', async () => {
  const [a, ear] = await Promise.all([makeBus(), makeEar()])
  await ear.say('["peer",["here"],["want","r1"]]')
  const tell = (): void => {
    for (const text of ['one', 'two'])
      for (const messageId of ['call-a', 'call-b'])
        a.publishDelta({ ...delta('r1', 0, text), messageId, kind: 'progress' })
  }
  await until(() => {
    if (ear.signals('delta').length === 0) tell()
    return ear.signals('delta').length > 1
  })
  expect(ear.signals('delta').slice(0, 2)).toEqual([
    ['delta', 'r1', 'call-a', 1, 0, 'progress', 'two'],
    ['delta', 'r1', 'call-b', 1, 0, 'progress', 'two'],
  ])
})

test.each(['run', 'facts', 'cancel', 'model', 'peek'] as const)(
  'carries wakes of %s to others',
  async (topic) => {
    const [a, b] = await Promise.all([makeBus({}), makeBus({})])
    const heard = new Set<string>()
    a.subscribe(topic, (ids) => ids.forEach((id) => heard.add(id)))
    await until(() => {
      b.publish(topic, ['r1'])
      return heard.size > 0
    })
    expect([...heard]).toEqual(['r1'])
  },
)

test('a process that is alone notifies nobody', async () => {
  const ear = await makeEar()
  const a = await makeBus({ heartbeatMs: 60 })
  await nextBeat(ear)
  await nextBeat(ear)
  const heard: string[] = []
  a.subscribe('run', (ids) => void heard.push(...ids))
  a.publish('run', ['r1'])
  await nextBeat(ear)
  expect([heard, ear.signals('wake')]).toEqual([['r1'], []])
})

test('deltas leave the process only while another one wants them', async () => {
  const ear = await makeEar()
  const [a, b] = await Promise.all([
    makeBus({ heartbeatMs: never }),
    makeBus({ heartbeatMs: never }),
  ])
  await meet(b, a)
  let asked = 0
  const isSent = async (): Promise<boolean> => {
    const before = ear.signals('delta').length
    asked += 1
    const fence = `fence-${asked}`
    a.publishDelta(delta('r1', 0, 'x'))
    a.publish('run', [fence])
    await until(() => ear.signals('wake').some(([, , id]) => id === fence))
    return ear.signals('delta').length > before
  }
  expect(await isSent()).toBe(false)
  const end = b.subscribeDeltas('r1', () => undefined)
  await until(isSent)
  end()
  await until(async () => !(await isSent()))
})

test('the interest of a process that fell silent expires', async () => {
  const ear = await makeEar()
  const a = await makeBus({ heartbeatMs: 60 })
  // Said until it shows: an interest of three heartbeats may expire before a busy machine comes to obey it.
  await until(async () => {
    await ear.say('["peer",["here"],["want","r1"]]')
    a.publishDelta(delta('r1', 0, 'x'))
    return ear.signals('delta').length > 0
  })
  await until(async () => {
    const before = ear.signals('delta').length
    a.publishDelta(delta('r1', 0, 'x'))
    await nextBeat(ear)
    return ear.signals('delta').length === before
  })
  expect(ear.signals('delta').every(([, runId]) => runId === 'r1')).toBe(true)
})

test('a process that starts later learns at once what the others want', async () => {
  const b = await makeBus({ heartbeatMs: never })
  const texts: string[] = []
  b.subscribeDeltas('r1', ({ text }) => void texts.push(text))
  const a = await makeBus({ heartbeatMs: never })
  await until(() => {
    a.publishDelta(delta('r1', 0, 'x'))
    return texts.length > 0
  })
  expect(texts[0]).toBe('x')
})

test('what a stranger says on the channel is taken for what it is', async () => {
  const a = await makeBus()
  const ear = await makeEar()
  const heard: string[] = []
  a.subscribe('run', (ids) => void heard.push(...ids))
  const nonsense = [
    '',
    '{',
    'null',
    '["s",["wake","run",{}]]',
    '["s",["delta","r",0]]',
    '["s",["?"]]',
  ]
  for (const payload of nonsense) await ear.say(payload)
  await ear.say('["s",["wake","run","r1"]]')
  await until(() => heard.length > 0)
  expect(heard).toEqual(['r1'])
})

test('an id that is too long is dropped, its neighbours are not', async () => {
  const a = await makeBus()
  const heard: string[] = []
  a.subscribe('run', (ids) => void heard.push(...ids))
  a.publish('run', ['x'.repeat(201), 'r1'])
  await until(() => heard.length > 0)
  expect(heard).toEqual(['r1'])
})

test('a wrong address is an error at the start', async () => {
  const url = server.url.replace(`:${server.port}/`, ':1/')
  await expect(createNotifyWakeBus({ url, log })).rejects.toThrow(/ECONNREFUSED/)
})
