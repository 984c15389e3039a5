/**
 * Addresses of the web, read by hand: core has no URL.
 *
 * W1 Only what every reader reads alike is accepted. Userinfo, backslashes, percent signs in the host, spaces and control
 *    characters anywhere are refused: browsers, servers and libraries disagree about them.
 * W2 A host has one spelling here: lower case, no final dot, IPv4 in four decimals, IPv6 in full. Names beyond ASCII are
 *    refused; their `xn--` form is accepted.
 */
import { parseIpv4, parseIpv6 } from './ip.ts'

/** Where an address leads. */
export interface Address {
  readonly scheme: 'http' | 'https'
  readonly host: Host
  /** Null: the scheme's own. */
  readonly port: number | null
}

/** A host in its one spelling. */
export interface Host {
  readonly kind: 'name' | 'ipv4' | 'ipv6'
  readonly name: string
}

/** An address, or what is wrong with it. */
export type AddressReading =
  | { readonly ok: true; readonly address: Address }
  | { readonly ok: false; readonly problem: string }

const urlCharsMax = 8192
const refuse = (problem: string): AddressReading => ({ ok: false, problem })

/** Reads an address with a scheme and a host. */
export function readAddress(url: string): AddressReading {
  if (url.length > urlCharsMax) return refuse(`must have at most ${urlCharsMax} characters`)
  if (/[\s\p{Cc}\p{Cf}\\]/u.test(url))
    return refuse('must not have spaces, control characters or backslashes')
  const match = /^(https?):\/\/([^/?#]*)/i.exec(url)
  if (!match) return refuse('must start with http:// or https:// and a host')
  const authority = match[2] ?? ''
  if (authority.includes('@')) return refuse('must not have a user or a password')
  if (authority.includes('%')) return refuse('must not have percent signs in the host')
  const split = /^(\[[^\]]*\]|[^:[\]]*)(?::(\d{0,5}))?$/.exec(authority)
  if (!split) return refuse('must have a host and a port that can be read')
  const host = readHost(split[1] ?? '')
  if (host === null) return refuse('must have a host that can be read; write it in ASCII')
  const port = split[2] ? Number(split[2]) : null
  if (port !== null && port > 65_535) return refuse('must have a port of at most 65535')
  return {
    ok: true,
    address: { scheme: match[1]?.toLowerCase() === 'http' ? 'http' : 'https', host, port },
  }
}

/** A host in its one spelling; null if it is none. IPv6 stands in brackets. */
export function readHost(text: string): Host | null {
  if (text.startsWith('[')) {
    const ipv6 = text.endsWith(']') ? parseIpv6(text.slice(1, -1)) : null
    return ipv6 && { kind: 'ipv6', name: ipv6.map((part) => part.toString(16)).join(':') }
  }
  const name = text.toLowerCase().replace(/\.$/, '')
  if (name.length > 253 || !name.split('.').every(isLabel)) return null
  const last = name.slice(name.lastIndexOf('.') + 1)
  // Whatever ends like a number is an IPv4 address to a browser, or an error.
  if (!/^(?:\d+|0x[0-9a-f]*)$/.test(last)) return { kind: 'name', name }
  const ipv4 = parseIpv4(name)
  return ipv4 && { kind: 'ipv4', name: ipv4.join('.') }
}

const isLabel = (label: string): boolean =>
  label.length <= 63 && /^[a-z0-9_](?:[a-z0-9_-]*[a-z0-9_])?$/.test(label)
