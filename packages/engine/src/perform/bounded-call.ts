/** A model call that nobody sees stream (C9), and that is broken off once its answer is certain to be too long: what streams for ever is paid for ever. */
import type { ModelTurn } from '@signalbox/core'
import type { Model, ModelRequest } from '../ports.ts'

/** Characters of the longest token, on average over a text. */
const charsPerTokenMost = 6

/**
 * Calls the model. An answer of more tokens than that, by the longest there are, comes back as one that reached its length; what it used is for
 * whoever asked to estimate. Rejects with the reason of the signal.
 */
export async function callBounded(
  model: Model,
  request: ModelRequest,
  { tokensMax, signal }: { readonly tokensMax: number; readonly signal: AbortSignal },
): Promise<ModelTurn> {
  const tooLong = new AbortController()
  let text = ''
  const sink = {
    delta(kind: 'text' | 'reasoning', piece: string) {
      if (kind !== 'text' || tooLong.signal.aborted) return
      text += piece
      if (text.length > tokensMax * charsPerTokenMost) tooLong.abort()
    },
  }
  try {
    return await model.call(request, sink, AbortSignal.any([signal, tooLong.signal]))
  } catch (error) {
    if (signal.aborted || !tooLong.signal.aborted) throw error
    return {
      verdict: 'length',
      message: { id: request.messageId, role: 'assistant', parts: [{ type: 'text', text }] },
      suppressed: [],
      evidence: [],
      finish: null,
      usage: {},
      provider: request.model.provider,
      model: request.model.model,
    }
  }
}
