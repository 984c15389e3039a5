/** The things that a run waits for, in AG-UI's words: `tool_call` for an approval, `input_required` for a question, a reason of ours for an outcome nobody knows. */
import { limits } from '@signalbox/core'
import type { AskedApproval } from '../../http/wire/approval-view.ts'
import type { AskedInput } from '../../http/wire/input-view.ts'
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
export function agUiInterrupt(waiting: Waiting): AgUiInterrupt {
  switch (waiting.for) {
    case 'approval':
      return approvalInterrupt(waiting)
    case 'input':
      return questionInterrupt(waiting)
    case 'resolution':
      return resolutionInterrupt(waiting)
  }
}

const questionInterrupt = (asked: AskedInput): AgUiInterrupt => ({
  id: asked.call_id,
  reason: 'input_required',
  message: asked.question,
  toolCallId: asked.call_id,
  responseSchema: answerSchema(asked),
  expiresAt: asked.expires_at,
  metadata: { signalbox: { kind: asked.kind, why: asked.why } },
})

/** The answer of each kind, as `POST /runs/{run}/inputs/{call}` takes it. */
function answerSchema({ kind, options, form }: AskedInput) {
  switch (kind) {
    case 'text':
      return answeredBy('text', { type: 'string', maxLength: limits.answerCharsMax })
    case 'choice':
      return answeredBy('option', { enum: options ?? [] })
    case 'form':
      return answeredBy('values', {
        type: 'object',
        properties: Object.fromEntries(
          (form ?? []).map((field) => [field.name, fieldSchema(field)]),
        ),
        required: (form ?? []).flatMap(({ name, required }) => (required ? [name] : [])),
        additionalProperties: false,
      })
  }
}

const answeredBy = (name: string, schema: object) => ({
  type: 'object',
  properties: { [name]: schema },
  required: [name],
})

function fieldSchema({ label, type, options }: NonNullable<AskedInput['form']>[number]) {
  const title = { title: label }
  if (type === 'choice') return { ...title, enum: options ?? [] }
  return type === 'text'
    ? { ...title, type: 'string', maxLength: limits.answerFieldCharsMax }
    : { ...title, type }
}

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
