/** The limits that fetching and browsing share: which hosts may be asked. */
import { type PolicyReason, reason, quoted } from '@signalbox/core'
import type { LimitedCall } from '../limit-check.ts'
import { listOf } from '../limit-shape.ts'
import { readAddress } from './address.ts'
import { isAllowedBy, isBlockedBy, isPrivate, isTooWide } from './domains.ts'

/**
 * Refuses an address the passport does not allow. Private networks are refused unless `block_private_ips` is false, even
 * where every domain is allowed.
 */
export function checkUrl({ capability, limits }: LimitedCall, url: string): PolicyReason | null {
  const read = readAddress(url)
  if (!read.ok) return reason('oap.invalid_url', `The address ${quoted(url)} ${read.problem}.`)
  const { host } = read.address
  if (limits['block_private_ips'] !== false && isPrivate(host)) {
    const text = `${quoted(host.name)} is in a private network: use a public host.`
    return reason('oap.private_ip_blocked', text)
  }
  const blocked = listOf(limits, 'blocked_domains')?.find((entry) => isBlockedBy(entry, host))
  if (blocked !== undefined) {
    const text = `${quoted(host.name)} is in limits.${capability}.blocked_domains: ${quoted(blocked)}.`
    return reason('oap.domain_blocked', text)
  }
  const allowed = listOf(limits, 'allowed_domains') ?? []
  if (allowed.some((entry) => isAllowedBy(entry, host))) return null
  const wide = allowed.find(isTooWide)
  const hint = wide === undefined ? '' : ` The entry ${quoted(wide)} is too wide: nobody owns it.`
  const text = `${quoted(host.name)} is not in limits.${capability}.allowed_domains.${hint}`
  return reason('oap.domain_not_allowed', text)
}
