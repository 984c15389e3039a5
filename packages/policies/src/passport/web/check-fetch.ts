/** Limits of web.fetch. Every address a call names must be allowed. */
import { type Json, type JsonObject, type PolicyReason, reason, quoted } from '@signalbox/core'
import { isObject } from '../fields/values.ts'
import { badContext, checkRates, firstOf, textsUnder, type LimitedCall } from '../limit-check.ts'
import { listOf } from '../limit-shape.ts'
import { matchesWildcard } from '../wildcard.ts'
import { checkUrl } from './check-host.ts'

export const urlNames = ['url', 'urls', 'uri', 'href']
const rateKeys = [
  'max_requests_per_min',
  'max_requests_per_minute',
  'requests_per_hour',
  'max_requests_per_hour',
  'max_requests_per_day',
]

/** Refuses what the passport does not allow. Redirects are not seen here: who follows them must ask again. */
export function checkFetchCall(call: LimitedCall): PolicyReason | null {
  const urls = textsUnder(call.request.args, urlNames)
  if (urls === null)
    return badContext('The call must have an address in "url", as a text that is not empty.')
  return firstOf(
    ...urls.map((url) => () => checkUrl(call, url)),
    () => checkMethod(call),
    () => checkHeaders(call),
    () => checkRates(call, rateKeys),
  )
}

function checkMethod({ limits, request }: LimitedCall): PolicyReason | null {
  const method = request.args['method'] ?? 'GET'
  if (typeof method !== 'string') return badContext('"method" must be a text, for example "GET".')
  const allowed = listOf(limits, 'allowed_methods')
  if (allowed === null || allowed.includes('*')) return null
  if (allowed.some((each) => each.toUpperCase() === method.toUpperCase())) return null
  const text = `The method ${quoted(method)} is not in limits.web.fetch.allowed_methods.`
  return reason('oap.method_not_allowed', text)
}

function checkHeaders({ limits, request }: LimitedCall): PolicyReason | null {
  const headers = request.args['headers']
  if (headers === undefined) return null
  if (!isHeaders(headers)) return badContext('"headers" must be an object of texts.')
  const blocked = listOf(limits, 'blocked_headers') ?? []
  const found = Object.keys(headers).find((name) =>
    blocked.some((each) => matchesWildcard(each.toLowerCase(), name.trim().toLowerCase())),
  )
  // A host header would send the request to another site behind the same address.
  const hidden = Object.keys(headers).find((name) => name.trim().toLowerCase() === 'host')
  if (found === undefined && hidden === undefined) return null
  const text = `The header ${quoted(found ?? hidden ?? '')} is not allowed: leave it out.`
  return reason('oap.header_blocked', text)
}

const isHeaders = (value: Json): value is JsonObject =>
  isObject(value) && Object.values(value).every((each) => typeof each === 'string')
