/** The words that stand in the conversation of a run under an id, whole: the request shows less of it. Read when a tool asks for it, and only then. */
import { partWords, spokenText } from '@signalbox/core'
import type { EffectRow, Register } from '../ports.ts'
import type { Content } from './content.ts'

/** Answers by the id of a call or of a message; null where the conversation has none, or it was erased. */
export const saidIn =
  (
    deps: {
      readonly register: Pick<Register, 'conversation'>
      readonly content: Pick<Content, 'hydrate'>
    },
    row: Pick<EffectRow, 'tenantId' | 'threadId' | 'runId'>,
  ) =>
  async (id: string): Promise<string | null> => {
    const events = await deps.register.conversation(row.threadId, row.runId)
    const parts = spokenText(events, id)
    if (parts === null) return null
    const whole = await deps.content.hydrate(row, parts)
    return whole.map(partWords).join('\n')
  }
