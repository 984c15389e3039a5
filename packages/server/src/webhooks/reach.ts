/**
 * Where webhooks may go: to the public internet by https, and to what the configuration opens by name or by range. Who may
 * create a run may name an address, so an address that leads inward is a way into the network this process stands in.
 */
import ipaddr from 'ipaddr.js'

/** What the configuration opened. */
export interface Reach {
  /** Is it this host by name? Then wherever the name leads. */
  opens(host: string): boolean
  /** May a connection be made to this IP address? */
  admits(address: string): boolean
}

/** Answers under a public address, and is not public: Azure's platform services, found on every machine there. */
const notPublic = new Set(['168.63.129.16'])
/** What of IPv6 is global unicast (RFC 4291, 2.4). */
const global = ipaddr.IPv6.parseCIDR('2000::/3')

/** Is it an address of the public internet? Those that stand for others (NAT64, 6to4, Teredo) are not. */
export function isPublic(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // IPv4 inside of IPv6 is judged as the IPv4 that it is.
  const ip = ipaddr.process(address)
  if (ip.range() !== 'unicast' || notPublic.has(ip.toString())) return false
  return ip instanceof ipaddr.IPv4 || ip.match(global)
}

/** What may be reached, by `webhooks.allow`: names of hosts, addresses, and ranges of them. */
export function reachOf(allow: readonly string[]): Reach {
  const ranges = allow.map(rangeOf).filter((range) => range !== null)
  const hosts = new Set(allow.filter((entry) => rangeOf(entry) === null).map(plainHost))
  return {
    opens: (host) => hosts.has(plainHost(host)),
    admits(address) {
      return isPublic(address) || isIn(ranges, address)
    },
  }
}

type Range = readonly [ipaddr.IPv4 | ipaddr.IPv6, number]

/** Is the address in one of these? IPv4 inside of IPv6 is the IPv4 that it is. */
export function isIn(ranges: readonly Range[], address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  const ip = ipaddr.process(address)
  return ranges.some(([network, bits]) => network.kind() === ip.kind() && ip.match(network, bits))
}

/** Reads `10.0.0.0/8`, or one address as the range that holds it alone. Null for anything else. */
export function rangeOf(text: string): Range | null {
  if (ipaddr.isValidCIDR(text)) return ipaddr.parseCIDR(text)
  if (!isAddress(text)) return null
  const ip = ipaddr.process(text)
  return [ip, ip.kind() === 'ipv4' ? 32 : 128]
}

/** Four decimal numbers, or IPv6: no other way to write an address is one here, whatever a library makes of it. */
export const isAddress = (text: string): boolean =>
  ipaddr.IPv4.isValidFourPartDecimal(text) || ipaddr.IPv6.isValid(text)

/** A name as it is compared: without the dot of the root, nor the brackets of IPv6. */
export const plainHost = (host: string): string =>
  host.toLowerCase().replace(/\.$/, '').replace(/^\[/, '').replace(/\]$/, '')
