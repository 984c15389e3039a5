/** The bus on a real Redis: the contract every wake bus keeps, and what is special about this one. */
import { createRedisWakeBus } from '@signalbox/bullmq'
import { Redis } from 'ioredis'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { wakeBusContract } from '@signalbox/testing/contract'
import { until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'
import { redisMissing, RedisServer, skipRedis } from './support/redis-server.ts'

const delta = (offset: number, text: string) =>
  ({ runId: 'r1', messageId: 'm1', attempt: 1, kind: 'text', offset, text }) as const

const note = (messageId: string, text: string) =>
  ({ ...delta(0, text), messageId, kind: 'progress' }) as const

describe.skipIf(skipRedis)(`redis wake bus${redisMissing}`, () => {
  let server: RedisServer
  let made = 0
  beforeAll(async () => {
    server = await RedisServer.start()
  })
  afterAll(() => server?.close())

  const makeTwo = async () => {
    made += 1
    const options = { url: server.url, prefix: `bus${made}`, log: recordingLog() }
    const [a, b] = await Promise.all([createRedisWakeBus(options), createRedisWakeBus(options)])
    const close = async () => void (await Promise.all([a.close(), b.close()]))
    onTestFinished(close)
    return { a, b, close }
  }
  wakeBusContract('Redis pub/sub', makeTwo)

  const channels = async () => {
    const reply = await server.command('PUBSUB', 'CHANNELS', `bus${made}:live:*`)
    return Array.isArray(reply) ? reply.length : 0
  }

  it('subscribes to a run while somebody listens, and no longer', async () => {
    const { a } = await makeTwo()
    expect(await channels()).toBe(0)
    const ends = [a.subscribeDeltas('r1', () => {}), a.subscribeDeltas('r1', () => {})]
    await until(async () => (await channels()) === 1)
    ends[0]?.()
    a.subscribeDeltas('r2', () => {})
    await until(async () => (await channels()) === 2)
    ends[1]?.()
    await until(async () => (await channels()) === 1)
  })

  it('sends what comes together as one message, an id once, and text as one piece', async () => {
    const { a } = await makeTwo()
    const ear = new Redis(server.url)
    onTestFinished(() => ear.disconnect())
    const heard: unknown[] = []
    ear.on('message', (_, message: string) => {
      heard.push(JSON.parse(message.slice(message.indexOf('\n') + 1)))
    })
    await ear.subscribe(`bus${made}:wake:run`, `bus${made}:live:r1`)
    a.publish('run', ['r1', 'r2'])
    a.publish('run', ['r1'])
    a.publishDelta(delta(0, 'Hel'))
    a.publishDelta(delta(3, 'lo'))
    await until(() => heard.length === 2)
    expect(heard).toEqual([['r1', 'r2'], [delta(0, 'Hello')]])
  })

  it('sends the latest note of each call', async () => {
    const { a } = await makeTwo()
    const ear = new Redis(server.url)
    onTestFinished(() => ear.disconnect())
    const heard: unknown[] = []
    ear.on('message', (_, message: string) => {
      heard.push(JSON.parse(message.slice(message.indexOf('\n') + 1)))
    })
    await ear.subscribe(`bus${made}:live:r1`)
    for (const text of ['one', 'two']) {
      a.publishDelta(note('call-a', text))
      a.publishDelta(note('call-b', text))
    }
    await until(() => heard.length === 1)
    expect(heard).toEqual([[note('call-a', 'two'), note('call-b', 'two')]])
  })

  it('ignores what is not a message of the bus', async () => {
    const { a, b } = await makeTwo()
    const heard: string[] = []
    a.subscribe('run', (ids) => heard.push(...ids))
    a.subscribeDeltas('r1', ({ text }) => heard.push(text))
    const strange = ['', 'x', 'x\n', 'x\n{', 'x\nnull', 'x\n{"a":1}', 'x\n[null,1,{},[],""]']
    await until(async () => (await channels()) === 1)
    for (const message of strange) {
      await server.command('PUBLISH', `bus${made}:wake:run`, message)
      await server.command('PUBLISH', `bus${made}:live:r1`, message)
    }
    const foreign = JSON.stringify([{ ...delta(0, 'other'), runId: 'r2' }])
    await server.command('PUBLISH', `bus${made}:live:r1`, `x\n${foreign}`)
    await until(() => {
      if (!heard.includes('end')) b.publish('run', ['end'])
      return heard.includes('end')
    })
    expect(new Set(heard)).toEqual(new Set(['end']))
  })

  it('serves its own process while Redis is away, and the others again when it is back', async () => {
    const { a, b } = await makeTwo()
    const here: string[] = []
    const there: string[] = []
    a.subscribe('run', (ids) => here.push(...ids))
    b.subscribe('run', (ids) => there.push(...ids))
    b.subscribeDeltas('r1', ({ text }) => there.push(text))
    await server.kill()
    await until(() => a.health().status === 'down' && b.health().status === 'down')
    a.publish('run', ['away'])
    await until(() => here.includes('away'))
    await until(() => a.health().lost > 0)
    await server.start()
    await until(() => {
      a.publish('run', ['back'])
      a.publishDelta(delta(0, 'text'))
      return there.includes('back') && there.includes('text')
    })
    expect(a.health()).toMatchObject({ status: 'up', error: null })
    expect(there).not.toContain('away')
  })
})
