/**
 * Subscriptions on a cluster through what happens to clusters: every node away at once, a slot that moves, a connection that the
 * network forgot. Would catch: a listener that is deaf ever after, whatever the order in which the nodes came back; and one that asks
 * more the longer an outage lasts.
 */
import { fork } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { createRedisWakeBus } from '@signalbox/bullmq'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { until } from './support/eventually.ts'
import { recordingLog } from './support/recording-log.ts'
import { RedisCluster } from './support/redis-cluster.ts'
import { redisMissing, skipRedis } from './support/redis-server.ts'
import { silentProxy } from './support/silent-proxy.ts'

describe.skipIf(skipRedis)(`sharded channels${redisMissing}`, () => {
  let cluster: RedisCluster
  let made = 0
  beforeAll(async () => {
    // Few connections wait to be accepted: so a process that is stopped can be made to look like a host that is gone.
    cluster = await RedisCluster.start(['--tcp-backlog', '1'])
  })
  afterAll(() => cluster?.close())

  /** Two processes: what one says about a run, the other hears. */
  const two = async () => {
    made += 1
    const options = { url: cluster.url, prefix: `sharded${made}`, log: recordingLog() }
    const [from, to] = await Promise.all([createRedisWakeBus(options), createRedisWakeBus(options)])
    onTestFinished(async () => void (await Promise.all([from.close(), to.close()])))
    const heard = new Set<string>()
    const listen = (runId: string) => to.subscribeDeltas(runId, () => heard.add(runId))
    const hearsAll = async (runs: readonly string[]) => {
      heard.clear()
      await until(async () => {
        for (const runId of runs)
          from.publishDelta({
            runId,
            messageId: 'm',
            attempt: 1,
            kind: 'text',
            offset: 0,
            text: 'x',
          })
        await setTimeout(50)
        return runs.every((runId) => heard.has(runId))
      })
    }
    return { to, listen, hearsAll, channelOf: (runId: string) => `${options.prefix}:live:${runId}` }
  }
  // So many that every node holds some.
  const runs = Array.from({ length: 30 }, (_, n) => `r${n}`)

  it('are heard again after every node was away, one of them without a word', async () => {
    const { to, listen, hearsAll } = await two()
    for (const runId of runs) listen(runId)
    await hearsAll(runs)
    const [silent, ...killed] = cluster.nodes
    if (silent === undefined) throw new Error('no node')
    silent.signal('SIGSTOP')
    const waiting = Array.from({ length: 4 }, () => connect(silent.port, '127.0.0.1'))
    for (const socket of waiting) socket.on('error', () => {})
    await setTimeout(100)
    for (const node of killed) await node.kill()
    // Streams come and go meanwhile.
    for (let n = 0; n < 50; n += 1) listen('r0')()
    // Long enough for a connect to hang while all others are refused: the order in which ioredis' own group is deaf ever after.
    await setTimeout(8_000)
    await until(() => to.health().status === 'down')
    for (const socket of waiting) socket.destroy()
    silent.signal('SIGCONT')
    for (const node of killed) await node.start()
    await cluster.whole()
    await hearsAll(runs)
    for (const node of killed) {
      const stats = String(await node.command('INFO', 'commandstats'))
      const asked = Number(/cmdstat_ssubscribe:calls=(\d+)/.exec(stats)?.[1])
      // Each channel of the node once, and once more where the node refused while it joined.
      expect(asked).toBeLessThanOrEqual(2 * runs.length)
    }
    await until(() => to.health().status === 'up')
  })

  it('follow a slot that moves to another node and back', async () => {
    const { listen, hearsAll, channelOf } = await two()
    listen('moving')
    await hearsAll(['moving'])
    const there = await cluster.holderOf(channelOf('moving'))
    const other = cluster.nodes.find((node) => node !== there)
    if (other === undefined) throw new Error('no other node')
    const slot = String(await there.command('CLUSTER', 'KEYSLOT', channelOf('moving')))
    for (const owner of [other, there]) {
      await cluster.giveSlot(slot, owner)
      await hearsAll(['moving'])
    }
    // There and back before anybody looked.
    await cluster.giveSlot(slot, other)
    await cluster.giveSlot(slot, there)
    await hearsAll(['moving'])
    expect(await there.command('PUBSUB', 'SHARDCHANNELS')).toEqual([channelOf('moving')])
  })

  /** The nodes behind proxies, which they announce as themselves. */
  const behindProxies = async () => {
    const proxies = await Promise.all(cluster.nodes.map((node) => silentProxy(node.port)))
    const announce = async (ports: readonly number[]) => {
      for (const [n, node] of cluster.nodes.entries())
        await node.command('CONFIG', 'SET', 'cluster-announce-port', `${ports[n]}`)
      for (const node of cluster.nodes)
        await until(async () => {
          const slots = JSON.stringify(await node.command('CLUSTER', 'SLOTS'))
          return cluster.nodes.every(({ port }, n) => slots.includes(`${ports[n] || port}`))
        })
    }
    onTestFinished(async () => {
      await announce(cluster.nodes.map(() => 0))
      for (const proxy of proxies) proxy.close()
    })
    await announce(proxies.map(({ port }) => port))
    return proxies
  }

  it('are asked for on a new connection where the network forgot the old one', async () => {
    const proxies = await behindProxies()
    const { to, listen, hearsAll } = await two()
    for (const runId of runs) listen(runId)
    await hearsAll(runs)
    for (const proxy of proxies) proxy.forget()
    await hearsAll(runs)
    expect(to.health().status).not.toBe('starting')
    await until(() => to.health().status === 'up')
  })

  it('are closed on a cluster that fell silent, and the process ends by itself', async () => {
    const proxies = await behindProxies()
    const script = fileURLToPath(new URL('support/leave-cluster.ts', import.meta.url))
    const child = fork(script, [JSON.stringify(cluster.url)], {
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    await once(child, 'message')
    for (const proxy of proxies) proxy.fallSilent()
    // A look at the slots is under way.
    await setTimeout(3_000)
    child.send('close')
    const [code] = await once(child, 'exit')
    expect(code).toBe(0)
  })

  it('are missing, and the bus down, until the node that fell silent answers', async () => {
    const [silent] = await behindProxies()
    const { to, listen, hearsAll } = await two()
    for (const runId of runs) listen(runId)
    await hearsAll(runs)
    silent?.fallSilent()
    await until(() => to.health().status === 'down')
    const { since } = to.health()
    // Longer than what passes by itself, and than the time between two questions of a bus that is up.
    await setTimeout(12_000)
    expect(to.health()).toMatchObject({ status: 'down', since })
    silent?.speak()
    await hearsAll(runs)
    await until(() => to.health().status === 'up')
  })

  it('whose nodes name each other are said, and not asked for without end', async () => {
    const { to, listen, hearsAll, channelOf } = await two()
    const channel = channelOf('torn')
    const holder = await cluster.holderOf(channel)
    const slot = String(await holder.command('CLUSTER', 'KEYSLOT', channel))
    const other = cluster.nodes.find((node) => node !== holder)
    const otherId = String(await other?.command('CLUSTER', 'MYID'))
    // A move that was given up half-way: the node that gives away knows of it, nobody else does.
    await holder.command('CLUSTER', 'SETSLOT', slot, 'NODE', otherId)
    onTestFinished(() => cluster.giveSlot(slot, holder))
    const asked = async () => {
      const found = await Promise.all(
        cluster.nodes.map(async (node) => String(await node.command('INFO', 'commandstats'))),
      )
      // Refused ones are rejected calls.
      const counts = found.map((text) =>
        /cmdstat_ssubscribe:calls=(\d+).*rejected_calls=(\d+)/.exec(text),
      )
      return counts.reduce((sum, each) => sum + Number(each?.[1] ?? 0) + Number(each?.[2] ?? 0), 0)
    }
    listen('torn')
    await until(() => to.health().status === 'down')
    expect(to.health().error).toContain('MOVED')
    const before = await asked()
    await setTimeout(5_000)
    expect((await asked()) - before).toBeLessThan(10)
    expect(to.health().status).toBe('down')
    await cluster.giveSlot(slot, holder)
    await hearsAll(['torn'])
    await until(() => to.health().status === 'up')
  })

  it('are no trouble while a node is connected to', async () => {
    const { to, listen, hearsAll } = await two()
    listen('first')
    await hearsAll(['first'])
    for (const runId of runs) {
      listen(runId)
      await to.answers()
    }
    expect(to.health().status).toBe('up')
  })

  it('that are refused are said, and heard once they are allowed', async () => {
    const { to, listen, hearsAll, channelOf } = await two()
    const holder = await cluster.holderOf(channelOf('refused'))
    await holder.command('ACL', 'SETUSER', 'default', 'resetchannels')
    onTestFinished(
      async () => void (await holder.command('ACL', 'SETUSER', 'default', 'allchannels')),
    )
    const end = listen('refused')
    await until(() => to.health().status === 'down')
    expect(to.health().error).toContain('NOPERM')
    end()
    await until(() => to.health().status === 'up')
    listen('refused')
    await holder.command('ACL', 'SETUSER', 'default', 'allchannels')
    await hearsAll(['refused'])
    await until(() => to.health().status === 'up')
  })

  it('are left when nobody listens any more, and the connection with the last of them', async () => {
    const { listen, hearsAll, channelOf } = await two()
    const holder = await cluster.holderOf(channelOf('once'))
    const counts = async () =>
      JSON.stringify(await holder.command('PUBSUB', 'SHARDNUMSUB', channelOf('once')))
    const end = listen('once')
    await hearsAll(['once'])
    expect(await counts()).toBe(JSON.stringify([channelOf('once'), 1]))
    const clients = async () => String(await holder.command('CLIENT', 'LIST')).split('\n')
    const subscribed = async () =>
      (await clients()).filter((line) => / ssub=[1-9]/.test(line)).length
    const before = await subscribed()
    end()
    await until(async () => (await counts()) === JSON.stringify([channelOf('once'), 0]))
    expect(await subscribed()).toBe(before - 1)
  })
})
