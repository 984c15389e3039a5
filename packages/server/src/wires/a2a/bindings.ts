/** The two bindings of A2A over HTTP: one POST for everything, as JSON-RPC, or an address for each operation. */
import type { Context } from 'hono'
import { z } from 'zod'
import type { Api, ApiEnv } from '../../http/api.ts'
import { eventStream } from '../../http/event-stream.ts'
import { sseComment } from '../../stream/sse.ts'
import { A2aError, refusalOf } from './errors.ts'
import { isOperation, type OperationName, perform, type Updates } from './operations.ts'

const versions = new Set(['', '1.0'])

interface Wire {
  readonly agent: string
  /** Wraps a result, or an update. */
  readonly wrap: (result: unknown) => unknown
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
    if (!isOperation(method))
      throw new A2aError('METHOD_NOT_FOUND', `There is no method "${method}" in A2A 1.0.`, 'method')
    const wrap = (result: unknown) => ({ jsonrpc: '2.0', id, result })
    return await answer(api, c, { name: method, params, wire: { agent, wrap } })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const { rpc: code, message, info, headers } = refusal
    return json({ jsonrpc: '2.0', id, error: { code, message, data: [info] } }, 200, headers)
  }
}

const Request = z.object({
  jsonrpc: z.literal('2.0'),
  id: z.union([z.string().max(200), z.number(), z.null()]).optional(),
  method: z.string().max(200),
  params: z.unknown().optional(),
})

/** HTTP+JSON: errors are `google.rpc.Status`, under their HTTP status. */
export async function rest(
  api: Api,
  c: Context<ApiEnv>,
  asked: { readonly agent: string; readonly name: OperationName; readonly params: unknown },
): Promise<Response> {
  const { agent, name, params } = asked
  try {
    return await answer(api, c, { name, params, wire: { agent, wrap: (result) => result } })
  } catch (error) {
    const refusal = refusalOf(error)
    if (!refusal) throw error
    const { http: code, status, message, info, headers } = refusal
    return json({ error: { code, status, message, details: [info] } }, code, headers)
  }
}

async function answer(
  api: Api,
  c: Context<ApiEnv>,
  asked: { readonly name: OperationName; readonly params: unknown; readonly wire: Wire },
): Promise<Response> {
  const { name, params, wire } = asked
  const version = c.req.header('a2a-version') ?? ''
  if (!versions.has(version))
    throw new A2aError('VERSION_NOT_SUPPORTED', 'Speaks A2A 1.0.', 'a2a-version')
  const caller = c.get('caller')
  const gone = c.req.raw.signal
  const done = await perform(name, { api, caller, agent: wire.agent, params: params ?? {}, gone })
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
