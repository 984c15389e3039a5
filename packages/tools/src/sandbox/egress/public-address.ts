/** Which addresses a sandbox may be led to: those of the public internet, whatever a name resolves to. */
import ipaddr from 'ipaddr.js'

/** Answers under a public address, and is not public: Azure's platform services, found on every machine there. */
const platform = '168.63.129.16'
/** The part of IPv6 that is global unicast (RFC 4291, 2.4). */
const globalUnicast = ipaddr.IPv6.parseCIDR('2000::/3')

/** Private, link-local, loopback, metadata and addresses that stand for others are not. */
export function isPublicAddress(address: string): boolean {
  if (!ipaddr.isValid(address)) return false
  // IPv4 inside of IPv6 is judged as the IPv4 that it is.
  const ip = ipaddr.process(address)
  if (ip.range() !== 'unicast' || ip.toString() === platform) return false
  return ip instanceof ipaddr.IPv4 || ip.match(globalUnicast)
}
