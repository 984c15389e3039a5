/** The output of a command, as notes of progress: the newest end of it, a few times a second. */
import { limits } from '@signalbox/core'
import type { Mask } from './mask.ts'

/** At most four notes a second. */
const betweenMs = 250

/** Takes output as it comes. After `stop` nothing is said any more. */
export function showLive(
  progress: (note: string) => void,
  mask: Mask,
): {
  readonly take: (stream: 'stdout' | 'stderr', chunk: Uint8Array) => void
  readonly stop: () => void
} {
  // A character may be cut between two pieces: each stream has its own decoder.
  const decoders = { stdout: new TextDecoder(), stderr: new TextDecoder() }
  let tail = ''
  let timer: NodeJS.Timeout | null = null
  let isOver = false
  const say = (): void => {
    timer = null
    const said = mask.clean(tail).slice(-limits.progressCharsMax)
    if (!isOver && said.trim() !== '') progress(said)
  }
  return {
    take: (stream, chunk) => {
      // Of a large piece only the end can be shown.
      const most = tailBytes + mask.longest * bytesPerChar
      const end = chunk.length > most ? chunk.subarray(chunk.length - most) : chunk
      const text = decoders[stream].decode(end, { stream: true })
      // Long enough that no secret is cut before it is looked for.
      tail = (tail + text).slice(-(limits.progressCharsMax + mask.longest))
      timer ??= setTimeout(say, betweenMs)
    },
    stop: () => {
      isOver = true
      if (timer) clearTimeout(timer)
    },
  }
}

const bytesPerChar = 4
const tailBytes = limits.progressCharsMax * bytesPerChar
