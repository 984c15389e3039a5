/** Whether a Redis evicts when its memory is full. One that does forgets jobs, which only the reconciler finds again. */
import type { Log } from '@signalbox/engine'
import { orTimeout } from './pace.ts'
import { ClusterFamily, type RedisClient } from './redis-client.ts'

const askMs = 2_000

/** The policies of a Redis, or of the masters of a cluster, that evict. Rejects if one does not say. */
export async function evictionPolicies(client: RedisClient): Promise<readonly string[]> {
  const nodes = client instanceof ClusterFamily ? client.nodes('master') : [client]
  const asked = nodes.map((node) => orTimeout(node.info('memory'), askMs))
  const policies = (await Promise.all(asked)).map(
    (info) => /^maxmemory_policy:(\S+)/m.exec(info)?.[1] ?? 'noeviction',
  )
  return [...new Set(policies)].filter((policy) => policy !== 'noeviction')
}

/** Warns, once per policy, of a Redis that evicts. Asked on each connect: it may be another one than before. */
export function warnOfEviction(client: RedisClient, log: Log): void {
  const said = new Set<string>()
  client.on('ready', () => {
    evictionPolicies(client).then(
      (policies) => {
        for (const policy of policies.filter((each) => !said.has(each))) {
          said.add(policy)
          log.warn('Redis may evict jobs: set maxmemory-policy noeviction', { policy })
        }
      },
      // One that does not answer is told of by its watch; one that may not be asked, by nobody.
      () => {},
    )
  })
}
