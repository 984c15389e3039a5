/** An approval as the wire shows it: what is asked, and what became of it. */
import { z } from '@hono/zod-openapi'
import type { ApprovalRequest, ApprovalView } from '@signalbox/postgres'
import { iso } from './iso.ts'

const asked = {
  approval_id: z.string(),
  call_id: z.string(),
  tool: z.string(),
  /** As the model asked for them; null if they were erased. */
  args: z.record(z.string(), z.unknown()).nullable(),
  args_hash: z.string(),
  /** The policy that asks for it, and the digest of its text; null if none has a name. */
  policy_id: z.string().nullable(),
  policy_digest: z.string().nullable(),
  reason: z.string(),
  requested_at: z.string(),
  /** Then the request is a rejection. */
  expires_at: z.string().nullable(),
}

/** A call that waits for a human to approve exactly these arguments. */
export const AskedApproval = z.object({
  for: z.literal('approval'),
  ...asked,
  /** Where a run below waits for it: that run, and its thread. */
  run_id: z.string().optional(),
  thread_id: z.string().optional(),
})
export type AskedApproval = z.infer<typeof AskedApproval>

const place = {
  run_id: z.string(),
  thread_id: z.string(),
  assistant_id: z.string(),
  /** The run at the top of the tree that the run stands in, which nobody started, and its thread; itself where nobody started it. */
  root: z.object({ run_id: z.string(), thread_id: z.string(), assistant_id: z.string() }),
}

/** One row of a listing. `position` of the last one is where the next page begins. */
export const ListedApproval = AskedApproval.extend({ ...place, position: z.string() }).openapi(
  'ListedApproval',
)
export type ListedApproval = z.infer<typeof ListedApproval>

/** An approval, whatever became of it. */
export const Approval = z
  .object({
    ...asked,
    ...place,
    status: z.enum(['waiting', 'approved', 'rejected', 'edited', 'expired', 'cancelled']),
    /** Null unless a human's answer decided. */
    answer: z
      .object({
        decision: z.enum(['approve', 'reject', 'edit']),
        /** Who gave it; null if the server knew nobody. */
        by: z.object({ id: z.string(), role: z.string().nullable() }).nullable(),
        actor: z.string(),
        at: z.string(),
        scope: z.enum(['once', 'run', 'always']),
        message: z.string().nullable(),
      })
      .nullable(),
  })
  .openapi('Approval')
export type Approval = z.infer<typeof Approval>

const askedView = (request: ApprovalRequest) => ({
  approval_id: request.approvalId,
  call_id: request.callId,
  tool: request.tool,
  args: request.args && { ...request.args },
  args_hash: request.argsHash,
  policy_id: request.policyId,
  policy_digest: request.policyDigest,
  reason: request.reason,
  requested_at: iso(request.requestedAt),
  expires_at: request.expiresAt === null ? null : iso(request.expiresAt),
})

const runPlace = ({ runId, threadId, agent }: ApprovalRequest['root']) => ({
  run_id: runId,
  thread_id: threadId,
  assistant_id: agent,
})

const placeView = (request: ApprovalRequest) => ({
  ...runPlace(request),
  root: runPlace(request.root),
})

/** What a run below waits for. */
export const waitsBelowForApproval = (request: ApprovalRequest): AskedApproval => ({
  ...waitsForApproval(request),
  run_id: request.runId,
  thread_id: request.threadId,
})

/** What a run waits for. */
export const waitsForApproval = (request: ApprovalRequest): AskedApproval => ({
  for: 'approval',
  ...askedView(request),
})

export const listedApproval = (request: ApprovalRequest): ListedApproval => ({
  ...waitsForApproval(request),
  ...placeView(request),
  position: request.position,
})

export function approvalView(approval: ApprovalView): Approval {
  const { status, answer } = approval
  if (answer === null)
    return { ...askedView(approval), ...placeView(approval), status, answer: null }
  const { note, at, by, ...said } = answer
  const given = { ...said, by: by && { ...by }, at: iso(at), message: note }
  return { ...askedView(approval), ...placeView(approval), status, answer: given }
}
