/**
 * The address under which clients reach this server, for what names itself by it: as the configuration says, or a proxy that
 * the configuration names, or else as it was asked.
 */
import { isIn, rangeOf } from '../webhooks/reach.ts'
import { readHost } from './hosts.ts'

/** How a request came. */
interface Arrival {
  readonly url: string
  readonly headers: Headers
  /** Who is at the other end of the connection. */
  readonly peer: string | undefined
}

/** Says the address, without a slash at its end. */
export type PublicAddress = (arrival: Arrival) => string

/** What a proxy may say that takes a path away. */
const prefixForm = /^(?:\/(?!\.{1,2}(?:\/|$))[\w.~-]{1,100}){1,10}$/

export function publicAddress(settings: {
  readonly publicUrl: string | null
  readonly proxies: readonly string[]
}): PublicAddress {
  const { publicUrl } = settings
  const ranges = settings.proxies.map(rangeOf).filter((range) => range !== null)
  return ({ url, headers, peer }) => {
    if (publicUrl !== null) return publicUrl.replace(/\/+$/, '')
    const asked = new URL(url)
    if (peer === undefined || !isIn(ranges, peer)) return asked.origin
    const said = (name: string): string => lastOf(headers.get(`x-forwarded-${name}`))
    const [proto, host, prefix] = [said('proto').toLowerCase(), said('host'), said('prefix')]
    const scheme = ['http', 'https'].includes(proto) ? `${proto}:` : asked.protocol
    const place = readHost(host) === null ? asked.host : host
    return `${scheme}//${place}${prefixForm.test(prefix) ? prefix : ''}`
  }
}

/** What the nearest proxy said: the others may be anybody. */
const lastOf = (values: string | null): string => values?.split(',').at(-1)?.trim() ?? ''
