/**
 * A model call that nobody sees stream (C9), and that is broken off once its answer is certain to be too long: what streams for ever is paid for
 * ever. That is so of calls as well, which nobody wants: their arguments have the room of the words.
 */
import { limits, type ModelTurn } from '@signalbox/core'
import type { Model, ModelRequest } from '../ports.ts'

/** Characters of the longest token, on average over a text. */
const charsPerTokenMost = 6

/**
 * Calls the model. An answer of more tokens than that, by the longest there are, comes back as one that reached its length, and so does one that
 * is too long with what is thought before it; what it used is for whoever asked to estimate. Rejects with the reason of the signal.
 */
export async function callBounded(
  model: Model,
  request: ModelRequest,
  {
    tokensMax,
    answerMax,
    signal,
  }: {
    /** Tokens of the words. */
    readonly tokensMax: number
    /** Tokens of all of the answer, what is thought before the words included. */
    readonly answerMax: number
    readonly signal: AbortSignal
  },
): Promise<ModelTurn> {
  const tooLong = new AbortController()
  const said = { text: '', reasoning: '' }
  let argsChars = 0
  const most = {
    text: tokensMax * charsPerTokenMost,
    all: Math.min(answerMax * charsPerTokenMost, limits.turnBytesMax),
  }
  const sink = {
    delta(kind: 'text' | 'reasoning', piece: string) {
      if (tooLong.signal.aborted) return
      said[kind] += piece
      const all = said.text.length + said.reasoning.length
      if (said.text.length > most.text || all > most.all) tooLong.abort()
    },
    arguments(chars: number) {
      if (tooLong.signal.aborted) return
      argsChars += chars
      if (argsChars > Math.min(most.text, most.all)) tooLong.abort()
    },
  }
  try {
    return await model.call(request, sink, AbortSignal.any([signal, tooLong.signal]))
  } catch (error) {
    if (signal.aborted || !tooLong.signal.aborted) throw error
    return {
      verdict: 'length',
      message: { id: request.messageId, role: 'assistant', parts: partsOf(said) },
      suppressed: argsChars > 0 ? [brokenOff(argsChars)] : [],
      evidence: [],
      finish: null,
      usage: {},
      provider: request.model.provider,
      model: request.model.model,
    }
  }
}

/** The calls whose arguments had begun to come. Which calls they are of was not said yet. */
const brokenOff = (argsBytes: number): ModelTurn['suppressed'][number] => ({
  name: '',
  argsBytes,
  argsHmac: '',
})

const partsOf = ({ text, reasoning }: { readonly text: string; readonly reasoning: string }) => [
  ...(reasoning === '' ? [] : [{ type: 'reasoning' as const, text: reasoning }]),
  { type: 'text' as const, text },
]
