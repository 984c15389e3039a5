/** What a command writes, as notes of progress: the newest end of it, a few times a second. */
import { limits } from '@signalbox/core'

/** At most four notes a second. */
const betweenMs = 250

/** Takes output as it comes. After `stop` nothing is said any more. */
export function showLive(progress: (note: string) => void): {
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
    if (!isOver && tail.trim() !== '') progress(tail)
  }
  return {
    take: (stream, chunk) => {
      // Of a large piece only the end can be shown.
      const end = chunk.length > tailBytes ? chunk.subarray(chunk.length - tailBytes) : chunk
      const text = decoders[stream].decode(end, { stream: true })
      tail = (tail + text).slice(-limits.progressCharsMax)
      timer ??= setTimeout(say, betweenMs)
    },
    stop: () => {
      isOver = true
      if (timer) clearTimeout(timer)
    },
  }
}

/** A character takes at most four bytes. */
const tailBytes = limits.progressCharsMax * 4
