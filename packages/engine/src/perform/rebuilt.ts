/** The request of a model call, built again from the log, at any time later: for audits, and for tests. */
import { factSchemas, type Prompt, payloadOf } from '@signalbox/core'
import type { Clock, Random, Register, StoredEvent, StreamGuardrails } from '../ports.ts'
import { createContent } from './content.ts'
import { createMemories } from './memories.ts'
import { type Pinned, promptOf } from './prompt-steps.ts'
import { createTranscripts } from './transcript.ts'

/** What a request is built again with. */
export interface RebuildDeps {
  readonly register: Register
  readonly guardrails: StreamGuardrails
  readonly clock: Clock
  readonly random: Random
}

/**
 * The prompt that the newest attempt of a model call was sent, or would have been; null if the log knows no such call. What was erased since is not
 * in it. Rejects with a `NewerError` where the log is newer than this build.
 */
export async function rebuildPrompt(
  deps: RebuildDeps,
  runId: string,
  effectId: string,
): Promise<Prompt | null> {
  const { register } = deps
  const head = await register.head(runId)
  const events = await register.events(runId, {})
  const claim = events.findLast(
    ({ type, payload }) => type === 'effect.started' && payload['effectId'] === effectId,
  )
  const agent = head && (await register.definition(head.definitionHash))
  if (!head || !claim || !agent) return null
  const { tenantId, threadId } = head
  const pinned = pinnedBy(events)
  const task = { agent, runId, tenantId, threadId, seq: claim.seq, ...(pinned ? { pinned } : {}) }
  const parts = {
    ...deps,
    content: createContent(deps),
    memories: createMemories(deps),
    transcripts: createTranscripts(register, 1),
  }
  return (await promptOf(parts, task)).prompt
}

/** The first fact of a run that pins anything: an attempt before it may have been shown the same. */
function pinnedBy(events: readonly StoredEvent[]): Pinned | null {
  for (const event of events) {
    if (event.type !== 'model.completed' || event.salt === '') continue
    const { pinned } = payloadOf(factSchemas['model.completed'], event)
    if (pinned) return pinned
  }
  return null
}
