/** Approvals that a person gave for every run of an agent, as the facts about a turn record them. */
import type { ToolCallPart } from '@signalbox/core'
import type { Register } from '../ports.ts'
import type { Digests } from '../record/digests.ts'

export interface GrantDeps {
  readonly register: Pick<Register, 'grants'>
  readonly digests: Digests
}

/**
 * Ids of those calls for which such an approval stands. It stands for the arguments, in whichever scheme the run that asked for it
 * knew them: an approval from before digests were keyed still counts.
 */
export async function grantedOf(
  { register, digests }: GrantDeps,
  { tenantId, agent }: { readonly tenantId: string; readonly agent: string },
  calls: readonly ToolCallPart[],
): Promise<string[]> {
  if (calls.length === 0) return []
  const both = await digests.both(
    tenantId,
    calls.map(({ args }) => args),
  )
  const asked = calls.flatMap(({ name: tool }, n) =>
    (both[n] ?? []).map((argsHash) => ({ tool, argsHash })),
  )
  const granted = await register.grants({ tenantId, agent }, asked)
  return calls.flatMap(({ id }, n) => (granted[2 * n] || granted[2 * n + 1] ? [id] : []))
}
