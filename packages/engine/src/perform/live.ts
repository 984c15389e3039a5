/**
 * Text in flight. The performer of a model call owns the text and publishes it as it grows; whoever follows gets it from
 * its beginning exactly once, however often pieces are lost, doubled or reordered: each piece says where it stands.
 */
import type { LiveText } from '../engine.ts'
import type { Delta, ModelSink, WakeBus } from '../ports.ts'

export interface LiveMessage extends ModelSink {
  end(): void
}

export interface LiveMessages {
  begin(message: {
    readonly runId: string
    readonly messageId: string
    readonly attempt: number
  }): LiveMessage
  close(): void
}

/** The performer's side. A `peek` for a run is answered with the whole text so far, once. */
export function createLiveMessages(bus: WakeBus): LiveMessages {
  const inFlight = new Map<string, () => void>()
  const stop = bus.subscribe('peek', (runIds) => {
    for (const runId of runIds) inFlight.get(runId)?.()
  })
  return {
    begin({ runId, messageId, attempt }) {
      const said = { text: '', reasoning: '' }
      const publishAll = (): void =>
        bus.publishDelta({ runId, messageId, attempt, offset: 0, kind: 'text', text: said.text })
      inFlight.set(runId, publishAll)
      return {
        delta(kind, text) {
          bus.publishDelta({ runId, messageId, attempt, offset: said[kind].length, kind, text })
          said[kind] += text
        },
        end() {
          if (inFlight.get(runId) === publishAll) inFlight.delete(runId)
        },
      }
    },
    close: stop,
  }
}

/** The follower's side: pieces in order, from offset 0, each character once. */
export function followText(
  bus: WakeBus,
  runId: string,
  listener: (piece: LiveText) => void,
): () => void {
  let messageId = ''
  let attempt = 0
  let length = 0
  const take = (delta: Delta): void => {
    if (delta.kind !== 'text') return
    const older = delta.messageId === messageId && delta.attempt < attempt
    if (older) return
    const begins = delta.messageId !== messageId || delta.attempt > attempt
    if (begins && delta.offset > 0) return bus.publish('peek', [runId])
    if (begins) {
      messageId = delta.messageId
      attempt = delta.attempt
      length = 0
    }
    if (delta.offset > length) return bus.publish('peek', [runId])
    const text = delta.text.slice(length - delta.offset)
    if (text === '' && !begins) return
    listener({ messageId, attempt, text, offset: length })
    length += text.length
  }
  const stop = bus.subscribeDeltas(runId, take)
  bus.publish('peek', [runId])
  return stop
}
