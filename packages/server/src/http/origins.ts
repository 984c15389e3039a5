/** Origins of pages: as settings name them, and as browsers send them (RFC 6454). */

/** Pages that are served from this machine, at every port: what `dev` lets in. */
export const localOrigins: readonly string[] = ['http', 'https'].flatMap((scheme) =>
  ['localhost', '127.0.0.1', '[::1]'].map((host) => `${scheme}://${host}:*`),
)

const form = /^([a-z][a-z0-9+.-]*):\/\/([^/?#@*\s]+?)(:\*)?$/i

/**
 * The origin that a setting names, as browsers spell it; `http://localhost:*` stands for every port. Null if the text is no
 * origin: `null` is none, since every page can make itself one of it, and `*` would be all of them.
 */
export function originNamed(text: string): string | null {
  const [, scheme = '', place = '', anyPort = ''] = form.exec(text) ?? []
  if (scheme === '') return null
  // Of pages in an app (`capacitor://localhost`), which browsers do not read any further.
  if (!/^https?$/i.test(scheme)) return anyPort === '' ? text.toLowerCase() : null
  const url = URL.parse(`${scheme}://${place}`)
  if (url === null || (anyPort !== '' && url.port !== '')) return null
  return anyPort === '' ? url.origin : everyPort(url)
}

const everyPort = ({ protocol, hostname }: URL): string => `${protocol}//${hostname}:*`

/** Is an `Origin` one of those that a setting names? */
export function originsOf(named: readonly string[]): (origin: string) => boolean {
  const all = new Set(named.map(originNamed))
  return (origin) => {
    const url = URL.parse(origin)
    if (url === null) return false
    return all.has(origin) || (url.origin === origin && all.has(everyPort(url)))
  }
}

/** Is the page of the very host that it asks? A proxy may have changed the scheme. */
export function isOfHost(origin: string, host: string): boolean {
  const url = URL.parse(origin)
  if (url === null || url.origin !== origin) return false
  // By the page's own scheme, which says what port is left out.
  return URL.parse(`${url.protocol}//${host}`)?.host === url.host
}
