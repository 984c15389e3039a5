/** Addresses that are refused as they stand, before anything is looked up. */
import { isAddress, isPublic, plainHost, type Reach } from './reach.ts'

/** Why a webhook may not have this address, null if it may. What a name leads to is checked when it is connected to. */
export function webhookRefusal(url: URL, reach: Reach): string | null {
  if (url.username !== '' || url.password !== '') return 'takes no name and no password'
  // The parser has made 127.0.0.1 of all the ways there are to write it.
  const host = plainHost(url.hostname)
  const numeric = isAddress(host)
  const opened = reach.opens(host) || (numeric && reach.admits(host) && !isPublic(host))
  if (numeric && !opened && !isPublic(host))
    return 'leads to an address that is not of the public internet; webhooks.allow opens such'
  if (url.protocol === 'https:' || (url.protocol === 'http:' && opened)) return null
  return 'takes an address that begins with https://; webhooks.allow opens hosts for http://'
}
