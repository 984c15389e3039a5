/** Addresses of policy servers and passports. */

/** Is a passport's source an address, rather than a path? */
export const isWebAddress = (source: string): boolean => /^https?:\/\//i.test(source)

/** The fault of an address, as the end of a sentence; null if it has none. */
export function faultOf(address: string): string | null {
  const url = URL.parse(address)
  if (url === null) return 'is not a URL'
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return 'is neither http nor https'
  if (url.username !== '' || url.password !== '') return 'holds a name or a password'
  return null
}

/** An address for logs: without its query, which may hold a key (I20). */
export function addressForLogs(address: string): string {
  const url = URL.parse(address)
  return url === null ? '[not a URL]' : url.origin + url.pathname
}
