import type { JsonObject } from '@signalbox/core'
import { fields, parseJson, text } from '../read.ts'
import { scriptedChunks } from './chunks.ts'
import { promptOfBody } from './read-prompt.ts'
import { type Scripts, turnIndexOf } from './script.ts'

/** The answer to one request: a stream of server-sent events, or a status with an error. */
export type Played =
  | {
      readonly kind: 'stream'
      readonly model: string
      readonly events: readonly string[]
      readonly delayMs: number
      /** The connection breaks after the events, instead of closing. */
      readonly reset: boolean
    }
  | {
      readonly kind: 'status'
      readonly model: string
      readonly status: number
      readonly headers: Readonly<Record<string, string>>
      readonly body: string
    }

/** Plays the script that the body of a chat-completions request names. Never throws: a script that does is a 500. */
export function play(scripts: Scripts, requestBody: string): Played {
  const body = fields(parseJson(requestBody))
  const model = text(body?.['model']) ?? ''
  if (!body) return failure(model, 400, { message: 'The body is not a JSON object.' })
  const script = Object.hasOwn(scripts, model) ? scripts[model] : undefined
  if (!script)
    return failure(model, 404, { message: `No script "${model}".`, code: 'model_not_found' })
  try {
    const prompt = promptOfBody(body)
    const turnIndex = turnIndexOf(prompt)
    const turn = script(prompt, turnIndex)
    if (turn.status) {
      const { code, retryAfterS, error } = turn.status
      const headers = retryAfterS === undefined ? {} : { 'retry-after': String(retryAfterS) }
      const said = error ?? { message: `The script answers with ${code}.` }
      return { ...failure(model, code, said), headers: { ...jsonHeaders, ...headers } }
    }
    const promptTokens = Math.ceil(requestBody.length / 4)
    const events = scriptedChunks(turn, { model, turnIndex, promptTokens }).map(
      (chunk) => `data: ${JSON.stringify(chunk)}\n\n`,
    )
    const ended = turn.ending !== 'eof' && turn.ending !== 'reset'
    return {
      kind: 'stream',
      model,
      events: ended ? [...events, 'data: [DONE]\n\n'] : events,
      delayMs: turn.delayMs ?? 0,
      reset: turn.ending === 'reset',
    }
  } catch (error) {
    return failure(model, 500, { message: `The script "${model}" threw: ${String(error)}` })
  }
}

const jsonHeaders = { 'content-type': 'application/json' }

function failure(model: string, status: number, error: JsonObject) {
  return {
    kind: 'status' as const,
    model,
    status,
    headers: jsonHeaders,
    body: JSON.stringify({ error }),
  }
}
