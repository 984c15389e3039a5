/** From the body of an answer to the register, and from what the engine says of it to a problem. */
import { z } from '@hono/zod-openapi'
import { type JsonObject, JsonObjectSchema } from '@signalbox/core'
import type { ApprovalAnswer } from '@signalbox/engine'
import type { Api, Identified } from './api.ts'
import { operatorActor } from './authenticate.ts'
import { insistOn } from './authorize.ts'
import { Problem } from './problem.ts'
import type { ProblemCode } from './problem-codes.ts'

const Message = z.string().max(2000).optional()

/** What a human says about a call. Who says it is never part of it. */
export const ApprovalDecision = z
  .object({
    decision: z.enum(['approve', 'reject', 'edit']),
    /** Stands in the log; of a rejection the model reads it. */
    message: Message,
    /** The older name of `message`. */
    note: Message,
    /** For `edit`: the arguments to execute instead. They must fit the tool's schema, and the policies judge them. */
    args: JsonObjectSchema.optional().openapi({ type: 'object' }),
    /** For `approve`: this call, or this tool with these arguments in this run, or in every run of the agent. */
    scope: z.enum(['once', 'run', 'always']).optional(),
  })
  .refine(({ decision, args }) => decision !== 'edit' || args !== undefined, {
    path: ['args'],
    error: 'takes the arguments to execute instead',
  })
  .refine(({ decision, args }) => decision === 'edit' || args === undefined, {
    path: ['args'],
    error: 'takes a value for the decision "edit" only',
  })
  .refine(({ decision, scope }) => decision === 'approve' || scope === undefined, {
    path: ['scope'],
    error: 'takes a value for the decision "approve" only',
  })
  .openapi('ApprovalDecision')
export type ApprovalDecision = z.output<typeof ApprovalDecision>

/** What a good answer is answered with. `already`: the same was decided before. */
export const ApprovalAccepted = z.object({ code: z.enum(['accepted', 'already']) })

/** What an answer may meet with. */
export const approvalProblems: readonly ProblemCode[] = [
  'unknown_approval',
  'approval_conflict',
  'approval_expired',
  'approval_forbidden',
  'invalid_arguments',
  'edit_denied',
  'run_ended',
]

/** Records an answer. @throws Problem unless it stands */
export async function answerApproval(
  api: Pick<Api, 'commands'>,
  caller: Identified,
  about: {
    readonly call: { readonly runId: string; readonly callId: string }
    /** How the caller named it, and in which parameter. */
    readonly named: { readonly id: string; readonly field: string }
    readonly said: ApprovalDecision
  },
): Promise<z.infer<typeof ApprovalAccepted>> {
  // Every wire passes here, also where an answer comes with what would create a run.
  insistOn({ all: ['approve'], any: [] }, caller)
  const { call, named, said } = about
  const { tenantId, actor, user } = caller
  const note = said.message ?? said.note
  const answer = await api.commands.answerApproval({
    tenantId,
    actor,
    runId: call.runId,
    callId: call.callId,
    decision: said.decision,
    ...(note === undefined ? {} : { note }),
    ...(said.scope === undefined ? {} : { scope: said.scope }),
    ...(said.args === undefined ? {} : { args: said.args }),
    ...by(user, actor),
  })
  if (answer.code === 'accepted' || answer.code === 'already') return { code: answer.code }
  throw refusal(answer, named, said.args ?? {})
}

/**
 * Who decides: the person that the headers name, else the key that was shown. `approvals.roles` may name a key as
 * `key:<id>`. The operator's key is nobody: proxies show it for everybody.
 */
function by(user: Identified['user'], actor: string) {
  if (user) return { by: user }
  const isKey = actor.startsWith('key:') && actor !== operatorActor
  return isKey ? { by: { id: actor, role: actor } } : {}
}

/** No approval of this name is asked for, here. */
export const unknownApproval = (named: { readonly id: string; readonly field: string }): Problem =>
  new Problem('unknown_approval', {
    detail: `No approval is asked for ${named.id}. GET /approvals lists what waits.`,
    field: named.field,
  })

function refusal(
  answer: ApprovalAnswer,
  named: { readonly id: string; readonly field: string },
  args: JsonObject,
): Problem {
  switch (answer.code) {
    case 'conflict':
      return new Problem('approval_conflict', {
        detail: `The decision "${answer.decision}" stands, and stays.`,
        more: { decision: answer.decision },
      })
    case 'expired':
      return new Problem('approval_expired', {
        detail: 'Nobody decided in time, so the call was rejected.',
      })
    case 'forbidden':
      return new Problem('approval_forbidden', { detail: `${answer.detail}.` })
    case 'invalid_arguments':
      return new Problem('invalid_arguments', {
        detail: `${answer.detail}.`,
        field: fieldOf(answer.detail, args),
      })
    case 'edit_denied': {
      const { reasons, policyId, policyDigest } = answer.answer
      return new Problem('edit_denied', {
        detail: reasons[0]?.message ?? 'The policies deny the edited call.',
        field: 'args',
        more: { policy_id: policyId, policy_digest: policyDigest, reasons },
      })
    }
    case 'ended':
      return new Problem('run_ended', { detail: 'The run has ended meanwhile.' })
    default:
      return unknownApproval(named)
  }
}

/** `arguments/to/0 must be string` is about `args.to[0]`. */
function fieldOf(detail: string, args: JsonObject): string {
  const pointer = /^arguments((?:\/[^/\s]+)*)(?:\s|$)/.exec(detail)?.[1] ?? ''
  const keys = pointer.split('/').slice(1)
  let at: unknown = args
  return keys.reduce((field, part) => {
    const key = part.replaceAll('~1', '/').replaceAll('~0', '~')
    const text = Array.isArray(at) ? `${field}[${key}]` : `${field}.${key}`
    at = typeof at === 'object' && at ? Reflect.get(at, key) : undefined
    return text
  }, 'args')
}
