/**
 * Who may open a socket from a web page. A browser asks nobody before it opens one: without this, any page could talk to an
 * open server on the machine of whoever reads it, or to one behind a proxy that knows them by a cookie.
 */
import { Problem } from '../../../http/problem.ts'

/** Programs send no Origin. @throws Problem `foreign_origin` where a page of another address asks */
export function refuseForeign(headers: Headers): void {
  const origin = headers.get('origin')
  if (origin === null || isSame(origin, headers.get('host'))) return
  throw new Problem('foreign_origin', {
    detail: 'The Origin of the page is not the Host that was asked.',
    field: 'origin',
  })
}

function isSame(origin: string, host: string | null): boolean {
  if (host === null || !URL.canParse(origin)) return false
  const { protocol, host: page } = new URL(origin)
  // By the page's own scheme, which says what port is left out.
  const asked = `${protocol}//${host}`
  return /^https?:$/.test(protocol) && URL.canParse(asked) && new URL(asked).host === page
}
