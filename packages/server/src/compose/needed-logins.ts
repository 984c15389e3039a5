import type { LoginRole } from '@signalbox/postgres'
import type { Role } from './start.ts'

/**
 * The logins of the database that a process of these roles cannot do without. `withQueue`: BullMQ keeps its queue in Postgres. A worker
 * needs no login of tenants, so it can read no key. Partitions are made by whoever was told that login, and by `migrate`.
 */
export function neededLogins(roles: readonly Role[], withQueue: boolean): readonly LoginRole[] {
  const needed: LoginRole[] = ['engine']
  if (roles.includes('api') || roles.includes('orchestrator')) needed.push('app')
  if (withQueue && (roles.includes('orchestrator') || roles.includes('worker')))
    needed.push('queue')
  return needed
}
