/**
 * The end of a long history: whoever is refused for it ends the run. A refusal is not "somebody else has it": nobody can ever
 * claim, decide or record more, and a run that nobody ends waits for ever (I12, I22).
 */
import type { AppendItem, AppendResult, FactDraft, Register, RunRef } from '../ports.ts'
import type { Writer } from './draft.ts'
import { withOwn } from './patient-register.ts'

/** The fault of a run whose history is full. Of all who find it so, one records it. */
export const fullFact = (writer: Writer): FactDraft =>
  writer.fact(
    'run.faulted',
    {
      code: 'history_too_long',
      message: 'the run has as many events as a run may have; the last ones are kept for its end',
    },
    { key: 'fault' },
  )

/** The same register; `end` is called with a run of which a claim or a fact was refused because its history is full. */
export function endingFull(register: Register, end: (run: RunRef) => Promise<unknown>): Register {
  return withOwn(register, {
    async append(item) {
      const result = await register.append(item)
      if (isFull(item, result)) await end({ runId: item.runId, tenantId: item.tenantId })
      return result
    },
  })
}

/** Input to a run may be too much without its history being full; the client is told. */
function isFull({ facts = [] }: AppendItem, { claims, factCodes }: AppendResult): boolean {
  const refused = facts.filter((_, n) => factCodes[n] === 'full')
  return (
    claims.some(({ code }) => code === 'full') ||
    refused.some(({ type }) => type !== 'input.injected' && type !== 'run.faulted')
  )
}
