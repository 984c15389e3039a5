import { examineRedis } from '@signalbox/bullmq'
import { type DoctorFinding, failed, ok, warn } from './finding.ts'

/** Does Redis answer, if there is one, and does it keep what it is given? */
export async function checkRedis(url: string | null): Promise<DoctorFinding> {
  if (url === null) return ok('redis', 'REDIS_URL is not set: the queue is in Postgres')
  const { where, version, nodes, trouble, evicts } = await examineRedis(url)
  if (version === null) {
    const fix = 'Check REDIS_URL, and that Redis runs; or unset it to keep the queue in Postgres.'
    return failed('redis', `${where}: ${trouble}`, fix)
  }
  const masters = nodes > 1 ? `, ${nodes} masters` : ''
  if (evicts.length === 0) return ok('redis', `${version} at ${where}${masters}`)
  return warn(
    'redis',
    `${version} at ${where}${masters} may evict jobs (maxmemory-policy ${evicts.join(', ')})`,
    'Set maxmemory-policy noeviction.',
  )
}
