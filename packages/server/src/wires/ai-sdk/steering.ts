/** What users say to a run while it goes on: shown between the steps where the machine took it. */
import { decisionSchemas, type FactPayload, partWords, type UserMessage } from '@signalbox/core'
import type { StoredEvent } from '@signalbox/engine'
import type { Chunk } from './chunk.ts'

export class Steering {
  #waiting: { readonly seq: number; readonly messages: readonly UserMessage[] }[] = []

  hear(seq: number, { messages }: Pick<FactPayload<'input.injected'>, 'messages'>): void {
    this.#waiting.push({ seq, messages })
  }

  /** What these verdicts say was taken, or was left when the run ended. */
  taken(verdicts: readonly StoredEvent[]): readonly Chunk[] {
    return verdicts.flatMap(({ type, payload }) => {
      if (type !== 'input.taken' && type !== 'input.left') return []
      const { through } = decisionSchemas[type].parse(payload)
      const said = this.#waiting.filter(({ seq }) => seq <= through)
      this.#waiting = this.#waiting.filter(({ seq }) => seq > through)
      return said.flatMap(({ messages }) => messages.map(chunkOf))
    })
  }
}

const chunkOf = ({ id, parts }: UserMessage): Chunk => ({
  type: 'steering-message',
  id,
  parts: parts.map((part) => ({ type: 'text', text: partWords(part) })),
})
