/** The outermost place of the API: whoever stands there sees each request and the answer that it gets, whatever made it. */
import type { OpenAPIHono } from '@hono/zod-openapi'
import type { ApiEnv } from '../http/api.ts'

/** A request and its answer. */
export interface Exchange {
  readonly request: Request
  readonly response: Response
  /** The OpenAPI document of the server that answered. */
  readonly document: object
}

/** Sees an exchange and says what is sent: the answer, or one with the same content. The tests check all answers here. */
export type Inspect = (exchange: Exchange) => Response

/** An app behind which somebody looks on. */
export const inspected = (
  app: Pick<OpenAPIHono<ApiEnv>, 'fetch'>,
  document: object,
  inspect: Inspect,
): Pick<OpenAPIHono<ApiEnv>, 'fetch'> => ({
  fetch: async (request, ...rest) =>
    inspect({ request, response: await app.fetch(request, ...rest), document }),
})
