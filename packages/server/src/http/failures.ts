/** The edge of the app: whatever a handler throws becomes a problem document. */
import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Api, ApiEnv } from './api.ts'
import { Problem, problemResponse } from './problem.ts'
import { isUnavailable } from './register-errors.ts'

const retryAfterS = 2

/** Internals go to the log, under an id that the answer names; never into the answer. */
export const onError =
  (api: Pick<Api, 'log' | 'random'>): ErrorHandler<ApiEnv> =>
  (error, c) => {
    if (error instanceof Problem) return problemResponse(error.code, error.facts)
    if (error instanceof HTTPException) return ofHttp(error)
    const about = { method: c.req.method, path: c.req.path }
    if (isUnavailable(error)) {
      api.log.warn('the register cannot be reached', about)
      return problemResponse('register_unavailable', {
        detail:
          'Postgres does not answer. Nothing is lost; try again, with the same Idempotency-Key.',
        headers: { 'retry-after': String(retryAfterS) },
      })
    }
    const logId = api.random.uuid()
    const why = { name: error.name, message: error.message, stack: error.stack }
    api.log.error('a request broke', { ...about, logId, ...why })
    return problemResponse('internal', {
      detail: 'Something broke inside. The log says what, under the log_id.',
      more: { log_id: logId },
    })
  }

function ofHttp(error: HTTPException): Response {
  if (error.status === 415)
    return problemResponse('unsupported_media_type', {
      detail: 'The body must come with Content-Type: application/json.',
    })
  return problemResponse('malformed_json', { detail: 'The body is not a JSON document.' })
}
