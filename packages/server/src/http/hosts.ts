/**
 * Hosts that a server is asked by. A browser sends the name that stands in the address of the page, so the name tells a page
 * of ours from one whose name was made to lead to this machine (DNS rebinding). No address can be made to lead elsewhere.
 */
import { isIP, isIPv4 } from 'node:net'

interface Host {
  /** As it is compared: lower case, without the dot of the root, IPv6 in its shortest form and brackets. */
  readonly name: string
  /** Empty where none is said. */
  readonly port: string
}

const form = /^(\[[0-9a-f:.]+\]|[a-z0-9._-]+)(?::(\d{1,5}))?$/i

/** Reads a `Host`; null if it is none. */
export function readHost(text: string): Host | null {
  const [, place = '', port = ''] = form.exec(text) ?? []
  const name = URL.parse(`http://${place}/`)?.hostname.replace(/\.$/, '')
  return name ? { name, port } : null
}

const always = ['localhost', '127.0.0.1', '[::1]']

/**
 * Is a server asked by a name of its own? `named` are names that a setting adds, for every port or for one; `bound` is where it
 * listens. A server that others can reach is also known by every address: it has several, and others in front of a proxy.
 */
export function hostsOf(named: readonly string[], bound: string): (text: string) => boolean {
  const own = new Set([...always, bracketed(bound), ...named].map(spelt))
  const byAddress = !isLoopback(bound)
  return (text) => {
    const host = readHost(text)
    if (host === null) return false
    return own.has(host.name) || own.has(spelt(text)) || (byAddress && isAddress(host.name))
  }
}

function spelt(text: string): string | null {
  const host = readHost(text)
  return host && (host.port === '' ? host.name : `${host.name}:${host.port}`)
}

const bracketed = (host: string): string => (isIP(host) === 6 ? `[${host}]` : host)

const isAddress = (name: string): boolean => isIP(name.replace(/^\[(.*)\]$/, '$1')) !== 0

/** Is it reached from this machine only? A name other than localhost may lead anywhere, whatever it begins with. */
export const isLoopback = (host: string): boolean =>
  host === 'localhost' || host === '::1' || (isIPv4(host) && host.startsWith('127.'))
