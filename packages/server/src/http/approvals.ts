/** What runs wait for: calls that a human must approve, calls nobody knows the outcome of. */
import { ModelTurn, type JsonObject } from '@signalbox/core'
import type { RunHead, StoredEvent } from '@signalbox/engine'
import { z } from 'zod'
import type { ReadModel } from '../read-model.ts'
import { eventsOf } from './run-events.ts'
import { type Waiting, waitsForApproval, waitsForResolution } from './wire/run-view.ts'

/** A call that waits for a human to approve exactly these arguments. */
export interface PendingApproval {
  readonly runId: string
  readonly threadId: string
  readonly callId: string
  readonly tool: string
  readonly argsHash: string
  readonly args: JsonObject
  readonly requestedAt: number
}

const Asked = z.object({ callId: z.string(), tool: z.string(), argsHash: z.string() })
const Completed = z.object({ turn: ModelTurn })

/** Folds the events of one run into the approvals that are still open. */
export function openApprovals(events: readonly StoredEvent[]): readonly PendingApproval[] {
  const args = new Map<string, JsonObject>()
  const open = new Map<string, PendingApproval>()
  for (const event of events) {
    if (event.type === 'model.completed')
      for (const part of Completed.parse(event.payload).turn.message.parts)
        if (part.type === 'tool_call') args.set(part.id, part.args)
    if (event.type === 'approval.requested') {
      const { callId, tool, argsHash } = Asked.parse(event.payload)
      const { runId, threadId, at: requestedAt } = event
      const known = args.get(callId) ?? {}
      open.set(callId, { runId, threadId, callId, tool, argsHash, args: known, requestedAt })
    }
    const answered = event.type === 'approval.answered' ? event.payload['callId'] : undefined
    if (typeof answered === 'string') open.delete(answered)
  }
  return [...open.values()]
}

/** What one run waits for; empty unless it waits. */
export async function waitingOf(read: ReadModel, head: RunHead): Promise<readonly Waiting[]> {
  if (head.status !== 'waiting') return []
  const [events, { unknown }] = await Promise.all([
    eventsOf(read, head),
    read.waiting(head.tenantId),
  ])
  return [
    ...openApprovals(events).map(waitsForApproval),
    ...unknown.filter((effect) => effect.runId === head.runId).map(waitsForResolution),
  ]
}
