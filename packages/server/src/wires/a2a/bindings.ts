/** The bindings of A2A over HTTP: one POST for everything, as JSON-RPC, or an address for each operation; the latter for 0.3, too. */
import type { Context, MiddlewareHandler } from 'hono'
import { z } from 'zod'
import type { Api, ApiEnv } from '../../http/api.ts'
import { eventStream } from '../../http/event-stream.ts'
import { Problem } from '../../http/problem.ts'
import { sseComment } from '../../stream/sse.ts'
import { A2aError, refusalOf } from './errors.ts'
import { isOperation, type A2aOperation, performOperation, type Updates } from './operations.ts'
import { fromOlderHttp, toOlderHttp } from './version-0-3-http.ts'
import { fromOlder, olderMethod, olderVersions, toOlder } from './version-0-3.ts'

const versions: ReadonlySet<string> = new Set(['', '1.0'])

interface Wire {
  readonly agent: string
  /** Wraps a result, or an update. */
  readonly wrap: (result: unknown) => unknown
  /** What the header `A2A-Version` may say. */
  readonly versions: ReadonlySet<string>
}

/** JSON-RPC 2.0: errors stand in the body, beside the status 200. */
export async function jsonRpc(api: Api, c: Context<ApiEnv>, agent: string): Promise<Response> {
  const body: unknown = await c.req.json()
  const request = Request.safeParse(body)
  const id = request.data?.id ?? null
  try {
    if (!request.success)
      throw new A2aError('INVALID_REQUEST', 'Takes { "jsonrpc": "2.0", "id", "method", "params" }.')
    const { method, params } = request.data
    const older = olderMethod(method)
    if (older !== undefined) {
      const wrap = (result: unknown) => ({ jsonrpc: '2.0', id, result: toOlder(result) })
      const wire = { agent, wrap, versions: olderVersions }
      return await answer(api, c, { name: older, params: fromOlder(older, params), wire })
    }
    if (!isOperation(method))
      throw new A2aError('METHOD_NOT_FOUND', `There is no method "${method}" in A2A 1.0.`, 'method')
    const wrap = (result: unknown) => ({ jsonrpc: '2.0', id, result })
    return await answer(api, c, { name: method, params, wire: { agent, wrap, versions } })
  } catch (error) {
    return rpcRefusal(error, id)
  }
}

/** Rethrows what is none of ours. */
function rpcRefusal(error: unknown, id: string | number | null): Response {
  const refusal = refusalOf(error)
  if (!refusal) throw error
  const { rpc: code, message, info, headers } = refusal
  return json({ jsonrpc: '2.0', id, error: { code, message, data: [info] } }, 200, headers)
}

/** Rethrows what is none of ours. */
function restRefusal(error: unknown): Response {
  const refusal = refusalOf(error)
  if (!refusal) throw error
  const { http: code, status, message, info, headers } = refusal
  return json({ error: { code, status, message, details: [info] } }, code, headers)
}

/** Of 0.3 over HTTP: the code of JSON-RPC under its HTTP status. Rethrows what is none of ours. */
function olderRefusal(error: unknown): Response {
  const refusal = refusalOf(error)
  if (!refusal) throw error
  const { http, rpc: code, message, info, headers } = refusal
  return json({ code, message, data: [info] }, http, headers)
}

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number(), z.null()]).optional(),
  method: z.string().max(200),
  params: z.unknown().optional(),
})

/** What is wrong with a body before any operation sees it. */
const ofBody: ReadonlySet<string> = new Set([
  'malformed_json',
  'malformed_encoding',
  'json_too_deep',
  'ambiguous_json',
  'forbidden_key',
  'forbidden_text',
  'invalid_request',
])

/** Addresses of HTTP+JSON that take a body; at others nothing of A2A stands. */
const takesBody =
  /^\/a2a\/[^/]+\/(v1\/)?(?:message:(?:send|stream)|tasks\/[^/]+(?:\/pushNotificationConfigs)?)$/

/** Says in A2A's words what is wrong with a body: it was refused before it was known who is meant by it. */
export const refuseBody: MiddlewareHandler<ApiEnv> = async (c, next) => {
  await next()
  const { error } = c
  if (!(error instanceof Problem) || !ofBody.has(error.code) || c.req.method !== 'POST') return
  const isRpc = /^\/a2a\/[^/]+$/.test(c.req.path)
  const place = takesBody.exec(c.req.path)
  if (!isRpc && !place) return
  c.res = undefined
  if (isRpc) c.res = rpcRefusal(ofRequest(error), null)
  else c.res = place?.[1] === undefined ? restRefusal(error) : olderRefusal(error)
}

/** A body of JSON that is no object is no request of JSON-RPC. */
const ofRequest = (problem: Problem): Error =>
  problem.code === 'invalid_request'
    ? new A2aError('INVALID_REQUEST', problem.facts.detail)
    : problem

/** What is asked at an address of its own. */
interface AskedRest {
  readonly agent: string
  readonly name: A2aOperation
  readonly params: unknown
}

/** HTTP+JSON of 0.3. */
export async function olderRest(
  api: Api,
  c: Context<ApiEnv>,
  { agent, name, params }: AskedRest,
): Promise<Response> {
  try {
    const wire = { agent, wrap: toOlderHttp, versions: olderVersions }
    return await answer(api, c, { name, params: fromOlderHttp(name, params), wire })
  } catch (error) {
    return olderRefusal(error)
  }
}

/** HTTP+JSON: errors are `google.rpc.Status`, under their HTTP status. */
export async function rest(api: Api, c: Context<ApiEnv>, asked: AskedRest): Promise<Response> {
  const { agent, name, params } = asked
  try {
    const wire = { agent, wrap: (result: unknown) => result, versions }
    return await answer(api, c, { name, params, wire })
  } catch (error) {
    return restRefusal(error)
  }
}

async function answer(
  api: Api,
  c: Context<ApiEnv>,
  asked: { readonly name: A2aOperation; readonly params: unknown; readonly wire: Wire },
): Promise<Response> {
  const { name, params, wire } = asked
  const version = c.req.header('a2a-version') ?? ''
  if (!wire.versions.has(version))
    throw new A2aError('VERSION_NOT_SUPPORTED', 'Speaks A2A 1.0.', 'a2a-version')
  const caller = c.get('caller')
  const gone = c.req.raw.signal
  const done = await performOperation(name, {
    api,
    caller,
    agent: wire.agent,
    params: params ?? {},
    gone,
  })
  if ('result' in done) return json(wire.wrap(done.result), 200, {})
  return eventStream(api, (signal) => texts(done.updates(signal), wire))
}

async function* texts(
  updates: ReturnType<Updates>,
  { wrap }: Wire,
): AsyncGenerator<string, void, undefined> {
  for await (const update of updates)
    yield update === null ? sseComment('heartbeat') : `data: ${JSON.stringify(wrap(update))}\n\n`
}

const json = (body: unknown, status: number, headers: Readonly<Record<string, string>>): Response =>
  Response.json(body, { status, headers: { 'cache-control': 'no-store', ...headers } })
