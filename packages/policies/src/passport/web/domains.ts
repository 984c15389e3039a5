/** Which hosts an entry of a domain list names. */
import { getPublicSuffix } from 'tldts'
import { readHost, type Host } from './address.ts'
import { isPrivateIpv4, isPrivateIpv6, parseIpv4, parseIpv6 } from './ip.ts'

/** Names that lead into the own network without being an address. */
const privateNames = [
  'localhost',
  'local',
  'internal',
  'intranet',
  'lan',
  'home',
  'corp',
  'localdomain',
]

/** Does the host lead into a private network, as far as its name shows? What its name resolves to is not seen here. */
export function isPrivate({ kind, name }: Host): boolean {
  if (kind === 'ipv4') return isPrivateIpv4(parseIpv4(name) ?? [])
  if (kind === 'ipv6') return isPrivateIpv6(parseIpv6(name) ?? [])
  const last = name.slice(name.lastIndexOf('.') + 1)
  return (
    !name.includes('.') ||
    privateNames.includes(last) ||
    name === 'home.arpa' ||
    name.endsWith('.home.arpa')
  )
}

/**
 * Does the entry of an allow list name the host? `example.com` names itself and what is below it, `*.example.com` only
 * what is below, `*` any. A public suffix, e.g. `co.uk`, belongs to nobody: it names nothing but itself.
 */
export function isAllowedBy(entry: string, host: Host): boolean {
  if (entry === '*') return true
  const { name, below } = entryOf(entry)
  if (name === null) return false
  if (host.name === name.name) return !below
  return !isTooWide(entry) && isBelow(name, host)
}

/** Does the entry of a deny list name the host? What is below it included, of public suffixes, too. */
export function isBlockedBy(entry: string, host: Host): boolean {
  if (entry === '*') return true
  const { name } = entryOf(entry)
  // An entry nobody can read blocks everything: it was meant to block something.
  return name === null || host.name === name.name || isBelow(name, host)
}

/** Would the entry of an allow list name the hosts of many owners? */
export function isTooWide(entry: string): boolean {
  const { name } = entryOf(entry)
  if (name === null || name.kind !== 'name') return false
  return getPublicSuffix(name.name, { allowPrivateDomains: true }) === name.name
}

const isBelow = (entry: Host, host: Host): boolean =>
  entry.kind === 'name' && host.kind === 'name' && host.name.endsWith(`.${entry.name}`)

function entryOf(entry: string): { readonly name: Host | null; readonly below: boolean } {
  const below = entry.startsWith('*.')
  // An IPv6 address may stand without its brackets in a list.
  const text = below ? entry.slice(2) : entry
  const bare = text.includes(':') && !text.startsWith('[') ? `[${text}]` : text
  return { name: readHost(bare), below }
}
