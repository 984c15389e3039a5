/** A call with the arguments that a human gave it: the answer to its approval holds them. */
import { factSchemas, payloadOf, type ToolCallPart } from '@signalbox/core'
import type { EffectRow, Register } from '../ports.ts'

/** Reads the arguments from the answer that the effect names. */
export async function editedCall(
  register: Pick<Register, 'events'>,
  { runId, call }: EffectRow,
  effect: {
    readonly approval?: number | undefined
    readonly callId: string
    readonly tool: string
    readonly argsHash: string
  },
): Promise<ToolCallPart> {
  const { approval = 0, callId, tool, argsHash } = effect
  const [answer] = await register.events(runId, { after: approval - 1, limit: 1 })
  const edited = answer && payloadOf(factSchemas['approval.answered'], answer).edited
  // Without the arguments the call is not the one that was approved: the hash will say so.
  const args = edited?.args ?? {}
  return { type: 'tool_call', id: callId, name: call?.name ?? tool, args, argsHash }
}
