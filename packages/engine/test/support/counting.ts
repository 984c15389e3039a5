/** A model that counts: four bytes of a request are a token, and what is over its window is refused, as providers do. */
import type { ModelTurn } from '@signalbox/core'
import type { Model, ModelRequest } from '@signalbox/engine'
import { turnModel } from './world.ts'

/** Tokens of a request. */
export const tokensIn = ({ prompt, tools }: Pick<ModelRequest, 'prompt' | 'tools'>): number =>
  Math.ceil(Buffer.byteLength(JSON.stringify({ prompt, tools })) / 4)

/** Counts what `model` is asked, and asks it only what fits. Every request that came is kept. */
export function counting(
  model: Model,
  window: number,
): { readonly model: Model; readonly requests: readonly ModelRequest[] } {
  const requests: ModelRequest[] = []
  return {
    requests,
    model: {
      async call(request, sink, signal) {
        requests.push(request)
        const inputTokens = tokensIn(request)
        if (inputTokens > window) return tooLong(request)
        const turn = await model.call(request, sink, signal)
        return { ...turn, usage: { inputTokens, outputTokens: 20 } }
      },
    },
  }
}

const tooLong = ({ messageId, model }: ModelRequest): ModelTurn => ({
  verdict: 'error',
  message: { id: messageId, role: 'assistant', parts: [] },
  suppressed: [],
  evidence: [],
  finish: null,
  usage: {},
  error: {
    class: 'context_overflow',
    kind: 'context_overflow',
    retryable: false,
    message: 'the prompt is too long',
  },
  provider: 'scripted',
  model: model.model,
})

/** Is a model asked for a summary? */
export const isSummary = ({ prompt }: Pick<ModelRequest, 'prompt'>): boolean =>
  JSON.stringify(prompt.at(-1)).includes('Sum up all of it so far')

/** Asks for `count` results, one per turn, then says that it is done; a summary is what `summary` says. */
export function reader(
  count: number,
  summary: (request: ModelRequest, signal: AbortSignal) => Promise<Partial<ModelTurn>>,
): Model {
  let turn = 0
  const play = turnModel([])
  return {
    async call(request, sink, signal) {
      if (isSummary(request)) {
        const answer = await play.call(request, sink, signal)
        return { ...answer, ...(await summary(request, signal)) }
      }
      const n = turn
      turn += 1
      const asked = n < count ? [{ tool: 'dump', args: { n } }] : 'done'
      const index = request.prompt.filter(({ role }) => role === 'assistant').length
      return turnModel(Array.from({ length: index + 1 }, () => asked)).call(request, sink, signal)
    },
  }
}
