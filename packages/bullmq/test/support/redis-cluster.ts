/** Three nodes of redis-server as a cluster, without replicas: what one node holds is away while it is. */
import { freePort } from '../../../../test/contract/free-port.ts'
import { RedisServer } from './redis-server.ts'

const slots = 16_384
const count = 3

export class RedisCluster {
  readonly url: string
  readonly nodes: readonly RedisServer[]

  private constructor(nodes: readonly RedisServer[]) {
    this.nodes = nodes
    this.url = `redis://${nodes.map(({ port }) => `127.0.0.1:${port}`).join(',')}?cluster=true`
  }

  /** `settings` of every node, as on the command line of redis-server. */
  static async start(settings: readonly string[] = []): Promise<RedisCluster> {
    const nodes: RedisServer[] = []
    const busPorts: number[] = []
    for (let n = 0; n < count; n++) {
      const busPort = await freePort()
      busPorts.push(busPort)
      nodes.push(
        await RedisServer.start([
          '--cluster-enabled',
          'yes',
          '--cluster-port',
          `${busPort}`,
          '--cluster-config-file',
          'nodes.conf',
          '--cluster-node-timeout',
          '2000',
          ...settings,
        ]),
      )
    }
    const [first] = nodes
    for (const [n, node] of nodes.entries()) {
      const from = Math.floor((slots * n) / count)
      const to = Math.floor((slots * (n + 1)) / count) - 1
      await node.command('CLUSTER', 'ADDSLOTSRANGE', `${from}`, `${to}`)
      if (n > 0)
        await first?.command('CLUSTER', 'MEET', '127.0.0.1', `${node.port}`, `${busPorts[n]}`)
    }
    const cluster = new RedisCluster(nodes)
    await cluster.whole()
    return cluster
  }

  /** Until every node says that the cluster is. */
  async whole(): Promise<void> {
    for (const node of this.nodes)
      while (!String(await node.command('CLUSTER', 'INFO')).includes('cluster_state:ok'))
        await new Promise((resolve) => setTimeout(resolve, 50))
  }

  /**
   * A slot without keys changes hands. The node that takes the slot is told first, so that the slot is never without an owner, and
   * gets the newest configuration epoch, as an import of keys would give it: without that, a heartbeat that the last owner sent
   * meanwhile takes the slot back, on this node alone and for good.
   */
  async giveSlot(slot: string, owner: RedisServer): Promise<void> {
    const id = String(await owner.command('CLUSTER', 'MYID'))
    await owner.command('CLUSTER', 'BUMPEPOCH')
    const others = this.nodes.filter((node) => node !== owner)
    for (const node of [owner, ...others])
      await node.command('CLUSTER', 'SETSLOT', slot, 'NODE', id)
  }

  async flush(): Promise<void> {
    for (const node of this.nodes) await node.command('FLUSHALL')
  }

  /** The node that holds a key. */
  async holderOf(key: string): Promise<RedisServer> {
    const slot = Number(await this.nodes[0]?.command('CLUSTER', 'KEYSLOT', key))
    const holder = this.nodes[Math.floor((slot * count) / slots)]
    if (holder === undefined) throw new Error(`no node holds slot ${slot}`)
    return holder
  }

  async close(): Promise<void> {
    for (const node of this.nodes) await node.close()
  }
}
