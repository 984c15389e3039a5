/** The edge of the app: whatever a handler throws becomes a problem document. */
import { NewerError } from '@signalbox/core'
import { definitionChanged, isChanged } from '@signalbox/engine'
import type { ErrorHandler } from 'hono'
import { HTTPException } from 'hono/http-exception'
import type { Api, ApiEnv } from './api.ts'
import { Problem, problemResponse } from './problem.ts'
import { troubleDetails, troubleIn } from './register-errors.ts'

const retryAfterS = 2

/** Internals go to the log, under an id that the answer names; never into the answer. */
export const onError =
  (api: Pick<Api, 'log' | 'random'>): ErrorHandler<ApiEnv> =>
  (error, c) => {
    const about = { method: c.req.method, path: c.req.path, requestId: c.get('requestId') }
    const { code, facts } = problemIn(api, error, about)
    return problemResponse(code, facts)
  }

/** What a caller is told of whatever was thrown. `about` is for the log. */
export function problemIn(
  api: Pick<Api, 'log' | 'random'>,
  error: unknown,
  about: Readonly<Record<string, unknown>>,
): Problem {
  if (error instanceof Problem) return error
  if (error instanceof HTTPException) return ofHttp(error)
  const trouble = troubleIn(error)
  if (trouble !== null) {
    api.log.warn('the register cannot do its work', { ...about, trouble })
    return new Problem(trouble, {
      detail: troubleDetails[trouble],
      headers: { 'retry-after': String(retryAfterS) },
    })
  }
  if (error instanceof NewerError) {
    api.log.warn('a request was for a newer build', { ...about, error: error.message })
    return new Problem('newer_build', {
      detail: `This process cannot do that: ${error.message}. A process of that version can.`,
      headers: { 'retry-after': String(retryAfterS) },
    })
  }
  if (isChanged(error)) {
    api.log.error('a definition was changed where it is stored', {
      ...about,
      error: error.message,
    })
    return new Problem(definitionChanged, { detail: `Nothing was done: ${error.message}.` })
  }
  const logId = api.random.uuid()
  const { name, message, stack } = error instanceof Error ? error : new Error(String(error))
  api.log.error('a request broke', { ...about, logId, name, message, stack })
  return new Problem('internal', {
    detail: 'Something broke inside. The log says what, under the log_id.',
    more: { log_id: logId },
  })
}

function ofHttp(error: HTTPException): Problem {
  if (error.status === 415)
    return new Problem('unsupported_media_type', {
      detail: 'The body must come with Content-Type: application/json.',
    })
  return new Problem('malformed_json', { detail: 'The body is not a JSON document.' })
}
