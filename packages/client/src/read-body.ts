/** Bodies, read piece by piece, so that none is larger than the caller can bear and none is waited for in vain. */
import { SignalboxError, unreachable } from './error.ts'

/** Gives up a server that is silent. */
export interface SilenceWatch {
  /** Aborted by silence, and by the caller's own signal. */
  readonly signal: AbortSignal
  /** Something came. */
  readonly heard: () => void
  readonly stop: () => void
  /** What a broken connection means: the reason of the caller's signal, or a server that is not there. */
  readonly failure: (error: unknown) => unknown
}

/** Begins to watch. Stop it, or its timer keeps the process. */
export function startWatch(
  url: string,
  { silenceMs, signal }: { readonly silenceMs: number; readonly signal: AbortSignal | undefined },
): SilenceWatch {
  const silent = new AbortController()
  const start = () => setTimeout(() => silent.abort(), silenceMs)
  let timer = start()
  return {
    signal: signal ? AbortSignal.any([signal, silent.signal]) : silent.signal,
    heard: () => {
      clearTimeout(timer)
      timer = start()
    },
    stop: () => clearTimeout(timer),
    failure: (error) => (signal?.aborted ? signal.reason : unreachable(url, error)),
  }
}

/** The texts of a body as they come. Left early, it drops the connection. Throws what `failure` of the watch says. */
export async function* textsOf(
  response: Response,
  watch: SilenceWatch,
): AsyncGenerator<string, void> {
  if (response.body === null) return
  const decoder = new TextDecoder()
  const reader = response.body.getReader()
  const read = () => reader.read().catch((error: unknown) => Promise.reject(watch.failure(error)))
  try {
    for (let piece = await read(); !piece.done; piece = await read()) {
      watch.heard()
      yield decoder.decode(piece.value, { stream: true })
    }
    const rest = decoder.decode()
    if (rest !== '') yield rest
  } finally {
    // A body that broke cannot be cancelled any more, and need not be.
    await reader.cancel().catch(() => {})
  }
}

/** The whole body. @throws SignalboxError `answer_too_large` */
export async function readText(
  response: Response,
  { watch, bytesMax }: { readonly watch: SilenceWatch; readonly bytesMax: number },
): Promise<string> {
  let text = ''
  for await (const piece of textsOf(response, watch)) {
    // No text has more characters than bytes, so this bounds what is held.
    if (text.length + piece.length > bytesMax) throw tooLarge(bytesMax)
    text += piece
  }
  return text
}

/** For an answer that nobody would want to hold. */
export const tooLarge = (bytesMax: number): SignalboxError =>
  new SignalboxError(
    'answer_too_large',
    `The answer has more than ${bytesMax} bytes. Ask for less, or raise answerBytesMax.`,
  )
