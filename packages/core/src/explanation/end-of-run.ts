/** How a run ended, and which events say so. */
import { typesEnding } from '../event/catalogue.ts'
import type { EventType } from '../event/upcast.ts'
import type { Outcome } from '../outcome.ts'
import { timedCall } from '../verdict/approval/event.ts'
import type { RunExplanation } from './document.ts'
import type { Known } from './place.ts'
import { proofOf, type TransitionEvent, type Story } from './story.ts'

/** The sentence for each outcome, and the types that bring it, besides the verdicts that the catalogue says bring it. */
const causes: Readonly<
  Record<Outcome, { readonly types: readonly EventType[]; readonly says: string }>
> = {
  completed: { types: ['model.completed'], says: 'it had nothing more to do' },
  safety_stopped: { types: [], says: 'a provider stopped an answer for safety' },
  refused: { types: ['turn.cut'], says: 'the model refused' },
  guardrail_stopped: { types: [], says: 'a stream guardrail stopped an answer' },
  loop_stopped: { types: [], says: 'the model went in circles' },
  budget_exhausted: { types: ['budget.refused'], says: 'a budget was used up' },
  length_stopped: { types: ['turn.cut'], says: 'an answer reached its length limit' },
  interrupted: { types: ['turn.cut'], says: 'the stream of an answer broke off' },
  cancelled: { types: ['cancel.requested'], says: 'its end was asked for' },
  rolled_back: {
    types: ['cancel.requested'],
    says: 'its end and its removal from the conversation were asked for',
  },
  timed_out: { types: ['timer.fired'], says: 'its time was used up' },
  failed: {
    types: [
      'run.faulted',
      'rerun.stopped',
      'answer.missing',
      'context.exhausted',
      'turn.cut',
      'model.completed',
      'context.unchanged',
    ],
    says: 'it could not go on',
  },
}

/** The end of a run; where it goes on, that it does. */
export function endOfRun(story: Story): Pick<RunExplanation['run'], 'outcome' | 'why' | 'proofs'> {
  const step = story.steps.findLast(({ payload }) => payload.outcome !== null)
  const outcome = step?.payload.outcome
  if (!step || !outcome) return { outcome: null, why: 'The run has not ended.', proofs: [] }
  const cause = causeOf(story, step, outcome)
  const proofs = [...(cause ? [proofOf(cause)] : []), proofOf(step)]
  const seqs = proofs.map(({ seq }) => `#${seq}`).join(', ')
  const detail = cause ? detailOf(cause) : ''
  return {
    outcome,
    why: `The run ended as ${outcome}: ${causes[outcome].says}${detail} (${seqs}).`,
    proofs,
  }
}

function causeOf(story: Story, step: TransitionEvent, outcome: Outcome): Known | null {
  const types = [...typesEnding(outcome), ...causes[outcome].types]
  const events = [...story.bySeq.values()]
  // A verdict of the last decision stands after it.
  const until =
    events.find((each) => each.seq > step.seq && each.type === 'run.transitioned')?.seq ?? Infinity
  for (const type of types) {
    const found = events.findLast((each) => each.type === type && each.seq < until && isCause(each))
    if (found) return found
  }
  return null
}

const isCause = (event: Known): boolean =>
  event.type !== 'timer.fired' || timedCall(event.payload.timerId) === null

function detailOf(event: Known): string {
  if (event.type === 'cancel.requested') {
    const { reason } = event.payload
    return `, by ${event.actor}${reason === undefined ? '' : `, "${reason}"`}`
  }
  if (event.type === 'run.faulted') return ` (${event.payload.code})`
  if (event.type === 'context.exhausted') return ' (context_full)'
  if (event.type === 'context.unchanged') return `, no summary was made (${event.payload.reason})`
  // Words of ours, about the provider and not by it.
  if (event.type === 'turn.cut' && event.payload.error) return `, ${event.payload.error.message}`
  return ''
}
