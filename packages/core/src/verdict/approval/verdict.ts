/**
 * Approval: what follows from a human's answer about one call? Evidence in (the answer, the call it is about), verdict
 * out. A human can only narrow what the policies allow: edited arguments are judged again, and a denial beats him.
 */
import type { FactPayload } from '../../event/fact.ts'
import { authorize, type Bench, engineDenial } from '../authorization/judge.ts'
import type { PolicyAnswer } from '../../policy-answer.ts'

type Answer = FactPayload<'approval.answered'>

/** The fate of the call. */
export type ApprovalOutcome =
  | {
      readonly effect: 'run'
      readonly argsHash: string
      readonly edited: boolean
      /** Policies that warn of the edited arguments. */
      readonly warnings: readonly PolicyAnswer[]
      /** Warnings of the audit of `bash` about them. */
      readonly flags: readonly PolicyAnswer[]
    }
  | { readonly effect: 'deny'; readonly answer: PolicyAnswer }

/** The text is for the model: not run, by a person, do not repeat it. */
const rejectedText = (note: string | undefined): string =>
  `A person rejected this call; it was not executed. Do not repeat it.${note ? ` Reason: ${note}` : ''}`

export const expiredText =
  'Nobody approved this call in time; it was not executed. Do not repeat it unless you are told to.'

/** Judges an answer about a call that waits for one. */
export function judgeApproval(bench: Bench, answer: Answer): ApprovalOutcome {
  const { callId, tool, decision, argsHash, note, edited } = answer
  if (decision === 'reject')
    return { effect: 'deny', answer: engineDenial('rejected', rejectedText(note)) }
  if (decision === 'approve')
    return { effect: 'run', argsHash, edited: false, warnings: [], flags: [] }
  if (!edited)
    return {
      effect: 'deny',
      answer: engineDenial('edit_without_args', 'The edit holds no arguments.'),
    }
  const again = authorize(bench, { id: callId, name: tool, args: edited.args })
  if (again.answer.effect === 'deny') return { effect: 'deny', answer: again.answer }
  const { warnings, flags } = again
  return { effect: 'run', argsHash: edited.argsHash, edited: true, warnings, flags }
}
