/**
 * A policy server with OPA's data API: `POST {url}` with `{ input: request }`, `{ result }` in the answer.
 * No `result` is OPA's word for "no rule matched": a denial. Connections are kept by the global `fetch`.
 */
import type { HttpPolicySpec, PolicyAnswer, PolicyRequest } from '@signalbox/core'
import { z } from 'zod'
import { denial, readAnswer } from '../answer.ts'
import { bounds } from '../bounds.ts'
import { within } from '../deadline.ts'
import { parseJson, reach, readText } from './body.ts'

/** The things that asking a server takes. */
export interface ServerWorld {
  readonly fetch: typeof globalThis.fetch
  /** Where tokens are looked up, by the name that a policy's `tokenEnv` gives. */
  readonly env: Readonly<Record<string, string | undefined>>
  readonly signal: AbortSignal
}

const Body = z.object({ result: z.unknown().optional() })

/** Asks. Rejects when the server does not answer in time, or with anything that is no answer. */
export async function askServer(
  spec: HttpPolicySpec,
  request: PolicyRequest,
  world: ServerWorld,
): Promise<PolicyAnswer> {
  const late = `The policy server did not answer within ${spec.timeoutMs} ms.`
  return within({ ms: spec.timeoutMs, signal: world.signal, late }, async (signal) => {
    const response = await reach(world.fetch, spec.url, {
      method: 'POST',
      headers: headersOf(spec, world.env),
      body: JSON.stringify({ input: request }),
      signal,
    })
    if (!response.ok) throw new Error(`The policy server answered ${response.status}.`)
    const body = Body.safeParse(parseJson(await readText(response, bounds.answerBytesMax)))
    if (!body.success) throw new Error('The answer is not an object.')
    if (body.data.result === undefined) {
      return denial(spec, 'oap.denied', 'The policy server made no decision about this call.')
    }
    return readAnswer(spec, body.data.result)
  })
}

function headersOf(spec: HttpPolicySpec, env: ServerWorld['env']): Record<string, string> {
  const headers = { 'content-type': 'application/json', accept: 'application/json' }
  if (spec.tokenEnv === undefined) return headers
  const token = env[spec.tokenEnv]
  // `fetch` quotes a header value it refuses in its error, and errors are logged.
  if (token === undefined || !/^[\x21-\x7e]+$/.test(token)) {
    throw new Error(`The environment variable ${spec.tokenEnv} holds no bearer token.`)
  }
  return { ...headers, authorization: `Bearer ${token}` }
}
