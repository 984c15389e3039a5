/**
 * Interrupts: what LangGraph calls the questions of a run that waits for a human. All calls of a turn that wait are one
 * interrupt, in the schema of LangChain's middleware for human answers, which chat pages draw their buttons from. A call
 * whose outcome nobody knows is an interrupt of its own, and so is a question of the model.
 */
import { z } from '@hono/zod-openapi'
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import { type Waiting, waitingId } from '../../http/wire/run-view.ts'

/** `id` is what an answer names: that of the first approval that waits, of the call that asks, or of the effect whose outcome nobody knows. */
export const Interrupt = z
  .object({ id: z.string(), value: z.record(z.string(), z.unknown()) })
  .openapi('Interrupt')
export type Interrupt = z.infer<typeof Interrupt>

const decisions = ['approve', 'edit', 'reject'] as const

/** What a run waits for, as interrupts: the approvals first. */
export function interruptsOf(waiting: readonly Waiting[]): readonly Interrupt[] {
  const asked = waiting.filter((each) => each.for === 'approval')
  const others = waiting.filter((each) => each.for !== 'approval')
  const [first] = asked
  return [
    ...(first ? [{ id: first.approval_id, value: approvalValue(first, asked) }] : []),
    ...others.map((each) => ({ id: waitingId(each), value: { ...each } })),
  ]
}

/** LangChain's Python writes this schema in snake case, its JavaScript in camel case, and pages read one or the other. */
function approvalValue(first: AskedApproval, asked: readonly AskedApproval[]) {
  const requests = asked.map(({ tool, args, reason }) => ({
    name: tool,
    args: args ?? {},
    ...(reason === '' ? {} : { description: reason }),
  }))
  const tools = asked.map(({ tool }) => tool)
  return {
    // Of one call its own fields too; of several nobody could tell whose they are.
    ...(asked.length === 1 ? { ...first, description: first.reason } : { for: first.for }),
    // Their arguments stand in the requests, at the same place.
    approvals: asked.map(({ args: _args, for: _for, ...rest }) => rest),
    action_requests: requests,
    review_configs: tools.map((tool) => ({ action_name: tool, allowed_decisions: decisions })),
    actionRequests: requests,
    reviewConfigs: tools.map((tool) => ({ actionName: tool, allowedDecisions: decisions })),
  }
}
