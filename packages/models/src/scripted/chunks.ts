/** A scripted answer as chunks of the chat-completions wire: what a real server would send, the same on every call. */
import type { ScriptedCall, ScriptedTurn } from './script.ts'

const defaultChunkSize = 24

export interface ChunkHead {
  readonly model: string
  readonly turnIndex: number
  readonly promptTokens: number
}

/** The chunks in order, without the closing `[DONE]`. */
export function scriptedChunks(turn: ScriptedTurn, head: ChunkHead): readonly object[] {
  const chunk = (rest: object): object => ({
    id: `chatcmpl-script-${head.turnIndex}`,
    object: 'chat.completion.chunk',
    created: 0,
    model: head.model,
    ...rest,
  })
  const deltas = [
    { role: 'assistant', content: '' },
    ...pieces(turn.reasoning ?? '', turn.chunkSize).map((it) => ({ reasoning_content: it })),
    ...pieces(turn.text ?? '', turn.chunkSize).map((it) => ({ content: it })),
    ...callDeltas(turn),
  ]
  const chunks = deltas.map((delta) =>
    chunk({ choices: [{ index: 0, delta, finish_reason: null }] }),
  )
  const ending = turn.ending ?? 'stop'
  if (ending === 'error')
    return [...chunks, { error: { message: 'The scripted model failed.', type: 'server_error' } }]
  if (ending === 'eof' || ending === 'reset') return chunks
  const reason = turn.finishReason ?? finishReason(ending, turn)
  return [
    ...chunks,
    chunk({ choices: [{ index: 0, delta: {}, finish_reason: reason }] }),
    chunk({ choices: [], usage: usage(deltas, head.promptTokens) }),
  ]
}

function finishReason(ending: 'stop' | 'content_filter' | 'length', turn: ScriptedTurn): string {
  if (ending !== 'stop') return ending
  return turn.calls && turn.calls.length > 0 ? 'tool_calls' : 'stop'
}

function callDeltas(turn: ScriptedTurn): readonly object[] {
  const calls = turn.calls ?? []
  const whole = (turn.ending ?? 'stop') === 'stop' && turn.finishReason === undefined
  return calls.flatMap((call, index) => {
    const args = argsText(call)
    const sent =
      whole || index < calls.length - 1 ? args : args.slice(0, Math.ceil(args.length / 2))
    const start = {
      index,
      id: `call_${index}`,
      type: 'function',
      function: { name: call.name, arguments: '' },
    }
    return [
      start,
      ...pieces(sent, turn.chunkSize).map((it) => ({ index, function: { arguments: it } })),
    ].map((piece) => ({ tool_calls: [piece] }))
  })
}

function argsText({ args }: ScriptedCall): string {
  return typeof args === 'string' ? args : JSON.stringify(args)
}

function pieces(text: string, size = defaultChunkSize): readonly string[] {
  const step = Math.max(1, size)
  return Array.from({ length: Math.ceil(text.length / step) }, (_, index) =>
    text.slice(index * step, (index + 1) * step),
  )
}

/** A token is four characters: not true, but the same everywhere, so budgets can be tested. */
function usage(deltas: readonly object[], promptTokens: number): object {
  const characters = deltas.reduce((sum, delta) => sum + Object.values(delta).join('').length, 0)
  const completionTokens = Math.ceil(characters / 4)
  return {
    prompt_tokens: promptTokens,
    completion_tokens: completionTokens,
    total_tokens: promptTokens + completionTokens,
  }
}
