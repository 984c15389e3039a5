/**
 * The invariant of prompts, however a process came to know the conversation: a model is asked what the log says up to the claim of the
 * call, no less and no more (T1, T2 of the transcripts). The log is read whole, and folded anew.
 */
import { catalogueOf, project } from '@signalbox/core'
import type { ModelRequest } from '@signalbox/engine'
import type { MemoryRegister } from '@signalbox/testing/memory'
import { isAbout } from '../invariants/run-record.ts'
import type { World } from './world.ts'

/** A prompt, and the call it was for. */
export interface Asked {
  readonly effectId: string
  /** The process that asked. */
  readonly owner: string
  readonly runId: string
  /** As JSON. */
  readonly prompt: string
}

export const askedOf = (
  { effectId, runId, owner }: Omit<Asked, 'prompt'>,
  { prompt }: Pick<ModelRequest, 'prompt'>,
): Asked => ({ effectId, runId, owner, prompt: JSON.stringify(prompt) })

export async function promptViolations(
  { asked }: World,
  register: MemoryRegister,
): Promise<readonly string[]> {
  const found: string[] = []
  for (const each of asked)
    if (!(await mayBeAsked(register, each)))
      found.push(`T2 a prompt of ${each.effectId} is not what the log says`)
  return found
}

/** Is it the prompt of a claim of this process? One that was overtaken may ask late. */
async function mayBeAsked(
  register: MemoryRegister,
  { effectId, runId, owner, prompt }: Asked,
): Promise<boolean> {
  const { runs, events, definitions } = register.tables
  const run = runs.get(runId)
  const agent = run && definitions.get(run.definitionHash)
  if (!run || !agent) return false
  const said = await register.conversation(run.threadId, runId)
  const claims = (events.get(runId) ?? []).filter(
    (event) =>
      event.type === 'effect.started' &&
      isAbout(event, effectId) &&
      event.payload['owner'] === owner,
  )
  return claims.some((claim) => {
    const before = said.filter((event) => event.runId !== runId || event.seq <= claim.seq)
    return JSON.stringify(project(agent.instructions, before, catalogueOf(agent))) === prompt
  })
}
