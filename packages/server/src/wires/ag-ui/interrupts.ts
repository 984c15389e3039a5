/** What a run waits for, in AG-UI's words: `tool_call` for an approval, a reason of ours for an outcome nobody knows. */
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import type { Waiting } from '../../http/wire/run-view.ts'
import type { AgUiInterrupt } from './event.ts'

/** A call whose worker vanished: it may or may not have happened. */
const unknownOutcome = 'signalbox:unknown_outcome'

const approvalSchema = {
  type: 'object',
  properties: {
    approved: { type: 'boolean' },
    editedArgs: { type: 'object', description: 'Executed instead. Replaces all arguments.' },
    message: { type: 'string', maxLength: 2000, description: 'Why. Of a no the model reads it.' },
    scope: { enum: ['once', 'run', 'always'], description: 'How far a yes reaches.' },
  },
  required: ['approved'],
}

const resolutionSchema = {
  type: 'object',
  properties: {
    resolution: { enum: ['happened', 'not_happened', 'retry'] },
    note: { type: 'string', maxLength: 2000 },
  },
  required: ['resolution'],
}

/** The `id` is what an entry of `resume` names: the approval's, or the effect's whose outcome nobody knows. */
export const agUiInterrupt = (waiting: Waiting): AgUiInterrupt =>
  waiting.for === 'approval' ? approvalInterrupt(waiting) : resolutionInterrupt(waiting)

const approvalInterrupt = (asked: AskedApproval): AgUiInterrupt => ({
  id: asked.approval_id,
  reason: 'tool_call',
  message: asked.reason === '' ? `May "${asked.tool}" be executed?` : asked.reason,
  toolCallId: asked.call_id,
  responseSchema: approvalSchema,
  ...(asked.expires_at === null ? {} : { expiresAt: asked.expires_at }),
  metadata: { signalbox: { tool: asked.tool, args_hash: asked.args_hash } },
})

const resolutionInterrupt = (asked: Extract<Waiting, { for: 'resolution' }>): AgUiInterrupt => ({
  id: asked.effect_id,
  reason: unknownOutcome,
  message: `Nobody knows whether "${asked.tool ?? 'a call'}" happened. Did it?`,
  ...(asked.call_id === null ? {} : { toolCallId: asked.call_id }),
  responseSchema: resolutionSchema,
  metadata: { signalbox: { tool: asked.tool } },
})
