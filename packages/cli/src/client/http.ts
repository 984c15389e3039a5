/** Requests to the API: the key, JSON in and out, problems as failures. */
import type { z } from 'zod'
import { exitCodes } from '../exit-codes.ts'
import { Failure } from '../failure.ts'
import { refusal, unreachable } from './problem.ts'

export interface Server {
  /** Without a slash at the end. */
  readonly url: string
  readonly apiKey: string | null
}

/** Parameters by name; a list stands for several of one name. */
export type Query = Readonly<Record<string, string | number | readonly string[] | undefined>>

export interface HttpRequest {
  readonly method?: 'GET' | 'POST' | 'DELETE'
  readonly body?: unknown
  readonly headers?: Readonly<Record<string, string>>
  readonly query?: Query
  readonly signal?: AbortSignal
}

/**
 * Sends a request and answers the response, if it is a good one.
 *
 * @throws Failure
 */
export async function sendRequest(
  server: Server,
  path: string,
  request: HttpRequest = {},
): Promise<Response> {
  const { method = 'GET', body, query = {}, signal } = request
  const url = new URL(`${server.url}${path}`)
  for (const [name, value] of Object.entries(query))
    for (const each of value === undefined ? [] : [value].flat())
      url.searchParams.append(name, String(each))
  const headers = {
    ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    ...(server.apiKey === null ? {} : { authorization: `Bearer ${server.apiKey}` }),
    ...request.headers,
  }
  let response: Response
  try {
    response = await fetch(url, {
      method,
      headers,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    })
  } catch (error) {
    signal?.throwIfAborted()
    throw unreachable(server.url, error)
  }
  if (response.ok) return response
  throw await refusal(response, server.url)
}

/** Sends a request and reads its answer. @throws Failure */
export async function ask<Schema extends z.ZodType>(
  server: Server,
  schema: Schema,
  to: HttpRequest & { readonly path: string },
): Promise<z.output<Schema>> {
  const response = await sendRequest(server, to.path, to)
  let text: string
  try {
    text = await response.text()
  } catch (error) {
    to.signal?.throwIfAborted()
    throw unreachable(server.url, error)
  }
  return readAnswer(server, schema, text)
}

/** Reads what the server said. @throws Failure */
export function readAnswer<Schema extends z.ZodType>(
  server: Server,
  schema: Schema,
  text: string,
): z.output<Schema> {
  try {
    return schema.parse(JSON.parse(text))
  } catch (cause) {
    const message = `${server.url} answers something that is not Signalbox, or another version of it. Name another server with --url.`
    throw new Failure('not_signalbox', message, { exitCode: exitCodes.unreachable, cause })
  }
}

/** An id as part of a path. */
export const inPath = (id: string): string => encodeURIComponent(id)
